/* SPDX-License-Identifier: Apache-2.0
 * tests/match/papers/rabin_karp/test_rk.c - Rabin-Karp by prefix sums: powers, hashes, prefix sums
 * and the hash table by hand (with base 2 and q = 13, as the paper's examples), hashes of windows
 * against hashes of strings, and what both forms find.
 */
#include "tests/match/engine_test.h"

#include "match/papers/rabin_karp/rk_program.h"

enum { BASE = 2, Q = 13 };

static void powers_are_those_of_the_table(void **state)
{
    static const uint16_t want[Q] = { 1, 2, 4, 8, 3, 6, 12, 11, 9, 5, 10, 7, 1 };
    uint16_t powers[Q];

    (void)state;
    rk_powers(BASE, Q, powers);
    assert_memory_equal(powers, want, sizeof want);
}

/* 1 0 1 1 0 1: terms 32 0 8 4 0 1, which are 6 0 8 4 0 1; their sums 6 6 14 18 18 19 are 6 6 1 5
 * 5 6. */
static void sums_and_hashes_are_those_worked_out_by_hand(void **state)
{
    static const uint8_t text[] = { 1, 0, 1, 1, 0, 1 };
    static const uint16_t want[] = { 0, 6, 6, 1, 5, 5, 6 };
    uint16_t powers[Q], sums[7], hashes[6];

    (void)state;
    rk_powers(BASE, Q, powers);
    rk_prefix_sums(text, 6, powers, Q, sums);
    assert_memory_equal(sums, want, sizeof want);

    assert_int_equal(rk_hash(text, 6, BASE, Q), 45 % 13);
    assert_int_equal(rk_hash(text + 2, 3, BASE, Q), 6); /* 1 1 0 */
    /* (sums[5] - sums[2]) / 2 = -1 / 2 = 12 * 7 = 6: half is 7, for 2 * 7 = 14 = 1 */
    rk_windows(sums, 6, 2, 3, powers, Q, hashes, 2);
    assert_int_equal(hashes[0], 6);
    assert_int_equal(hashes[1], 5); /* 1 0 1, at the end: nothing to take away */
    rk_windows(sums, 6, 0, 1, powers, Q, hashes, 6);
    for (uint32_t j = 0; j < 6; j++)
        assert_int_equal(hashes[j], text[j]);
}

static void qgrams_have_the_hashes_of_their_strings(void **state)
{
    enum { N = 700 };
    uint16_t *powers = malloc(RK_Q * sizeof *powers);
    uint16_t sums[N + 1], hashes[N];
    uint8_t text[N];
    uint64_t random = 3;

    (void)state;
    assert_non_null(powers);
    for (uint64_t x = 0; x <= UINT32_MAX; x += 1 + x % 997 * (x >> 20))
        assert_int_equal(rk_modulo((uint32_t)x, RK_Q), x % RK_Q);
    assert_int_equal(rk_modulo(UINT32_MAX, RK_Q), UINT32_MAX % RK_Q);
    rk_powers(RK_BASE, RK_Q, powers);
    assert_int_equal(powers[RK_Q - 1], 1);
    for (uint32_t i = 0; i < N; i++)
        text[i] = (uint8_t)(test_random(&random, 4) ? test_random(&random, 256) : 0xff);
    rk_prefix_sums(text, N, powers, RK_Q, sums);
    for (uint32_t len = 1; len <= LIMIT_PATTERN_LEN; len += 1 + len / 8) {
        rk_windows(sums, N, 0, len, powers, RK_Q, hashes, N + 1 - len);
        for (uint32_t j = 0; j + len <= N; j++)
            assert_int_equal(hashes[j], rk_hash(text + j, len, RK_BASE, RK_Q));
    }
    free(powers);
}

/* Three patterns with hashes of their own; a fourth that finds the first's slot taken, a fifth that
 * finds two taken. */
