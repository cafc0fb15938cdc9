/* SPDX-License-Identifier: Apache-2.0
 * tests/match/regex/test_regex_limits.c - no expression takes more stack, memory or patience than
 * there is.
 *
 * Method: expressions made to be slow, deep or large are compiled and looked for in a thread with a
 * stack of 256 KiB; the bytes of dictionaries are asked for; a scan is told to stop.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "base/thread.h"
#include "match/regex.h"
#include "tests/match/match_test.h"

enum { STACK = 256 * 1024, TEXT = 64 * 1024 };

static const uint32_t REFUSED = UINT32_MAX;

/*
 * Hits of one expression in a text that repeats `text`, scanned in one segment; REFUSED when it is
 * refused, with the reason in *err. Asserts nothing, so that any thread may call it.
 */
static uint32_t hits_of(const char *expression, const char *text, struct err *err)
{
    const struct match_options options = { .threads = 1, .slots = 1, .segment_len = TEXT };
    const struct match_segment segment = { .fresh_len = TEXT, .ends_range = true };
    const struct match_pattern pattern = { .kind = MATCH_REGEX,
                                           .bytes = (const uint8_t *)expression,
                                           .len = (uint32_t)strlen(expression) };
    struct match_dictionary *dictionary = NULL;
    struct match_matcher *matcher = NULL;
    struct match_hits hits = { .more = true };
    uint32_t count = 0, index;

    enum err_code rc = match_dictionary_create(&dictionary, err);
    if (rc == ERR_OK)
        rc = match_dictionary_add(dictionary, &pattern, &index, err);
    if (rc == ERR_OK)
        rc = match_open(dictionary, &options, &matcher, err);
    for (uint32_t i = 0; i < TEXT && rc == ERR_OK; i++)
        match_slot_bytes(matcher, 0)[i] = (uint8_t)text[i % strlen(text)];
    if (rc == ERR_OK)
        match_submit(matcher, 0, &segment);
    while (rc == ERR_OK && hits.more) {
        rc = match_collect(matcher, 0, &hits, err);
        count += hits.count;
    }
    match_close(matcher);
    match_dictionary_destroy(dictionary);
    return rc == ERR_OK ? count : REFUSED;
}

/*
 * Expressions that were slow, deep or large for other matchers, and what they find in TEXT bytes
 * that repeat a text.
 */
static const struct hard {
    const char *expression, *text;
    uint32_t none;   /* starts without a match */
    const char *why; /* else NULL: it is refused for this */
} hard[] = {
    { "[^x]+", "a", 0, NULL },
    { ".*", "ab", 0, NULL },
    { ".*.*.*.*b", "ab", 0, NULL },
    { ".*zq", "zq", 1, NULL }, /* the q at the end */
    { "(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)[^x]z", "az", 1, NULL },
    { "(.{1,200}){1,200}x", "ax", 1, NULL },
    { "((a{1,255}){1,255}){1,255}", "a", 0, NULL },
    { "(a{1,255}){1,255}", "a", 0, NULL },
    { "(a*)*b?", "a", 0, NULL },
    { "(a|aa)+", "a", 0, NULL },
    { "(a|b)*a(a|b){12}", "ab", 13, NULL }, /* an a must stand 12 bytes before the end or further */
    { "((a|b)?c?){1,100}", "abc", 0, NULL },
    { "(.{0,250}){4}", "a", 0, NULL },
    { "a.{0,200}a.{0,200}a", "a", 2, NULL },
    { "([ab]{1,9}c){1,20}", "ac", TEXT / 2, NULL }, /* none begins with a c */
    { "(.*a){20}", "a", 19, NULL },
    { "a{300,}", "a", 299, NULL },
    { "((a{200}){200}){5}", "a", 0, "200000 bytes" },
    { "((a{100}){100}){20}", "a", 0, "200000 bytes" },
    { "((a|bc){255}){255}", "a", 0, "at most 4096" },
    { "((ab|c){255}){9}", "a", 0, "at most 4096" },
    { "(a{255}){255}{255}{255}{255}", "a", 0, "at most 4096" },
    { "(a{255}){5}", "a", 0, "1024 bytes or fewer" },
    { "(.*a.{9,99}b){20}", "a", 0, "smaller counts" },
};

enum { HARD = sizeof hard / sizeof hard[0], DEEP = 4 };

/*
 * Groups in groups, alternatives in a row, repeats of repeats, a long text: as many as an
 * expression has bytes for.
 */
