/* SPDX-License-Identifier: Apache-2.0
 * tests/match/test_devices_shared.c - matchers of several threads that share their devices, on the
 * stand-in on the host.
 *
 * Method: a matcher and some that share it scan the same text in a thread each, with devices that
 * are open before, open later, or fail at any call while a matcher is added or while all search.
 * Each must have the hits of the oracle, each device is opened once, and nothing may stay open.
 *
 * Labels: plain slow
 */
#include "base/thread.h"
#include "tests/match/device_test.h"

enum { SEGMENT = 1500, SLOTS = 3, CREW = 4, ROUNDS_MAX = 20000 };

struct crew {
    const struct device_test *test;
    struct device_host host;
    struct device_provider provider;
    struct match_matcher *matchers[CREW];
    struct test_hits got[CREW];
    uint32_t count;
    uint32_t more; /* times that each searches the text before its hits are looked at: matching is
                      most of what a thread does then */
};

static enum err_code crew_open(struct crew *crew, const struct device_test *t,
                               struct match_options options, uint32_t count)
{
    enum err_code rc;

    crew->test = t;
    crew->provider = device_host_provider(&crew->host);
    options.threads = options.threads > 0 ? options.threads : CREW;
    options.slots = SLOTS;
    options.segment_len = SEGMENT;
    options.devices = &crew->provider;
    rc = match_open(t->dictionary, &options, &crew->matchers[0], &test_err);
    crew->count = rc == ERR_OK;
    while (rc == ERR_OK && crew->count < count) {
        assert_true(match_can_share(crew->matchers[0]));
        rc = match_share(crew->matchers[0], SLOTS, &crew->matchers[crew->count], &test_err);
        crew->count += rc == ERR_OK;
    }
    return rc;
}

static void crew_close(struct crew *crew)
{
    while (crew->count > 0)
        match_close(crew->matchers[--crew->count]);
    assert_int_equal(crew->host.in_use, 0);
    assert_int_equal(crew->host.open, 0);
    device_host_release(&crew->host);
}

struct crew_thread {
    struct thread thread;
    struct crew *crew;
    uint32_t number;
};

static void crew_run(void *arg)
{
    const struct crew_thread *thread = arg;
    const struct device_test *t = thread->crew->test;
    struct test_hits *got = &thread->crew->got[thread->number];
    uint32_t cuts[DEVICE_TEST_TEXT / SEGMENT + 1], count = 0;

    for (uint32_t at = SEGMENT; at < t->len; at += SEGMENT)
        cuts[count++] = at;
    for (uint32_t i = 0; i <= thread->crew->more; i++) {
        got->count = 0;
        test_scan(thread->crew->matchers[thread->number], t->text, t->len, DEVICE_TEST_OFFSET, cuts,
                  count, got);
    }
}

/* All scan at a time. */
static void crew_scan(struct crew *crew)
{
    struct crew_thread threads[CREW];

    for (uint32_t i = 0; i < crew->count; i++) {
        crew->got[i] = (struct test_hits){ 0 };
        threads[i] = (struct crew_thread){ .crew = crew, .number = i };
        TEST_OK(thread_start(&threads[i].thread, "test", crew_run, &threads[i], &test_err));
    }
    for (uint32_t i = 0; i < crew->count; i++) {
        thread_join(&threads[i].thread);
        test_hits_sort(&crew->got[i]);
        assert_true(test_hits_equal(&crew->test->want, &crew->got[i]));
        free(crew->got[i].items);
    }
}

static uint64_t crew_calls(struct crew *crew, enum device_host_call call)
{
    pthread_mutex_lock(&crew->host.lock);
    const uint64_t calls = crew->host.calls[call];
    pthread_mutex_unlock(&crew->host.lock);
    return calls;
}

