/* SPDX-License-Identifier: Apache-2.0
 * tests/match/test_devices_late.c - devices that are started while the CPU already searches, on the
 * stand-in on the host: when they are started, and that nothing is lost or left open however long
 * they take.
 *
 * Method: one matcher scans the same text again and again, as a long image does, until its device
 * has searched some of it, or has been given up, or for as long as it should not have been started;
 * each time the hits must be those of the oracle.
 */
#include <stdio.h>
#include <time.h>

#include "match/device/device_host.h"
#include "tests/match/match_test.h"

enum {
    TEXT_LEN = 20000,
    SEGMENT = 1500,
    MEMORY = 64 << 20,
    LINE_MAX_LEN = 1024,
    ROUNDS_MAX = 20000
};

struct late_test {
    struct match_dictionary *dictionary;
    uint8_t text[TEXT_LEN];
    struct test_hits want;
    struct device_host host;
    struct device_provider provider;
    struct match_matcher *matcher;
};

static void late_open(struct late_test *t, const struct match_engine *engine, uint32_t device_delay,
                      uint64_t bytes)
{
    static const uint8_t letters[] = "abcABC\xff\xe3\0\1";
    uint64_t seed = 0x1a7e;

    t->want = (struct test_hits){ 0 };
    TEST_OK(match_dictionary_create(&t->dictionary, &test_err));
    test_add(t->dictionary, "ab", NULL, 2, false);
    test_add(t->dictionary, "abcabc", NULL, 6, true);
    for (uint32_t i = 0; i < TEXT_LEN; i++)
        t->text[i] = letters[test_random(&seed, 10)];
    test_oracle(t->dictionary, t->text, TEXT_LEN, 1000, &t->want);
    assert_true(t->want.count > 100);
    t->provider = device_host_provider(&t->host);
    const struct match_options options = { .engine = engine->name,
                                           .threads = 2,
                                           .slots = 4,
                                           .segment_len = SEGMENT,
                                           .devices_later = true,
                                           .device_delay = device_delay,
                                           .devices = &t->provider };
    TEST_OK(match_open(t->dictionary, &options, &t->matcher, &test_err));
    match_expect(t->matcher, bytes);
}

static void late_close(struct late_test *t)
{
    match_close(t->matcher);
    assert_int_equal(t->host.in_use, 0);
    assert_int_equal(t->host.open, 0);
    device_host_release(&t->host);
    match_dictionary_destroy(t->dictionary);
    free(t->want.items);
}

/* The whole text once more; a range of its own. */
static void late_scan(struct late_test *t)
{
    uint32_t cuts[TEXT_LEN / SEGMENT + 1], count = 0;
    struct test_hits got = { 0 };

    for (uint32_t at = SEGMENT; at < TEXT_LEN; at += SEGMENT)
        cuts[count++] = at;
    test_scan(t->matcher, t->text, TEXT_LEN, 1000, cuts, count, &got);
    test_hits_sort(&got);
    assert_true(test_hits_equal(&t->want, &got));
    free(got.items);
}

static void late_sleep(uint32_t ms)
{
    const struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000 };

    nanosleep(&time, NULL);
}

static uint64_t late_calls(struct late_test *t, enum device_host_call call)
{
    pthread_mutex_lock(&t->host.lock);
    const uint64_t calls = t->host.calls[call];
    pthread_mutex_unlock(&t->host.lock);
    return calls;
}

/* The CPU goes on for as long as the device takes to open; then the device has its share. */
static void a_slow_device_joins_in_the_middle(void **state)
{
    const struct match_engine *engine = *state;
    char why[LINE_MAX_LEN];
    struct late_test t;
    uint32_t rounds = 0;

    device_host_init(&t.host, 1, MEMORY);
    t.host.open_ms = 50;
    late_open(&t, engine, 0, 0);
    late_scan(&t);
    assert_int_equal(late_calls(&t, DEVICE_HOST_LAUNCH), 0);
    for (; late_calls(&t, DEVICE_HOST_LAUNCH) == 0 && rounds < ROUNDS_MAX; rounds++)
        late_scan(&t);
    assert_true(rounds < ROUNDS_MAX);
    late_scan(&t);
    match_engine_why(t.matcher, why, sizeof why);
    assert_non_null(strstr(why, "segments on the CPU, no device being ready; strategy"));
    late_close(&t);
}

/* It takes longer than the scan, and is waited for and closed again at the end. */
static void a_scan_may_end_before_its_device_is_ready(void **state)
{
    const struct match_engine *engine = *state;
    struct late_test t;

    device_host_init(&t.host, 1, MEMORY);
    t.host.open_ms = 200;
    late_open(&t, engine, 0, 0);
    while (late_calls(&t, DEVICE_HOST_OPEN) == 0) /* the start is under way */
        late_sleep(1);
    late_scan(&t);
    assert_int_equal(late_calls(&t, DEVICE_HOST_LAUNCH), 0);
    late_close(&t);
}

