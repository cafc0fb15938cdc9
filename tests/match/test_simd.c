/*
 * tests/match/test_simd.c - both forms of the vector filter find what the oracle finds.
 *
 * The engine takes the best form a machine has, so the tests of all engines see one of them only; here each runs by itself, where
 * the processor can. Method: random patterns over a small alphabet with masks and folding, random text, hits compared one by one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "match/simd.h"

enum { TEXT = 4096, SLACK = SIMD_WINDOW + 128, HITS = 200000, ROUNDS = 150 };

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static struct match_dictionary *make_dictionary(uint64_t *seed)
{
    const uint32_t count = 1 + (uint32_t)(next_random(seed) % 40);
    struct match_dictionary *dictionary;
    uint32_t index;

    assert_int_equal(match_dictionary_create(&dictionary, NULL), ERR_OK);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t bytes[20], mask[20];
        const uint32_t len = 1 + (uint32_t)(next_random(seed) % 12);

        for (uint32_t k = 0; k < len; k++) {
            bytes[k] = (uint8_t) "abA\0\xff"[next_random(seed) % 5];
            mask[k] = k > 0 && next_random(seed) % 5 == 0 ? (uint8_t)(next_random(seed) % 2 == 0 ? 0 : 0xf0) : 0xff;
        }
        const struct match_pattern pattern = { .bytes = bytes,
                                               .mask = next_random(seed) % 2 == 0 ? mask : NULL,
                                               .len = len,
                                               .fold_case = next_random(seed) % 3 == 0 };
        assert_int_equal(match_dictionary_add(dictionary, &pattern, &index, NULL), ERR_OK);
    }
    return dictionary;
}

static int before(const void *a, const void *b)
{
    const struct hit *x = a, *y = b;

    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return (x->pattern > y->pattern) - (x->pattern < y->pattern);
}

static void check_form(bool (*form)(const struct simd_scan *, uint32_t, uint32_t))
{
    static struct hit got_items[HITS], want_items[HITS];
    uint8_t *text = malloc(TEXT + SLACK);
    uint64_t seed = 7;
    uint64_t total = 0;

    assert_non_null(text);
    for (int round = 0; round < ROUNDS; round++) {
        struct match_dictionary *dictionary = make_dictionary(&seed);
        struct match_sink got = { got_items, 0, HITS }, want = { want_items, 0, HITS };
        struct simd_program *program;
        void *oracle;

        for (uint32_t i = 0; i < TEXT + SLACK; i++)
            text[i] = (uint8_t)("abA\0\xff\x0f"
                                "B"[next_random(&seed) % 7]);
        /* The slack is there to be read, and nothing may be found in it. */
        const struct match_text in = { .bytes = text, .len = TEXT + SLACK, .offset = 1000 };
        const struct simd_scan scan = { .text = &in, .from = 0, .to = TEXT, .sink = &got };
        struct simd_scan run = scan;

        assert_int_equal(simd_build(dictionary, &program, NULL), ERR_OK);
        run.program = program;
        assert_true(form(&run, 0, TEXT));
        assert_int_equal(match_naive_engine.compile(dictionary, &(struct match_setup){ .threads = 1 }, &oracle, NULL),
                         ERR_OK);
        assert_true(match_naive_engine.scan(oracle, &in, 0, TEXT, &want));
        qsort(got_items, got.count, sizeof *got_items, before);
        qsort(want_items, want.count, sizeof *want_items, before);
        assert_int_equal(got.count, want.count);
        for (uint32_t i = 0; i < want.count; i++)
            assert_true(got_items[i].offset == want_items[i].offset && got_items[i].pattern == want_items[i].pattern &&
                        got_items[i].len == want_items[i].len);
        total += want.count;
        match_naive_engine.release(oracle);
        simd_destroy(program);
        match_dictionary_destroy(dictionary);
    }
    assert_true(total > 10000); /* or the test shows nothing */
    free(text);
}

static void the_avx2_form_finds_what_the_oracle_finds(void **state)
{
    (void)state;
    if (!__builtin_cpu_supports("avx2"))
        skip();
    check_form(simd_run_avx2);
}

static void the_avx512_form_finds_what_the_oracle_finds(void **state)
{
    (void)state;
    if (!__builtin_cpu_supports("avx512vbmi") || !__builtin_cpu_supports("avx512bw"))
        skip();
    check_form(simd_run_avx512);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_avx2_form_finds_what_the_oracle_finds),
        cmocka_unit_test(the_avx512_form_finds_what_the_oracle_finds),
    };
    return cmocka_run_group_tests_name("vector filter", tests, NULL, NULL);
}
