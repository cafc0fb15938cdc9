/* SPDX-License-Identifier: Apache-2.0
 * tests/match/engine_test.h - one engine, asked directly: long texts against the oracle, and a
 * keyword list of the greatest size.
 */
#ifndef BURIN_TESTS_MATCH_ENGINE_TEST_H
#define BURIN_TESTS_MATCH_ENGINE_TEST_H

#include "tests/match/match_test.h"

/*
 * Compiles the dictionary with an engine, scans the whole text in stretches of odd lengths, and
 * compares with the oracle's hits. Then with room for one hit less than there are: the engine must
 * say so and leave the sink as it was.
 */
static inline void test_engine_agrees(const struct match_engine *engine,
                                      const struct match_dictionary *dictionary, uint32_t threads,
                                      const uint8_t *text, uint32_t len,
                                      const struct test_hits *want)
{
    const struct match_setup setup = { .threads = threads, .segment_len = len };
    const struct match_text whole = { .bytes = text, .len = len, .offset = 1u << 20 };
    struct match_sink sink = { .items = malloc((want->count + 1u) * sizeof *sink.items),
                               .max = want->count };
    struct test_hits got = { 0 };
    void *program = NULL;
    uint32_t from = 0;

    assert_non_null(sink.items);
    TEST_OK(engine->compile(dictionary, &setup, &program, &test_err));
    for (uint32_t step = 1; from < len; step = step * 3 + 1) {
        const uint32_t to = len - from < step ? len : from + step;

        if (!engine->scan(program, &whole, from, to, &sink))
            fail_msg("%s: more hits than the oracle's %u", engine->name, want->count);
        from = to;
    }
    test_hits_add(&got, sink.items, sink.count);
    test_hits_sort(&got);
    if (!test_hits_equal(want, &got))
        fail_msg("%s, %u threads: %u hits, the oracle has %u", engine->name, threads, got.count,
                 want->count);
    if (want->count > 0) {
        sink.count = 1;
        assert_false(engine->scan(program, &whole, 0, len, &sink));
        assert_int_equal(sink.count, 1);
        sink.count = 0;
        assert_true(engine->scan(program, &whole, 0, len, &sink));
        assert_int_equal(sink.count, want->count);
    }
    engine->release(program);
    engine->release(NULL);
    free(sink.items);
    free(got.items);
}

enum { TEST_LONG = 70000, TEST_WORDS_LEN = 200000 };

/* Runs of zeros and of random bytes of a small alphabet, with patterns planted close to every
 * multiple of 512. */
static inline void test_long_text(const struct match_dictionary *dictionary, uint32_t alphabet,
                                  uint64_t *random, uint8_t *text)
{
    for (uint32_t i = 0; i < TEST_LONG;) {
        const bool zeros = test_random(random, 3) == 0;

        for (uint32_t run = test_random(random, 9000); run > 0 && i < TEST_LONG; run--)
            text[i++] = zeros ? 0 : (uint8_t)('A' + test_random(random, alphabet));
    }
    for (uint32_t edge = 512; edge < TEST_LONG - 512; edge += 512) {
        const struct match_pattern *pattern = match_dictionary_get(
            dictionary, test_random(random, match_dictionary_count(dictionary)));

        memcpy(text + edge - test_random(random, pattern->len + 2), pattern->bytes, pattern->len);
    }
}

static inline void test_long_patterns(struct match_dictionary *dictionary, uint32_t count,
                                      uint32_t least, uint32_t alphabet, uint64_t *random)
{
    static const uint8_t masks[] = { 0xff, 0xff, 0xff, 0, 0xdf, 0xf0 };

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t len =
            least + test_random(random, test_random(random, 8) ? 8 : LIMIT_PATTERN_LEN - least);
        uint8_t bytes[LIMIT_PATTERN_LEN], mask[LIMIT_PATTERN_LEN];

        for (uint32_t k = 0; k < len; k++) {
            bytes[k] = (uint8_t)('A' + test_random(random, alphabet));
            mask[k] = masks[test_random(random, sizeof masks)];
        }
        mask[test_random(random, len)] = 0xf8;
        test_add(dictionary, bytes, i % 4 == 0 ? mask : NULL, len, i % 5 == 0);
    }
}

/* Long texts with few and many patterns, short and long ones; then zeros under patterns of zeros, a
 * hit at every byte. */
static inline void test_long_texts(const struct match_engine *engine, uint32_t threads)
{
    static const uint32_t launches[][3] = {
        { 1, 4, 100 }, { 40, 3, 60 }, { 40, 1, 90 }, { 30, 20, 40 }, { 200, 5, 26 }
    };
    uint8_t *text = malloc(TEST_LONG);

    assert_non_null(text);
    for (uint32_t i = 0; i <= sizeof launches / sizeof launches[0]; i++) {
        struct match_dictionary *dictionary = NULL;
        struct test_hits want = { 0 };
        uint64_t random = 91 + i;

        TEST_OK(match_dictionary_create(&dictionary, &test_err));
        if (i < sizeof launches / sizeof launches[0]) {
            test_long_patterns(dictionary, launches[i][0], launches[i][1], launches[i][2], &random);
            test_long_text(dictionary, launches[i][2], &random, text);
        } else {
            test_add(dictionary, "\0\0\0\0", NULL, 4, false);
            test_add(dictionary, "\0\0\0\1", NULL, 4, false);
            test_add(dictionary, "\0", NULL, 1, false);
            memset(text, 0, TEST_LONG);
        }
        test_oracle(dictionary, text, TEST_LONG, 1u << 20, &want);
        assert_true(want.count > 50);
        test_engine_agrees(engine, dictionary, threads, text, TEST_LONG, &want);
        match_dictionary_destroy(dictionary);
        free(want.items);
    }
    free(text);
}

/*
 * 100,000 folded words of one length, 20,000 of them the same: the numbers in six
 * digits, in letters. Every thousandth is planted in a text of dots, in capitals.
 */
static inline void test_keyword_list(const struct match_engine *engine, uint32_t threads)
{
    enum { LEN = 9, COUNT = 100000, SAME = 20000, EVERY = 1000 };
    struct match_dictionary *dictionary = NULL;
    struct test_hits want = { 0 };
    uint8_t *text = malloc(TEST_WORDS_LEN);

    assert_non_null(text);
    memset(text, '.', TEST_WORDS_LEN);
    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t number = i < SAME ? 0 : i;
        uint8_t word[LEN] = "key";

        for (uint32_t k = LEN, rest = number; k-- > 3; rest /= 10)
            word[k] = (uint8_t)('a' + rest % 10);
        test_add(dictionary, word, NULL, LEN, true);
        if (i >= SAME && i % EVERY == 0) {
            const uint32_t at = i / EVERY * 1999;
            const struct hit hit = { .offset = (1u << 20) + at, .pattern = i, .len = LEN };

            for (uint32_t k = 0; k < LEN; k++)
                text[at + k] = (uint8_t)(word[k] ^ 0x20);
            test_hits_add(&want, &hit, 1);
        }
    }
    memcpy(text, "KEYaaaaaa", LEN);
    for (uint32_t i = 0; i < SAME; i++)
        test_hits_add(&want, &(struct hit){ .offset = 1u << 20, .pattern = i, .len = LEN }, 1);
    test_hits_sort(&want);
    test_engine_agrees(engine, dictionary, threads, text, TEST_WORDS_LEN, &want);
    match_dictionary_destroy(dictionary);
    free(want.items);
    free(text);
}

#endif