static void write_deep(uint32_t which, char out[LIMIT_PATTERN_LEN + 1])
{
    memset(out, which == 3 ? 'a' : '(', LIMIT_PATTERN_LEN);
    out[LIMIT_PATTERN_LEN] = '\0';
    if (which == 0) {
        out[127] = 'a';
        memset(out + 128, ')', 127);
    } else if (which == 1) {
        for (uint32_t i = 0; i < 254; i += 2)
            memcpy(out + i, "b|", 2);
        out[254] = 'a';
    } else if (which == 2) {
        out[84] = 'a';
        for (uint32_t i = 0; i < 84; i++)
            memcpy(out + 85 + i * 2, ")?", 2);
        out[85 + 2 * 84] = '\0';
    }
}

struct answers {
    uint32_t hard[HARD], deep[DEEP];
    struct err err[HARD];
};

static void *answer_all(void *arg)
{
    struct answers *answers = arg;
    char text[LIMIT_PATTERN_LEN + 1];
    struct err err;

    for (uint32_t i = 0; i < HARD; i++)
        answers->hard[i] = hits_of(hard[i].expression, hard[i].text, &answers->err[i]);
    for (uint32_t i = 0; i < DEEP; i++) {
        write_deep(i, text);
        answers->deep[i] = hits_of(text, "a", &err);
    }
    return NULL;
}

/* Threads that search get stacks of the default size: it is made as small. */
static void hard_expressions_need_little_stack(void **state)
{
    struct answers *answers = calloc(1, sizeof *answers);
    pthread_attr_t attributes, before;
    pthread_t thread;

    (void)state;
    assert_non_null(answers);
    assert_int_equal(pthread_getattr_default_np(&before), 0);
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, STACK), 0);
    assert_int_equal(pthread_setattr_default_np(&attributes), 0);
    assert_int_equal(pthread_create(&thread, &attributes, answer_all, answers), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(pthread_setattr_default_np(&before), 0);
    pthread_attr_destroy(&attributes);
    for (uint32_t i = 0; i < HARD; i++) {
        const struct hard *h = &hard[i];

        if (h->why == NULL && answers->hard[i] != TEXT - h->none)
            fail_msg("/%s/: %u hits, want %u", h->expression, answers->hard[i], TEXT - h->none);
        if (h->why != NULL &&
            (answers->hard[i] != REFUSED || strstr(answers->err[i].text, h->why) == NULL))
            fail_msg("/%s/: not refused for %s: %s", h->expression, h->why, answers->err[i].text);
    }
    for (uint32_t i = 0; i < DEEP; i++)
        assert_int_equal(answers->deep[i], i < 3 ? TEXT : TEXT - LIMIT_PATTERN_LEN + 1);
    free(answers);
}

static struct match_regexes *open_many(struct match_dictionary *dictionary, uint32_t threads,
                                       enum err_code want)
{
    struct match_regexes *regexes = NULL;

    assert_int_equal(match_regexes_open(dictionary, threads, &regexes, &test_err), want);
    if (want == ERR_OK)
        assert_in_range(match_regexes_bytes(regexes), 1, LIMIT_REGEX_MEMORY);
    return regexes;
}

static void memory_is_bounded(void **state)
{
    /* So many fill what there is, and each takes milliseconds under ASan. */
    enum { SOME = ASAN_OR_ALL(200, 1000), MOST = ASAN_OR_ALL(200, 12000) };
    static const char *const large[] = { "[a-c]*x.{0,250}a.{0,250}", "a.{200}b.{200}c.{200}",
                                         "(a|b)*a(a|b){200}",
                                         "[a-f]{1,99}@[a-k.]{1,255}\\.[a-z]{2,6}" };
    struct match_dictionary *dictionary = NULL;

    (void)state;
    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    for (uint32_t i = 0; i < 4; i++)
        test_add_regex(dictionary, large[i], false);
    match_regexes_close(open_many(dictionary, 1, ERR_OK));
    match_regexes_close(open_many(dictionary, LIMIT_THREADS, ERR_OK));
    for (uint32_t i = 4; i < SOME; i++)
        test_add_regex(dictionary, large[i % 4], i / 4 % 2 == 1);
    match_regexes_close(open_many(dictionary, LIMIT_THREADS, ERR_OK));
    for (uint32_t i = SOME; i < MOST; i++)
        test_add_regex(dictionary, large[i % 4], false);
    if (MOST > SOME) {
        assert_null(open_many(dictionary, 1, ERR_FULL));
        assert_non_null(strstr(test_err.text, "64 MiB"));
    }
    match_dictionary_destroy(dictionary);
}

/* A text in segments; one thread scans it with a matcher of its own. */
struct sharer {
    struct match_matcher *matcher;
    struct thread thread;
    const uint8_t *text;
    const uint32_t *cuts;
    struct test_hits got;
};

enum { SHARED_SEGMENT = 32768, SHARED_SEGMENTS = 2, SHARED_LEN = SHARED_SEGMENT * SHARED_SEGMENTS };

