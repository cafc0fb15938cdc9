/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/bench/papers/test_bench_pfac.c - the made sets of `burin bench pfac` have the
 * numbers of the paper's, and tables of the sizes that it promises.
 *
 * Method: numbers of states, patterns, leaves and characters are those of Table 3 and section 4.2
 * of Chien et al.; the automaton that is counted is the matcher's own, whose counting has tests of
 * its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "carver/bench/papers/bench_pfac.h"

static struct err test_err;

static const struct {
    uint32_t states, finals, leaves;
} paper[BENCH_PFAC_SETS] = {
    { 5176, 340, 303 },    { 10486, 792, 727 },   { 14379, 994, 917 },
    { 20281, 1503, 1342 }, { 27754, 1998, 1795 }, { 30650, 2002, 1799 },
};

static void made_sets_have_the_papers_numbers(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < BENCH_PFAC_SETS; i++) {
        struct bench_dictionary dictionary;
        struct pfac *pfac = NULL;
        uint64_t characters = 0;

        assert_int_equal(bench_pfac_made(&bench_pfac_sets[i], &dictionary, &test_err), ERR_OK);
        assert_int_equal(pfac_build(dictionary.patterns, &pfac, &test_err), ERR_OK);
        assert_int_equal(dictionary.count, paper[i].finals);
        assert_int_equal(pfac->states, paper[i].states);
        assert_int_equal(pfac->states - pfac->finding, paper[i].finals);
        assert_int_equal(pfac_leaves(pfac), paper[i].leaves);
        for (uint32_t k = 0; k < dictionary.count; k++)
            characters += match_dictionary_get(dictionary.patterns, k)->len;
        if (paper[i].states == 27754)
            assert_int_equal(characters, 41997);
        assert_true(dictionary.longest <= 243 && dictionary.shortest >= 1);
        pfac_destroy(pfac);
        bench_dictionary_close(&dictionary);
    }
}

/* As large a tree as the benchmark makes: tails are long, and nodes near the root full. */
static void large_sets_have_their_numbers(void **state)
{
    static const struct bench_pfac_set sets[] = { { 200000, 100000, 95000, 0 },
                                                  { 3000000, 100000, 95000, 0 } };

    (void)state;
    for (uint32_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        struct bench_dictionary dictionary;
        struct pfac *pfac = NULL;

        assert_int_equal(bench_pfac_made(&sets[i], &dictionary, &test_err), ERR_OK);
        assert_int_equal(pfac_build(dictionary.patterns, &pfac, &test_err), ERR_OK);
        assert_int_equal(dictionary.count, sets[i].finals);
        assert_int_equal(pfac->states, sets[i].states);
        assert_int_equal(pfac_leaves(pfac), sets[i].leaves);
        assert_true(dictionary.longest <= 243);
        pfac_destroy(pfac);
        bench_dictionary_close(&dictionary);
    }
}

/* Table 3: a fiftieth of the plain table; and perfect hashing stays under 5 R cells. */
static void tables_have_the_papers_sizes(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < BENCH_PFAC_SETS; i++) {
        struct bench_dictionary dictionary;
        struct pfac_table table;
        struct pfac *pfac = NULL;

        assert_int_equal(bench_pfac_made(&bench_pfac_sets[i], &dictionary, &test_err), ERR_OK);
        assert_int_equal(pfac_build(dictionary.patterns, &pfac, &test_err), ERR_OK);
        assert_int_equal(pfac_table_build(pfac, PFAC_MFPH, &table, &test_err), ERR_OK);
        assert_true(pfac_table_rate(pfac, &table) <= 0.02);
        pfac_table_release(&table);
        assert_int_equal(pfac_table_build(pfac, PFAC_PH, &table, &test_err), ERR_OK);
        assert_true(table.slots < (uint64_t)5 * pfac_edges(pfac));
        assert_true(pfac_table_rate(pfac, &table) > 0.02);
        pfac_table_release(&table);
        pfac_destroy(pfac);
        bench_dictionary_close(&dictionary);
    }
}

static bool has(const uint8_t *text, size_t len, const struct match_pattern *pattern)
{
    return memmem(text, len, pattern->bytes, pattern->len) != NULL;
}

static void texts_hold_what_they_should(void **state)
{
    enum { LEN = 200000 };
    static uint8_t text[LEN + 1];
    struct bench_dictionary dictionary;
    uint32_t regular = 0, worst = 0;

    (void)state;
    assert_int_equal(bench_pfac_made(&bench_pfac_sets[4], &dictionary, &test_err), ERR_OK);
    text[LEN] = 0x5a;
    bench_pfac_regular(&dictionary, text, LEN);
    for (uint32_t i = 0; i < dictionary.count; i++)
        regular += match_dictionary_get(dictionary.patterns, i)->len >= 8 &&
                   has(text, LEN, match_dictionary_get(dictionary.patterns, i));
    bench_pfac_worst(&dictionary, text, LEN);
    for (uint32_t i = 0; i < dictionary.count; i++)
        worst += match_dictionary_get(dictionary.patterns, i)->len >= 8 &&
                 has(text, LEN, match_dictionary_get(dictionary.patterns, i));
    assert_int_equal(text[LEN], 0x5a);
    assert_true(regular > 0 && regular < 20);
    assert_true(worst > dictionary.count / 2);
    bench_dictionary_close(&dictionary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_sets_have_the_papers_numbers),
        cmocka_unit_test(large_sets_have_their_numbers),
        cmocka_unit_test(tables_have_the_papers_sizes),
        cmocka_unit_test(texts_hold_what_they_should),
    };
    return cmocka_run_group_tests_name("bench pfac", tests, NULL, NULL);
}
