/* SPDX-License-Identifier: Apache-2.0
 * tests/match/simd/test_simd_dense.c - the plan of the vector engine for dense text, and its passes
 * one by one.
 *
 * Method: every form that the machine has makes its plan of a small dictionary; what the passes say
 * of a text is compared with what the tables say of it place by place, and hits with those of the
 * oracle.
 */
#include "match/simd/simd.h"
#include "tests/match/match_test.h"

enum { FORMS = 4, PIECE = SIMD_BEFORE + SIMD_DENSE_PIECE + SIMD_AROUND, SINK = 100000 };

static const struct {
    const struct simd_form *form;
    const struct match_engine *engine;
} forms[FORMS] = {
    { &simd_form_avx512, &match_simd_avx512_engine },
    { &simd_form_avx2, &match_simd_avx2_engine },
    { &simd_form_ssse3, &match_simd_ssse3_engine },
    { &simd_form_portable, &match_simd_portable_engine },
};

/* The buckets that the tables of the form accept at a place of dense text. */
static uint8_t buckets_at(const struct simd_form *form, const struct simd_plan *plan,
                          const uint8_t *at)
{
    uint32_t set = UINT8_MAX;

    for (uint32_t j = 0; j < form->depth; j++)
        set &= form->sharpness == SIMD_NIBBLES
                   ? plan->low[j][at[j] & 15] & plan->high[j][at[j] >> 4]
               : form->sharpness == SIMD_PAIRS ? plan->halves[j].table[at[j] & SIMD_HALF_MASK]
                                               : (uint32_t)(plan->columns[at[j]] >> 8 * j);
    for (uint32_t n = 0; form->sharpness == SIMD_PAIRS && n < SIMD_PAIRS_MAX; n++)
        set &= plan->pairs[n].table[simd_pair_number(at[2 * n] | (uint32_t)at[2 * n + 1] << 8)];
    return (uint8_t)set;
}

/* Few candidates, many in a block, or one at every place; as many blocks as are looked at together,
 * one less, one more. */
static void candidates_are_what_the_tables_say(void **state)
{
    static const char *const words[] = { "GIF8", "wOFF", "abab", "bbaa", "PNG\r", "RIFF" };
    static uint8_t text[PIECE];
    static struct simd_places candidates;
    const uint8_t *at = text + SIMD_BEFORE;
    uint64_t seed = 3;

    (void)state;
    for (uint32_t f = 0; f < FORMS; f++) {
        const struct simd_form *form = forms[f].form;
        struct match_dictionary *dictionary;
        struct simd_program *program;
        uint32_t most = 0;

        if (form->missing() != NULL)
            continue;
        TEST_OK(match_dictionary_create(&dictionary, &test_err));
        for (uint32_t i = 0; i < sizeof words / sizeof words[0]; i++)
            test_add(dictionary, words[i], NULL, 4, false);
        TEST_OK(simd_build(dictionary, form, &program, &test_err));
        const struct simd_plan *plan = simd_make_dense_plan(program);
        assert_non_null(plan);
        for (uint32_t round = 0; round < 60; round++) {
            const uint32_t blocks = round < 50 ? 1 + round : SIMD_DENSE_BLOCKS - round % 5;
            uint32_t count = 0, in_block = 0;

            for (uint32_t i = 0; i < PIECE; i++)
                text[i] = (uint8_t)(round % 3 == 0 ? 'a' + test_random(&seed, 2)
                                                   : test_random(&seed, 256));
            for (uint32_t i = 0; round % 3 == 1 && i + 4 <= PIECE; i += 1 + test_random(&seed, 30))
                memcpy(text + i, words[test_random(&seed, sizeof words / sizeof words[0])], 4);
            form->dense(plan, at, blocks, &candidates);
            for (uint32_t p = 0; p < blocks * SIMD_BLOCK; p++) {
                const uint8_t set = buckets_at(form, plan, at + p);

                in_block = p % SIMD_BLOCK == 0 ? 0 : in_block;
                if (set == 0)
                    continue;
                assert_true(count < candidates.count);
                assert_int_equal(candidates.places[count], p);
                assert_int_equal(candidates.buckets[form->sharpness == SIMD_PAIRS ? count : p],
                                 set);
                count++;
                in_block++;
                most = in_block > most ? in_block : most;
            }
            assert_int_equal(candidates.count, count);
        }
        assert_true(most > 8);
        simd_destroy(program);
        match_dictionary_destroy(dictionary);
    }
}