static void a_crew_opens_each_device_once(void **state)
{
    const struct match_engine *engine = *state;
    struct device_test t;

    device_test_open(&t);
    for (uint32_t devices = 1; devices <= 3; devices++)
        for (enum match_strategy s = MATCH_STRATEGY_AUTO; s <= MATCH_STRATEGY_B; s++) {
            const struct match_options options = { .engine = engine->name,
                                                   .strategy = s,
                                                   .device_mask = MATCH_DEVICES_ALL };
            char why[DEVICE_TEST_LINE], line[DEVICE_TEST_LINE];
            struct crew crew = { 0 };

            device_host_init(&crew.host, devices, DEVICE_TEST_MEMORY);
            TEST_OK(crew_open(&crew, &t, options, CREW));
            assert_int_equal(crew_calls(&crew, DEVICE_HOST_OPEN), devices);
            for (uint32_t i = 0; i < CREW; i++)
                assert_true(match_beside(crew.matchers[i]));
            crew_scan(&crew);
            assert_false(match_warning(crew.matchers[0], line, sizeof line));
            match_engine_why(crew.matchers[0], why, sizeof why);
            if (devices == 1) { /* the segments of all */
                snprintf(line, sizeof line, ": %u segments, ",
                         CREW * ((t.len + SEGMENT - 1) / SEGMENT));
                assert_non_null(strstr(why, line));
            }
            crew_close(&crew);
        }
    device_test_close(&t);
}

/* Of three that share, whichever call fails while they are opened: the error is told, or the crew
 * does without. */
static void a_crew_fails_whole(void **state)
{
    const struct match_engine *engine = *state;
    const struct match_options options = { .engine = engine->name };
    struct device_test t;

    device_test_open(&t);
    for (enum device_host_call call = 0; call < DEVICE_HOST_CALLS; call++)
        for (uint64_t at = 1;; at++) {
            struct crew crew = { 0 };

            device_host_init(&crew.host, 1, DEVICE_TEST_MEMORY);
            crew.host.fail_at[call] = at;
            crew.host.lost = at % 2 == 0;
            if (crew_open(&crew, &t, options, 3) == ERR_OK)
                crew_scan(&crew);
            else
                assert_non_null(strstr(test_err.text, "made to fail"));
            const bool failed = crew.host.failed;
            crew_close(&crew);
            if (!failed)
                break;
        }
    device_test_close(&t);
}

/* The device is lost at some call while all search: every one has its hits, and it is told once. */
static void a_crew_loses_its_device_once(void **state)
{
    static const uint64_t at[] = { 1, 2, 7, 20 };
    const struct match_engine *engine = *state;
    const struct match_options options = { .engine = engine->name };
    struct device_test t;

    device_test_open(&t);
    for (enum device_host_call call = DEVICE_HOST_COPY; call <= DEVICE_HOST_WAIT; call++)
        for (uint32_t i = 0; i < sizeof at / sizeof at[0]; i++) {
            char line[DEVICE_TEST_LINE];
            uint32_t told = 0;
            struct crew crew = { 0 };

            device_host_init(&crew.host, 1, DEVICE_TEST_MEMORY);
            TEST_OK(crew_open(&crew, &t, options, CREW));
            crew.host.fail_at[call] = crew.host.calls[call] + at[i];
            crew.host.lost = true;
            crew_scan(&crew);
            for (uint32_t k = 0; k < CREW; k++)
                while (match_warning(crew.matchers[k], line, sizeof line))
                    told++;
            assert_int_equal(told, crew.host.failed);
            assert_int_equal(match_beside(crew.matchers[1]), !crew.host.failed);
            crew_scan(&crew); /* without it */
            crew_close(&crew);
        }
    device_test_close(&t);
}

/* It opens while some search, and others are only being added. */
static void a_late_device_serves_the_whole_crew(void **state)
{
    const struct match_engine *engine = *state;
    const struct match_options options = { .engine = engine->name, .devices_later = true };
    struct device_test t;

    device_test_open(&t);
    for (uint32_t open_ms = 0; open_ms <= 20; open_ms += 4) {
        struct crew crew = { 0 };
        uint32_t rounds = 0;

        device_host_init(&crew.host, 1, DEVICE_TEST_MEMORY);
        crew.host.open_ms = open_ms;
        TEST_OK(crew_open(&crew, &t, options, CREW));
        for (; crew_calls(&crew, DEVICE_HOST_LAUNCH) == 0 && rounds < ROUNDS_MAX; rounds++)
            crew_scan(&crew);
        assert_true(rounds < ROUNDS_MAX);
        crew_scan(&crew);
        assert_int_equal(crew_calls(&crew, DEVICE_HOST_OPEN), 1);
        crew_close(&crew);
    }
    device_test_close(&t);
}

