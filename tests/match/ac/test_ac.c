/* SPDX-License-Identifier: Apache-2.0
 * tests/match/ac/test_ac.c - the automaton in every form it can take finds what the oracle finds on
 * texts of many blocks.
 *
 * Method: dictionaries that lead to narrow and wide cells, all again with a cell for each byte;
 * disk-like texts with runs of zeros and with patterns planted across the edges of streams; scans
 * that fill a block, that do not, and that are too short for streams.
 *
 * Labels: plain slow
 */
#include "match/ac/ac.h"
#include "tests/match/match_test.h"

enum { TEXT_LEN = 155000 };

struct ac_case {
    const char *name;
    uint32_t patterns;
    uint32_t len_min, len_max;
    uint32_t alphabet; /* of patterns and text */
    bool masked, folded;
    bool narrow; /* cells expected */
};

static const struct ac_case cases[] = {
    { "few signatures", 12, 2, 12, 256, false, false, true },
    { "signatures", 60, 2, 12, 256, false, false, false },
    { "masked signatures", 60, 4, 12, 256, true, false, false },
    { "words", 80, 4, 12, 26, false, true, true },
    { "many", 1500, 4, 30, 256, false, false, false },
    { "single bytes", 5, 1, 1, 256, false, false, true },
    { "everything", 300, 1, 2, 256, true, true, false },
    { "long", 40, 250, 255, 256, true, true, false },
};

static uint8_t ac_byte(uint64_t *random, const struct ac_case *c)
{
    const uint32_t n = test_random(random, c->alphabet);

    return (uint8_t)(c->alphabet == 26 ? 'a' + n : n);
}

static void ac_patterns(const struct ac_case *c, struct match_dictionary *dictionary,
                        uint64_t *random)
{
    for (uint32_t i = 0; i < c->patterns; i++) {
        const uint32_t len = c->len_min + test_random(random, c->len_max - c->len_min + 1);
        uint8_t bytes[LIMIT_PATTERN_LEN], mask[LIMIT_PATTERN_LEN];

        for (uint32_t k = 0; k < len; k++) {
            bytes[k] = test_random(random, 5) ? ac_byte(random, c) : 0;
            mask[k] = (uint8_t)(test_random(random, 4) ? 0xff : test_random(random, 3) * 0x0f);
        }
        mask[test_random(random, len)] = 0xff;
        test_add(dictionary, bytes, c->masked ? mask : NULL, len,
                 c->folded && test_random(random, 2));
    }
}

/* Runs of zeros and of random bytes, then patterns around every edge of 512 bytes. */
static void ac_text(const struct ac_case *c, const struct match_dictionary *dictionary,
                    uint64_t *random, uint8_t *text)
{
    for (uint32_t i = 0; i < TEXT_LEN;) {
        uint32_t run = test_random(random, 9000);
        const bool zeros = test_random(random, 3) == 0;

        for (; run > 0 && i < TEXT_LEN; run--)
            text[i++] = zeros ? 0 : ac_byte(random, c);
    }
    for (uint32_t edge = 512; edge < TEXT_LEN - 512; edge += 512) {
        const struct match_pattern *pattern =
            match_dictionary_get(dictionary, test_random(random, c->patterns));

        memcpy(text + edge - test_random(random, pattern->len + 2), pattern->bytes, pattern->len);
    }
}

static void check_scan(const struct ac *ac, const uint8_t *text, const struct test_hits *want,
                       const char *name)
{
    static const uint32_t ends[] = { 1,     511,   512,   4095,  4096,    4097,
                                     20000, 20256, 20259, 85001, TEXT_LEN };
    const struct match_text whole = { .bytes = text, .len = TEXT_LEN, .offset = 1u << 20 };
    struct match_sink sink = { .items = malloc((want->count + 1u) * sizeof *sink.items),
                               .max = want->count };
    struct test_hits got = { 0 };
    uint32_t from = 0;

    assert_non_null(sink.items);
    for (uint32_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        assert_true(match_ac_engine.scan(ac, &whole, from, ends[i], &sink));
        from = ends[i];
    }
    test_hits_add(&got, sink.items, sink.count);
    test_hits_sort(&got);
    if (!test_hits_equal(want, &got))
        fail_msg("%s: %u hits, the oracle has %u", name, got.count, want->count);

    /* No room for one of them: says so, and leaves the sink as it was. */
    if (want->count > 0) {
        sink.count = 1;
        assert_false(match_ac_engine.scan(ac, &whole, 0, TEXT_LEN, &sink));
        assert_int_equal(sink.count, 1);
    }
    free(sink.items);
    free(got.items);
}