static void the_table_is_filled_as_in_the_paper(void **state)
{
    static const uint32_t hashes[] = { 3, 7, 8, 3, 7 };
    static const uint8_t control_want[Q] = { [3] = 2, [4] = 1, [7] = 2, [8] = 2, [9] = 1 };
    static const uint16_t table_want[Q] = { [4] = 3, [7] = 1, [8] = 2, [9] = 4 };
    uint8_t control[Q] = { 0 };
    uint16_t table[Q] = { 0 };

    (void)state;
    for (uint16_t i = 0; i < 5; i++)
        rk_insert(control, table, Q, hashes[i], i);
    assert_memory_equal(control, control_want, sizeof control);
    assert_memory_equal(table, table_want, sizeof table);
    rk_insert(control, table, Q, 12, 5);
    rk_insert(control, table, Q, 12, 6); /* goes on at the front */
    assert_int_equal(control[12], RK_CONTROL_MANY);
    assert_int_equal(control[0], 1);
    assert_int_equal(table[0], 6);
}

static void long_texts_agree_with_the_oracle(void **state)
{
    (void)state;
    test_long_texts(&match_rk_engine, 1);
}

static void openmp_agrees_with_the_oracle(void **state)
{
    (void)state;
    if (match_rk_openmp_engine.missing() != NULL)
        skip();
    for (uint32_t threads = 1; threads <= 8; threads += 3)
        test_long_texts(&match_rk_openmp_engine, threads);
}

static void forms_for_comparison_agree_with_the_oracle(void **state)
{
    (void)state;
    test_long_texts(&match_rk_direct_engine, 1);
    test_long_texts(&match_match_str_engine, 1);
    if (match_rk_direct_openmp_engine.missing() == NULL) {
        test_long_texts(&match_rk_direct_openmp_engine, 4);
        test_long_texts(&match_match_str_openmp_engine, 4);
    }
}

/* More patterns of one length than a table has slots for. */
static void a_keyword_list_of_the_greatest_size(void **state)
{
    (void)state;
    test_keyword_list(&match_rk_engine, 1);
}

/* Hits of threads go to the sink in parts: none is lost or doubled where they just fit, and nothing
 * is kept where they do not. */
static void a_full_sink_is_full_to_the_last_hit(void **state)
{
    enum { LEN = 100000 };
    static const struct match_engine *const engines[] = {
        &match_rk_openmp_engine, &match_rk_direct_openmp_engine, &match_match_str_openmp_engine,
        &match_quick_search_openmp_engine, &match_rk_engine
    };
    uint8_t *bytes = malloc(LEN);
    struct hit *hits = malloc(LEN * sizeof *hits);
    struct match_dictionary *dictionary = NULL;

    (void)state;
    assert_true(bytes != NULL && hits != NULL);
    memset(bytes, 'a', LEN);
    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    test_add(dictionary, "aa", NULL, 2, false);
    for (uint32_t e = 0; e < sizeof engines / sizeof engines[0]; e++) {
        const struct match_setup setup = { .threads = 8, .segment_len = LEN };
        const struct match_text text = { .bytes = bytes, .len = LEN };
        struct match_sink sink = { .items = hits, .count = 1, .max = LEN };
        void *program = NULL;

        if (engines[e]->missing() != NULL)
            continue;
        TEST_OK(engines[e]->compile(dictionary, &setup, &program, &test_err));
        assert_true(engines[e]->scan(program, &text, 0, LEN, &sink));
        assert_int_equal(sink.count, LEN);
        qsort(hits + 1, LEN - 1, sizeof *hits, test_hit_order);
        for (uint32_t i = 0; i < LEN - 1; i++)
            assert_int_equal(hits[i + 1].offset, i);
        sink = (struct match_sink){ .items = hits, .count = 1, .max = LEN - 1 };
        assert_false(engines[e]->scan(program, &text, 0, LEN, &sink));
        assert_int_equal(sink.count, 1);
        engines[e]->release(program);
    }
    match_dictionary_destroy(dictionary);
    free(bytes);
    free(hits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_are_those_of_the_table),
        cmocka_unit_test(sums_and_hashes_are_those_worked_out_by_hand),
        cmocka_unit_test(qgrams_have_the_hashes_of_their_strings),
        cmocka_unit_test(the_table_is_filled_as_in_the_paper),
        cmocka_unit_test(long_texts_agree_with_the_oracle),
        cmocka_unit_test(openmp_agrees_with_the_oracle),
        cmocka_unit_test(forms_for_comparison_agree_with_the_oracle),
        cmocka_unit_test(a_keyword_list_of_the_greatest_size),
        cmocka_unit_test(a_full_sink_is_full_to_the_last_hit),
    };
    return cmocka_run_group_tests_name("Rabin-Karp", tests, NULL, NULL);
}