/* Hardly anything is left: no device is opened, which is no warning, and the CPU's engine is named.
 */
static void a_device_of_no_use_is_not_started(void **state)
{
    const struct match_engine *engine = *state;
    const struct match_options options = {
        .engine = engine->name, .devices_later = true, .devices_auto = true, .device_delay = 1
    };
    char line[DEVICE_TEST_LINE];
    struct crew crew = { 0 };
    struct device_test t;

    device_test_open(&t);
    device_host_init(&crew.host, 1, DEVICE_TEST_MEMORY);
    TEST_OK(crew_open(&crew, &t, options, CREW));
    match_expect(crew.matchers[1], DEVICE_TEST_TEXT);
    for (uint32_t i = 0; i < 5; i++)
        crew_scan(&crew);
    assert_int_equal(crew_calls(&crew, DEVICE_HOST_OPEN), 0);
    assert_false(match_warning(crew.matchers[0], line, sizeof line));
    match_engine_why(crew.matchers[0], line, sizeof line);
    assert_non_null(strstr(line, "no device was used"));
    assert_false(match_beside(crew.matchers[0]));
    assert_string_not_equal(match_engine(crew.matchers[0]), engine->name);
    assert_string_equal(match_engine(crew.matchers[1]), match_engine(crew.matchers[0]));
    crew_close(&crew);
    device_test_close(&t);
}

/*
 * Years of matching are left: the device goes to work. One that cannot be opened is no warning.
 * Four threads are counted as one, so that matching is much of its time on a loaded machine too.
 */
static void a_device_of_use_is_started(void **state)
{
    const struct match_engine *engine = *state;
    const struct match_options options = { .engine = engine->name,
                                           .threads = 1,
                                           .devices_later = true,
                                           .devices_auto = true,
                                           .device_delay = 1 };
    struct device_test t;

    device_test_open(&t);
    for (uint32_t fails = 0; fails <= 1; fails++) {
        char line[DEVICE_TEST_LINE];
        struct crew crew = { 0 };
        uint32_t rounds = 0;

        device_host_init(&crew.host, 1, DEVICE_TEST_MEMORY);
        crew.host.fail_at[DEVICE_HOST_OPEN] = fails;
        TEST_OK(crew_open(&crew, &t, options, CREW));
        match_expect(crew.matchers[0], UINT64_C(1) << 50);
        crew.more = 50;
        for (; crew_calls(&crew, fails ? DEVICE_HOST_OPEN : DEVICE_HOST_LAUNCH) == 0 &&
               rounds < ROUNDS_MAX;
             rounds++)
            crew_scan(&crew);
        assert_true(rounds < ROUNDS_MAX);
        crew_scan(&crew);
        assert_false(match_warning(crew.matchers[0], line, sizeof line));
        if (!fails)
            assert_string_equal(match_engine(crew.matchers[0]), engine->name);
        crew_close(&crew);
    }
    device_test_close(&t);
}

int main(int argc, char **argv)
{
    static const char *const engines[] = {
        "shift-and",
#ifdef BURIN_PAPERS
        "ac4",
#endif
    };
    static const struct device_test_each each[] = {
        DEVICE_TEST_EACH(a_crew_opens_each_device_once),
        DEVICE_TEST_EACH(a_crew_fails_whole),
        DEVICE_TEST_EACH(a_crew_loses_its_device_once),
        DEVICE_TEST_EACH(a_late_device_serves_the_whole_crew),
        DEVICE_TEST_EACH(a_device_of_no_use_is_not_started),
        DEVICE_TEST_EACH(a_device_of_use_is_started),
    };

    (void)argc;
    return device_test_main("matchers that share devices", each, sizeof each / sizeof each[0],
                            engines, sizeof engines / sizeof engines[0], argv);
}