/* Slow, and then it fails: the CPU goes on, and says so. */
static void a_slow_device_that_fails_is_told(void **state)
{
    static const enum device_host_call calls[] = { DEVICE_HOST_OPEN, DEVICE_HOST_ALLOC,
                                                   DEVICE_HOST_PIN };
    const struct match_engine *engine = *state;

    for (uint32_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        char line[LINE_MAX_LEN];
        struct late_test t;
        uint32_t rounds = 0;

        device_host_init(&t.host, 1, MEMORY);
        t.host.open_ms = 20;
        t.host.fail_at[calls[i]] = 1;
        t.host.rest = true;
        late_open(&t, engine, 0, 0);
        for (; !match_warning(t.matcher, line, sizeof line) && rounds < ROUNDS_MAX; rounds++)
            late_scan(&t);
        assert_non_null(strstr(line, "device 0 is given up"));
        assert_non_null(strstr(line, "made to fail"));
        assert_non_null(strstr(line, "searched by the CPU"));
        late_scan(&t);
        late_close(&t);
    }
}

/* Of a hundred parts one is left when the device_delay ends: less than it takes to be worth a
 * start, unless it takes six seconds. */
static void a_scan_that_is_nearly_done_starts_no_device(void **state)
{
    enum { PATIENCE = 20 };
    const struct match_engine *engine = *state;
    char why[LINE_MAX_LEN];
    struct late_test t;

    device_host_init(&t.host, 1, MEMORY);
    late_open(&t, engine, PATIENCE, TEXT_LEN + TEXT_LEN / 100);
    late_scan(&t);
    late_sleep(5 * PATIENCE);
    assert_int_equal(late_calls(&t, DEVICE_HOST_OPEN), 0);
    match_engine_why(t.matcher, why, sizeof why);
    assert_non_null(strstr(why, "14 segments on the CPU"));
    late_close(&t);
}

/* The same, but most of it is still to come; and when nothing has come at all, nobody knows. */
static void a_scan_with_much_left_starts_its_device(void **state)
{
    enum { PATIENCE = 20, TRIES = 1000 };
    const struct match_engine *engine = *state;

    for (uint32_t scans = 0; scans <= 1; scans++) {
        struct late_test t;

        device_host_init(&t.host, 1, MEMORY);
        late_open(&t, engine, PATIENCE, (uint64_t)1000 * TEXT_LEN);
        for (uint32_t i = 0; i < scans; i++)
            late_scan(&t);
        for (uint32_t i = 0; late_calls(&t, DEVICE_HOST_OPEN) == 0 && i < TRIES; i++)
            late_sleep(10);
        assert_int_equal(late_calls(&t, DEVICE_HOST_OPEN), 1);
        late_scan(&t);
        late_close(&t);
    }
}

/* What comes may become slow: then what is left takes long after all, and is looked at again. */
static void a_scan_that_becomes_slow_starts_its_device(void **state)
{
    enum { PATIENCE = 10, TRIES = 1000 };
    const struct match_engine *engine = *state;
    struct late_test t;

    device_host_init(&t.host, 1, MEMORY);
    late_open(&t, engine, PATIENCE, 2 * TEXT_LEN);
    late_scan(&t);
    late_sleep(
        PATIENCE); /* half of it in 10 ms: the other half takes 10 ms, and 30 are worth a start */
    for (uint32_t i = 0; late_calls(&t, DEVICE_HOST_OPEN) == 0 && i < TRIES; i++)
        late_sleep(10);
    assert_int_equal(late_calls(&t, DEVICE_HOST_OPEN), 1);
    late_close(&t);
}

int main(int argc, char **argv)
{
    const struct match_engine *engine = match_engine_named("shift-and");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(a_slow_device_joins_in_the_middle, (void *)(uintptr_t)engine),
        cmocka_unit_test_prestate(a_scan_may_end_before_its_device_is_ready,
                                  (void *)(uintptr_t)engine),
        cmocka_unit_test_prestate(a_slow_device_that_fails_is_told, (void *)(uintptr_t)engine),
        cmocka_unit_test_prestate(a_scan_that_is_nearly_done_starts_no_device,
                                  (void *)(uintptr_t)engine),
        cmocka_unit_test_prestate(a_scan_with_much_left_starts_its_device,
                                  (void *)(uintptr_t)engine),
        cmocka_unit_test_prestate(a_scan_that_becomes_slow_starts_its_device,
                                  (void *)(uintptr_t)engine),
    };

    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests_name("devices that are started late", tests, NULL, NULL);
}