/* The only fingerprint of the first pattern is one of the others too, which have rarer ones of
 * their own. */
static void patterns_that_are_alike_get_fingerprints_of_their_own(void **state)
{
    static const char *const words[] = { "R...WAVE", "S...WAVE1234", "T...WAVE5678" };
    uint64_t seed = 21;

    (void)state;
    for (uint32_t f = 0; f < FORMS; f++) {
        struct match_dictionary *dictionary;
        struct simd_program *program;

        if (forms[f].form->missing() != NULL)
            continue;
        TEST_OK(match_dictionary_create(&dictionary, &test_err));
        for (uint32_t i = 0; i < sizeof words / sizeof words[0]; i++)
            test_add(dictionary, words[i],
                     (const uint8_t *)"\xff\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff",
                     (uint32_t)strlen(words[i]), false);
        for (uint32_t i = 0; i < 60; i++) {
            const uint32_t other = test_random(&seed, UINT32_MAX);

            test_add(dictionary, (const uint8_t *)&other, NULL, sizeof other, false);
        }
        TEST_OK(simd_build(dictionary, forms[f].form, &program, &test_err));
        const struct simd_plan *plan = simd_make_dense_plan(program);
        assert_non_null(plan);
        assert_int_equal(plan->limits.several, plan->limits.whole);
        simd_destroy(program);
        match_dictionary_destroy(dictionary);
    }
}

/* All hits of an engine in the text, sorted. */
static uint32_t scan_all(const struct match_engine *engine,
                         const struct match_dictionary *dictionary, const uint8_t *bytes,
                         uint32_t len, struct hit *hits)
{
    const struct match_setup setup = { .threads = 1 };
    const struct match_text text = { .bytes = bytes, .len = len };
    struct match_sink sink = { .items = hits, .max = SINK };
    void *program;

    TEST_OK(engine->compile(dictionary, &setup, &program, &test_err));
    assert_true(engine->scan(program, &text, 0, len, &sink));
    engine->release(program);
    qsort(hits, sink.count, sizeof *hits, test_hit_order);
    return sink.count;
}

/*
 * Bytes for which the first line, which belongs to no pattern, holds: candidates without a pattern
 * lead to it, and to no hit. The fingerprints of both patterns together accept them.
 */
static void nothing_is_found_where_no_pattern_is(void **state)
{
    static const uint8_t patterns[][4] = { { 0xff, 0xff, 0xff, 0 },
                                           { 0, 0xff, 0xff, 0xff },
                                           { 0xff, 0, 0xff, 0xff } };
    static uint8_t text[8 * SIMD_PIECE];
    static struct hit got[SINK], wanted[SINK];
    uint64_t seed = 8;

    (void)state;
    for (uint32_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)(i % 61 == 0 ? test_random(&seed, 4) : 0xff);
    for (uint32_t i = 0; i < 3000; i++)
        memcpy(text + test_random(&seed, sizeof text - 4), patterns[test_random(&seed, 3)], 4);
    for (uint32_t f = 0; f < FORMS; f++) {
        struct match_dictionary *dictionary;

        if (forms[f].form->missing() != NULL)
            continue;
        TEST_OK(match_dictionary_create(&dictionary, &test_err));
        for (uint32_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
            test_add(dictionary, patterns[i], NULL, sizeof patterns[i], false);
        const uint32_t count = scan_all(&match_naive_engine, dictionary, text, sizeof text, wanted);
        assert_true(count > 1000);
        assert_int_equal(scan_all(forms[f].engine, dictionary, text, sizeof text, got), count);
        for (uint32_t i = 0; i < count; i++)
            assert_int_equal(test_hit_order(&got[i], &wanted[i]), 0);
        match_dictionary_destroy(dictionary);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_are_what_the_tables_say),
        cmocka_unit_test(patterns_that_are_alike_get_fingerprints_of_their_own),
        cmocka_unit_test(nothing_is_found_where_no_pattern_is),
    };
    return cmocka_run_group_tests_name("vector engine, dense text", tests, NULL, NULL);
}