static void every_form_agrees_with_the_oracle(void **state)
{
    uint8_t *text = malloc(TEXT_LEN);

    (void)state;
    assert_non_null(text);
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t random = 77 + i;
        struct match_dictionary *dictionary = NULL;
        struct test_hits want = { 0 };
        struct ac *ac = NULL;

        TEST_OK(match_dictionary_create(&dictionary, &test_err));
        ac_patterns(&cases[i], dictionary, &random);
        ac_text(&cases[i], dictionary, &random, text);
        test_oracle(dictionary, text, TEXT_LEN, 1u << 20, &want);
        TEST_OK(ac_build(dictionary, &ac, &test_err));
        if (ac->narrow != cases[i].narrow)
            fail_msg("%s: cells are %s", cases[i].name, ac->narrow ? "narrow" : "wide");
        check_scan(ac, text, &want, cases[i].name);
        ac_widen(ac);
        check_scan(ac, text, &want, cases[i].name);
        ac_destroy(ac);
        match_dictionary_destroy(dictionary);
        free(want.items);
    }
    free(text);
}

/* Zeros for a pattern, zeros for a text: a hit at every byte, and none of the short cuts may take
 * them away. */
static void dense_hits_are_all_found(void **state)
{
    struct match_dictionary *dictionary = NULL;
    struct test_hits want = { 0 };
    struct ac *ac = NULL;
    uint8_t *text = calloc(1, TEXT_LEN);

    (void)state;
    assert_non_null(text);
    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    test_add(dictionary, "\0\0\0\0", NULL, 4, false);
    test_add(dictionary, "\0\0\0\1", NULL, 4, false);
    test_add(dictionary, "\0", NULL, 1, false);
    test_oracle(dictionary, text, TEXT_LEN, 1u << 20, &want);
    assert_int_equal(want.count, TEXT_LEN + TEXT_LEN - 3);
    TEST_OK(ac_build(dictionary, &ac, &test_err));
    check_scan(ac, text, &want, "zeros");
    ac_destroy(ac);
    match_dictionary_destroy(dictionary);
    free(want.items);
    free(text);
}

/*
 * Very many patterns, of the greatest length, half of them masked by halves of bytes
 * so that literals have variants. Random bytes do not match by chance: what is planted is what must
 * be found.
 */
static void a_large_dictionary_builds_and_finds(void **state)
{
    enum { PLANTED = 200 };
    const uint32_t many = FEW_OR_ALL(20000, 40000, 100000);
    struct match_dictionary *dictionary = NULL;
    struct test_hits got = { 0 };
    struct ac *ac = NULL;
    uint64_t random = 5;
    uint8_t *text = calloc(1, PLANTED * 300u);
    struct match_sink sink = { .items = malloc(PLANTED * sizeof *sink.items), .max = PLANTED };

    (void)state;
    assert_non_null(text);
    assert_non_null(sink.items);
    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    for (uint32_t i = 0; i < many; i++) {
        uint8_t bytes[LIMIT_PATTERN_LEN], mask[LIMIT_PATTERN_LEN];

        for (uint32_t k = 0; k < LIMIT_PATTERN_LEN; k++) {
            bytes[k] = (uint8_t)test_random(&random, 256);
            mask[k] = k % 2 ? 0xf0 : 0xff;
        }
        test_add(dictionary, bytes, i % 2 ? mask : NULL, LIMIT_PATTERN_LEN, false);
        if (i % (many / PLANTED) == 0)
            memcpy(text + i / (many / PLANTED) * 300, bytes, LIMIT_PATTERN_LEN);
    }
    TEST_OK(ac_build(dictionary, &ac, &test_err));
    const struct match_text whole = { .bytes = text, .len = PLANTED * 300u };
    assert_true(match_ac_engine.scan(ac, &whole, 0, whole.len, &sink));
    test_hits_add(&got, sink.items, sink.count);
    test_hits_sort(&got);
    assert_int_equal(got.count, PLANTED);
    for (uint32_t i = 0; i < PLANTED; i++) {
        assert_int_equal(got.items[i].offset, i * 300);
        assert_int_equal(got.items[i].pattern, i * (many / PLANTED));
    }
    ac_destroy(ac);
    match_dictionary_destroy(dictionary);
    free(got.items);
    free(sink.items);
    free(text);
}

/* Keywords that share a long beginning must not all hang on it: each would be compared wherever it
 * stands. */
static void shared_beginnings_are_avoided(void **state)
{
    struct match_dictionary *dictionary = NULL;
    struct ac *ac = NULL;
    uint32_t most = 0;

    (void)state;
    test_shared_beginnings(&dictionary);
    TEST_OK(ac_build(dictionary, &ac, &test_err));
    const uint32_t states =
        (uint32_t)(ac->table_size / (ac->narrow ? 2 : 4) - ac->flag) / ac->width;
    for (uint32_t i = 0; i < states; i++)
        most = ac->found[i].count > most ? ac->found[i].count : most;
    assert_in_range(most, 1, 64);
    ac_destroy(ac);
    match_dictionary_destroy(dictionary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_agrees_with_the_oracle),
        cmocka_unit_test(dense_hits_are_all_found),
        cmocka_unit_test(a_large_dictionary_builds_and_finds),
        cmocka_unit_test(shared_beginnings_are_avoided),
    };
    return cmocka_run_group_tests_name("Aho-Corasick automaton", tests, NULL, NULL);
}