/* Threads ask this also while they have working memory, which they keep: so others have to wait. */
static bool sleep_and_go_on(void)
{
    usleep(2000);
    return false;
}

static void scan_shared(void *arg)
{
    struct sharer *sharer = arg;

    test_scan(sharer->matcher, sharer->text, SHARED_LEN, 0, sharer->cuts, SHARED_SEGMENTS - 1,
              &sharer->got);
    test_hits_sort(&sharer->got);
}

/*
 * More threads than there is working memory for, with half a MiB for each: they take turns, and
 * each finds what a thread finds that is alone.
 */
static void threads_share_what_memory_there_is(void **state)
{
    enum { THREADS = 160 };
    const struct match_options options = {
        .threads = THREADS, .slots = 1, .segment_len = SHARED_SEGMENT, .stop = sleep_and_go_on
    };
    const struct match_options one = { .threads = 1, .slots = 1, .segment_len = SHARED_SEGMENT };
    struct match_dictionary *dictionary = NULL;
    struct match_matcher *matcher = NULL;
    struct sharer *sharers = calloc(THREADS, sizeof *sharers);
    uint32_t cuts[SHARED_SEGMENTS];
    uint8_t *text = malloc(SHARED_LEN);
    uint64_t random = 5;

    (void)state;
    assert_non_null(text);
    assert_non_null(sharers);
    for (uint32_t i = 0; i < SHARED_LEN; i++)
        text[i] = (uint8_t) "abcx    "[test_random(&random, 8)];
    for (uint32_t i = 0; i < SHARED_SEGMENTS; i++)
        cuts[i] = (i + 1) * SHARED_SEGMENT;
    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    test_add_regex(dictionary, "[a-x]*(abcdefghijkl){1,80}(mnopqrstuvwx){1,80}(abcdefghijkl){1,80}",
                   false);
    test_add_regex(dictionary, "[ab]+c x", false);
    struct sharer alone = { .text = text, .cuts = cuts };
    TEST_OK(match_open(dictionary, &one, &alone.matcher, &test_err));
    scan_shared(&alone);
    match_close(alone.matcher);
    assert_true(alone.got.count > 100);
    TEST_OK(match_open(dictionary, &options, &matcher, &test_err));
    for (uint32_t i = 0; i < THREADS; i++) {
        sharers[i] = (struct sharer){ .text = text, .cuts = cuts };
        TEST_OK(match_share(matcher, 1, &sharers[i].matcher, &test_err));
        TEST_OK(thread_start(&sharers[i].thread, "sharer", scan_shared, &sharers[i], &test_err));
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        thread_join(&sharers[i].thread);
        assert_true(test_hits_equal(&alone.got, &sharers[i].got));
        match_close(sharers[i].matcher);
        free(sharers[i].got.items);
    }
    match_close(matcher);
    match_dictionary_destroy(dictionary);
    free(alone.got.items);
    free(sharers);
    free(text);
}

static _Atomic uint32_t asked; /* how often */

static bool stop_later(void)
{
    return atomic_fetch_add(&asked, 1) >= 3;
}

/* 4 MiB of a slow text, and a wish to stop that comes after some of it. */
static void a_scan_stops_when_asked_to(void **state)
{
    enum { LEN = 4 << 20 };
    const struct match_options options = {
        .threads = 2, .slots = 2, .segment_len = LEN, .stop = stop_later
    };
    const struct match_segment segment = { .fresh_len = LEN, .ends_range = true };
    struct match_dictionary *dictionary = NULL;
    struct match_matcher *matcher = NULL;
    struct match_hits hits;

    (void)state;
    atomic_store(&asked, 0);
    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    test_add_regex(dictionary, "[^x]+y", false);
    TEST_OK(match_open(dictionary, &options, &matcher, &test_err));
    memset(match_slot_bytes(matcher, 0), 'a', LEN);
    memset(match_slot_bytes(matcher, 0) + LEN / 2, 'y', LEN / 2);
    match_submit(matcher, 0, &segment);
    enum err_code rc;
    do
        rc = match_collect(matcher, 0, &hits, &test_err);
    while (rc == ERR_OK && hits.more);
    assert_int_equal(rc, ERR_INTERRUPTED);
    assert_int_equal(hits.count, 0);
    assert_true(atomic_load(&asked) < 10);
    match_close(matcher);
    match_dictionary_destroy(dictionary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hard_expressions_need_little_stack),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(threads_share_what_memory_there_is),
        cmocka_unit_test(a_scan_stops_when_asked_to),
    };
    return cmocka_run_group_tests_name("limits of expressions", tests, NULL, NULL);
}
