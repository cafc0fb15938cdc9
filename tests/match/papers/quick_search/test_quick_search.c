/*
 * tests/match/papers/quick_search/test_quick_search.c - Quick Search: shifts by hand, and what both
 * forms find in long texts, with one thread and many.
 */
#include "tests/match/engine_test.h"

#include "match/papers/quick_search/quick_search.h"

static void check_shifts(const struct match_pattern *pattern, const char *letters,
                         const uint32_t *shifts)
{
    struct match_dictionary *dictionary = NULL;
    struct match_literals literals;
    uint8_t skip[256];

    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    test_add(dictionary, pattern->bytes, pattern->mask, pattern->len, pattern->fold_case);
    TEST_OK(match_literals_open(dictionary, &literals, &test_err));
    quick_search_skips(&literals.items[0], skip);
    for (uint32_t i = 0; letters[i] != 0; i++)
        if (skip[(uint8_t)letters[i]] + 1u != shifts[i])
            fail_msg("%c: shift %u, want %u", letters[i], skip[(uint8_t)letters[i]] + 1u,
                     shifts[i]);
    match_literals_close(&literals);
    match_dictionary_destroy(dictionary);
}

/* From the last place of the letter to the end of the keyword and one on; length + 1 for a letter
 * that it does not have. */
static void shifts_are_those_worked_out_by_hand(void **state)
{
    const struct match_pattern genes = { .bytes = (const uint8_t *)"GCAGAGAG", .len = 8 };
    const struct match_pattern folded = { .bytes = (const uint8_t *)"Ab1",
                                          .len = 3,
                                          .fold_case = true };
    const struct match_pattern masked = { .bytes = (const uint8_t *)"ab.c",
                                          .mask = (const uint8_t *)"\xff\xff\x00\xff",
                                          .len = 4 };

    (void)state;
    check_shifts(&genes, "ACGTg", (const uint32_t[]){ 2, 7, 1, 9, 9 });
    check_shifts(&folded, "aAbB1Qq", (const uint32_t[]){ 3, 3, 2, 2, 1, 4, 4 });
    check_shifts(&masked, "abcd",
                 (const uint32_t[]){ 2, 2, 1, 2 }); /* the wildcard takes every letter */
}

static void the_longest_keyword_has_the_longest_shift(void **state)
{
    uint8_t bytes[LIMIT_PATTERN_LEN];
    const struct match_pattern longest = { .bytes = bytes, .len = LIMIT_PATTERN_LEN };

    (void)state;
    memset(bytes, 'a', sizeof bytes);
    bytes[0] = 'b';
    check_shifts(&longest, "abc",
                 (const uint32_t[]){ 1, LIMIT_PATTERN_LEN, LIMIT_PATTERN_LEN + 1 });
}

static void long_texts_agree_with_the_oracle(void **state)
{
    (void)state;
    test_long_texts(&match_quick_search_engine, 1);
}

static void openmp_agrees_with_the_oracle(void **state)
{
    (void)state;
    if (match_quick_search_openmp_engine.missing() != NULL)
        skip();
    for (uint32_t threads = 1; threads <= 8; threads += 3)
        test_long_texts(&match_quick_search_openmp_engine, threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shifts_are_those_worked_out_by_hand),
        cmocka_unit_test(the_longest_keyword_has_the_longest_shift),
        cmocka_unit_test(long_texts_agree_with_the_oracle),
        cmocka_unit_test(openmp_agrees_with_the_oracle),
    };
    return cmocka_run_group_tests_name("Quick Search", tests, NULL, NULL);
}
