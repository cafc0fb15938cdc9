/* SPDX-License-Identifier: Apache-2.0
 * tests/match/quick_search/test_quick_search.c - Quick Search: shifts by hand, what it finds in
 * long texts, and for which dictionaries `auto` tries it.
 */
#include "tests/match/engine_test.h"

#include "match/quick_search/quick_search.h"

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

/* auto tries it for one or two literals of 32 bytes or more, whatever stands beside them. */
static void few_long_keywords_suit(void **state)
{
    static const struct {
        uint32_t lens[3];
        bool regex, suits;
    } rows[] = {
        { { 32 }, false, true },       { { 255, 32 }, false, true },     { { 31 }, false, false },
        { { 255, 31 }, false, false }, { { 32, 32, 32 }, false, false }, { { 32 }, true, true },
        { { 0 }, true, false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct match_dictionary *dictionary = NULL;
        uint8_t bytes[LIMIT_PATTERN_LEN];

        TEST_OK(match_dictionary_create(&dictionary, &test_err));
        memset(bytes, 'a', sizeof bytes);
        for (uint32_t k = 0; k < 3 && rows[i].lens[k] > 0; k++)
            test_add(dictionary, bytes, NULL, rows[i].lens[k], false);
        if (rows[i].regex) {
            const struct match_pattern regex = { .kind = MATCH_REGEX,
                                                 .bytes = (const uint8_t *)"a+b",
                                                 .len = 3 };

            TEST_OK(match_dictionary_add(dictionary, &regex, &(uint32_t){ 0 }, &test_err));
        }
        if (match_quick_search_engine.suits(dictionary) != rows[i].suits)
            fail_msg("row %zu: suits is not %d", i, rows[i].suits);
        match_dictionary_destroy(dictionary);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shifts_are_those_worked_out_by_hand),
        cmocka_unit_test(the_longest_keyword_has_the_longest_shift),
        cmocka_unit_test(long_texts_agree_with_the_oracle),
        cmocka_unit_test(few_long_keywords_suit),
    };
    return cmocka_run_group_tests_name("Quick Search", tests, NULL, NULL);
}
