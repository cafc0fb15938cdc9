/* SPDX-License-Identifier: Apache-2.0
 * tests/match/device_test.h - what the tests of engines with a device behind them share: a text and
 * what the oracle finds in it, a scan on the stand-in, and each test run for each engine.
 */
#ifndef BURIN_TESTS_MATCH_DEVICE_TEST_H
#define BURIN_TESTS_MATCH_DEVICE_TEST_H

#include <stdalign.h>
#include <stdio.h>

#include "match/device/device_host.h"
#include "tests/match/match_test.h"

enum {
    /* A device is lost at each call: the square of its length. */
    DEVICE_TEST_TEXT = ASAN_OR_ALL(4500, 20000),
    DEVICE_TEST_OFFSET = 1000, /* of the text in its image */
    DEVICE_TEST_MEMORY = 64 << 20,
    DEVICE_TEST_LINE = 1024,
    DEVICE_TEST_TESTS = 512,
};

struct device_test {
    struct match_dictionary *dictionary;
    alignas(16)
        uint8_t text[DEVICE_TEST_TEXT]; /* devices that read it from here read 16 bytes at a time */
    uint32_t len;                       /* of the text that is scanned */
    struct test_hits want;
};

/* From now on the first len bytes of the text are scanned. */
static inline void device_test_take(struct device_test *t, uint32_t len)
{
    t->len = len;
    t->want.count = 0;
    test_oracle(t->dictionary, t->text, len, DEVICE_TEST_OFFSET, &t->want);
    assert_true(t->want.count > len / 20);
}

/* Letters that match often, with runs of zeros, so that some stretches are dense and some empty. */
static inline void device_test_open(struct device_test *t)
{
    static const uint8_t letters[] = "abcABC\xff\xe3\0\1";
    uint64_t seed = 0xdeed;

    *t = (struct device_test){ 0 };
    TEST_OK(match_dictionary_create(&t->dictionary, &test_err));
    test_add(t->dictionary, "ab", NULL, 2, false);
    test_add(t->dictionary, "b", NULL, 1, false);
    test_add(t->dictionary, "abcabc", NULL, 6, true);
    test_add(t->dictionary, "c??????????a", "\xff\0\0\0\0\0\0\0\0\0\0\xff", 12, false);
    test_add(t->dictionary, "\xff\xe0", "\xff\xe0", 2, false);
    test_add(t->dictionary, "\0\0\0\1", NULL, 4, false);
    test_add(t->dictionary, "aabbccaabbccaabbcc", NULL, 18, true);
    for (uint32_t i = 0; i < DEVICE_TEST_TEXT; i++)
        t->text[i] = i / 700 % 3 == 1 ? 0 : letters[test_random(&seed, 10)];
    memcpy(t->text + DEVICE_TEST_TEXT / 2, "aabbccAABBCCaabbcc", 18);
    device_test_take(t, DEVICE_TEST_TEXT);
}

static inline void device_test_close(struct device_test *t)
{
    match_dictionary_destroy(t->dictionary);
    free(t->want.items);
}

/* What a scan leaves besides its hits. */
struct device_test_outcome {
    uint32_t warnings; /* lines of them */
    char last[DEVICE_TEST_LINE], why[DEVICE_TEST_LINE];
};

/* Scans the text in segments of options.segment_len, and fails unless the hits are the oracle's;
 * what goes into the message. */
static inline struct device_test_outcome device_test_scan(const struct device_test *t,
                                                          const struct match_options *options,
                                                          const char *what)
{
    struct match_matcher *matcher = NULL;
    struct test_hits got = { 0 };
    struct device_test_outcome outcome = { 0 };
    char line[DEVICE_TEST_LINE];
    uint32_t cuts[DEVICE_TEST_TEXT], count = 0;

    for (uint32_t at = options->segment_len; at < t->len; at += options->segment_len)
        cuts[count++] = at;
    TEST_OK(match_open(t->dictionary, options, &matcher, &test_err));
    test_scan(matcher, t->text, t->len, DEVICE_TEST_OFFSET, cuts, count, &got);
    while (match_warning(matcher, line, sizeof line)) {
        outcome.warnings++;
        memcpy(outcome.last, line, sizeof line);
    }
    match_engine_why(matcher, outcome.why, sizeof outcome.why);
    match_close(matcher);
    test_hits_sort(&got);
    if (!test_hits_equal(&t->want, &got))
        fail_msg("%s, %s, strategy %d, %u slots, segments of %u, %u hits: %u hits, want %u",
                 options->engine, what, (int)options->strategy, options->slots,
                 options->segment_len, options->hits_max, got.count, t->want.count);
    free(got.items);
    return outcome;
}

/* The same on a stand-in, of which nothing may stay open. */
static inline struct device_test_outcome device_test_check(const struct device_test *t,
                                                           struct match_options options,
                                                           struct device_host *host,
                                                           const char *what)
{
    const struct device_provider provider = device_host_provider(host);

    options.devices = &provider;
    const struct device_test_outcome outcome = device_test_scan(t, &options, what);
    assert_int_equal(host->in_use, 0);
    assert_int_equal(host->open, 0);
    return outcome;
}

struct device_test_each {
    const char *name;
    void (*run)(void **state); /* *state is the engine */
};

#define DEVICE_TEST_EACH(test)                                                                     \
    {                                                                                              \
#test, test                                                                                \
    }

/* Runs each test for each engine, named "ENGINE: name of the test". A first argument chooses among
 * them: "*real device*". */
static inline int device_test_main(const char *group, const struct device_test_each *each,
                                   uint32_t each_count, const char *const *engines,
                                   uint32_t engine_count, char **argv)
{
    enum { NAME = 96 };
    static char names[DEVICE_TEST_TESTS][NAME];
    static struct CMUnitTest tests[DEVICE_TEST_TESTS];
    const uint32_t count = each_count * engine_count;

    if (count > DEVICE_TEST_TESTS)
        return 1;
    for (uint32_t i = 0; i < count; i++) {
        const struct match_engine *engine = match_engine_named(engines[i / each_count]);
        const struct device_test_each *test = &each[i % each_count];

        snprintf(names[i], NAME, "%s: %s", engine->name, test->name);
        for (char *c = names[i]; *c != '\0'; c++)
            *c = *c == '_' ? ' ' : *c;
        tests[i] = (struct CMUnitTest){ .name = names[i],
                                        .test_func = test->run,
                                        .initial_state = (void *)(uintptr_t)engine };
    }
    if (argv[1] != NULL)
        cmocka_set_test_filter(argv[1]);
    return _cmocka_run_group_tests(group, tests, count, NULL, NULL);
}

#endif
