/* SPDX-License-Identifier: Apache-2.0
 * tests/match/offload/test_offload.c - engines with a device behind them, on the stand-in on the
 * host.
 *
 * Method: every such engine scans texts full of hits through the matcher, cut into segments small
 * and large, under each strategy, with many slots and few, with room for all hits and with too
 * little, and on devices whose calls fail one after the other; each time the hits must be those of
 * the oracle. Nothing on the stand-in happens before it is waited for, so a wait that is missing
 * shows as a wrong hit.
 *
 * Labels: gpu slow
 */
#include "tests/match/device_test.h"

static void every_strategy_gives_the_oracles_hits(void **state)
{
    enum { SHORT = 3000 }; /* of segments so small that the threads do little but take turns */
    static const uint32_t lens[] = { 37, 512, 4096, DEVICE_TEST_TEXT };
    static const uint32_t slots[] = { 1, 2, 5 };
    static const uint32_t hits[] = { 0, 50 };
    const struct match_engine *engine = *state;
    struct device_test t;

    device_test_open(&t);
    for (uint32_t l = 0; l < sizeof lens / sizeof lens[0]; l++) {
        device_test_take(&t, lens[l] < 512 ? SHORT : DEVICE_TEST_TEXT);
        for (uint32_t n = 0; n < sizeof slots / sizeof slots[0]; n += FEW_OR_ALL(2, 2, 1))
            for (uint32_t h = 0; h < sizeof hits / sizeof hits[0]; h++)
                for (enum match_strategy s = MATCH_STRATEGY_AUTO; s <= MATCH_STRATEGY_B; s++) {
                    const struct match_options options = { .engine = engine->name,
                                                           .threads = 2,
                                                           .slots = slots[n],
                                                           .segment_len = lens[l],
                                                           .hits_max = hits[h],
                                                           .strategy = s };
                    struct device_host host;

                    device_host_init(&host, 1, DEVICE_TEST_MEMORY);
                    device_test_check(&t, options, &host, "as it should be");
                    device_host_release(&host);
                }
    }
    device_test_close(&t);
}

/* Whichever call fails first, and the device with it: no hit is lost, nothing stays open. */
static void a_lost_device_loses_no_hit(void **state)
{
    enum { SEGMENT = 1500, SLOTS = 3, HITS = 1000 }; /* more than a segment has: less to clear */
    const struct match_engine *engine = *state;
    struct device_test t;

    device_test_open(&t);
    for (enum match_strategy s = MATCH_STRATEGY_A; s <= MATCH_STRATEGY_B; s++)
        for (enum device_host_call call = DEVICE_HOST_COPY; call <= DEVICE_HOST_WAIT; call++) {
            const struct match_options options = { .engine = engine->name,
                                                   .threads = 2,
                                                   .slots = SLOTS,
                                                   .segment_len = SEGMENT,
                                                   .hits_max = HITS,
                                                   .strategy = s };
            struct device_host host;
            uint64_t before, calls;

            device_host_init(&host, 1, DEVICE_TEST_MEMORY);
            const struct device_provider provider = device_host_provider(&host);
            struct match_options open_only = options;
            struct match_matcher *matcher = NULL;
            open_only.devices = &provider;
            TEST_OK(match_open(t.dictionary, &open_only, &matcher, &test_err));
            before = host.calls[call];
            match_close(matcher);
            device_test_check(&t, options, &host, "counting calls");
            calls = host.calls[call] - before;
            device_host_release(&host);
            for (uint64_t at = before + 1; at <= calls; at += FEW_OR_ALL(7, 5, 1)) {
                device_host_init(&host, 1, DEVICE_TEST_MEMORY);
                host.fail_at[call] = at;
                host.lost = at % 2 == 0;
                device_test_check(&t, options, &host, "device lost");
                assert_true(host.failed);
                device_host_release(&host);
            }
        }
    device_test_close(&t);
}

/* A call that fails while the matcher is opened is its error, and leaves nothing behind. */
static void opening_fails_whole(void **state)
{
    const struct match_engine *engine = *state;
    struct device_test t;

    device_test_open(&t);
    for (enum device_host_call call = 0; call < DEVICE_HOST_CALLS; call++)
        for (uint64_t at = 1;; at += FEW_OR_ALL(3, 2, 1)) {
            struct match_options options = {
                .engine = engine->name, .threads = 1, .slots = 2, .segment_len = 4096
            };
            struct match_matcher *matcher = NULL;
            struct device_host host;

            device_host_init(&host, 1, DEVICE_TEST_MEMORY);
            const struct device_provider provider = device_host_provider(&host);
            options.devices = &provider;
            host.fail_at[call] = at;
            host.lost = true; /* or fewer buffers would do */
            const enum err_code rc = match_open(t.dictionary, &options, &matcher, &test_err);
            if (host.failed && rc != ERR_OK) {
                assert_int_equal(rc, ERR_ENV);
                assert_null(matcher);
                assert_non_null(strstr(test_err.text, "made to fail"));
            }
            const bool failed = host.failed;
            match_close(matcher);
            assert_int_equal(host.in_use, 0);
            assert_int_equal(host.open, 0);
            device_host_release(&host);
            if (!failed)
                break;
        }
    device_test_close(&t);
}

/* Less device memory means fewer buffers there, down to one; less than that is an error that says
 * how much was asked for. */
static void little_memory_will_do(void **state)
{
    enum { SEGMENT = 1024 };
    const struct match_engine *engine = *state;
    uint32_t worked = 0, refused = 0;
    struct device_test t;

    device_test_open(&t);
    for (uint64_t memory = 1 << 12; memory <= 2 << 20; memory += memory / FEW_OR_ALL(2, 3, 4)) {
        struct match_options options = { .engine = engine->name,
                                         .threads = 2,
                                         .slots = 4,
                                         .segment_len = SEGMENT,
                                         .hits_max = 100 };
        struct match_matcher *matcher = NULL;
        struct device_host host;

        device_host_init(&host, 1, memory);
        const struct device_provider provider = device_host_provider(&host);
        options.devices = &provider;
        const enum err_code rc = match_open(t.dictionary, &options, &matcher, &test_err);
        match_close(matcher);
        if (rc == ERR_OK) {
            device_test_check(&t, options, &host, "little memory");
            worked++;
        } else {
            assert_int_equal(rc, ERR_ENV);
            assert_non_null(strstr(test_err.text, "on device 0 (host stand-in)"));
            refused++;
        }
        device_host_release(&host);
    }
    assert_true(worked > 0 && refused > 0);
    device_test_close(&t);
}

#define ROUNDS FEW_OR_ALL(3, 8, ROUNDS_ALL)
enum { ROUNDS_ALL = 40, ROUND_TEXT = 3000, ROUND_PATTERNS = 60, MANY = 4500 };

/* Patterns of two to four letters, with masks and folding; beyond the first ones only long plain
 * ones, as words are. */
static struct match_dictionary *random_dictionary(uint64_t *seed, uint32_t patterns)
{
    static const uint8_t letters[] = "abAB\0\xff", masks[] = { 0xff, 0xff, 0xff, 0xdf, 0, 0xf0 };
    struct match_dictionary *dictionary = NULL;

    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    for (uint32_t i = 0; i < patterns; i++) {
        const bool plain = i > ROUND_PATTERNS;
        const uint32_t len = plain ? 9 + test_random(seed, 6) : 1 + test_random(seed, 20);
        const bool masked = !plain && test_random(seed, 4) == 0;
        uint8_t bytes[20], mask[20];

        for (uint32_t k = 0; k < len; k++) {
            bytes[k] = letters[test_random(seed, 6)];
            mask[k] = masks[test_random(seed, 6)];
        }
        mask[test_random(seed, len)] = 0xff;
        test_add(dictionary, bytes, masked ? mask : NULL, len, test_random(seed, 3) == 0);
    }
    return dictionary;
}

static void random_dictionaries_give_the_oracles_hits(void **state)
{
    /* Dictionaries and texts are the same for each engine: the oracle is asked for the first. */
    static struct test_hits answers[ROUNDS_ALL];
    static bool answered[ROUNDS_ALL];
    static uint8_t text[ROUND_TEXT];
    const struct match_engine *engine = *state;
    uint64_t seed = 0xca5e;

    for (uint32_t round = 0; round < ROUNDS; round++) {
        const bool many = round + 1 == ROUNDS;
        struct match_dictionary *dictionary =
            random_dictionary(&seed, many ? MANY : 1 + test_random(&seed, ROUND_PATTERNS));
        struct match_options options = {
            .engine = engine->name, .threads = 1, .slots = 2, .segment_len = ROUND_TEXT
        };
        struct test_hits *want = &answers[round], got = { 0 };
        struct match_matcher *matcher = NULL;
        struct device_host host;
        const uint32_t cut = 1 + test_random(&seed, ROUND_TEXT - 1);

        for (uint32_t i = 0; i < ROUND_TEXT; i++)
            text[i] = (uint8_t) "abAB\0\xff"[test_random(&seed, 6)];
        device_host_init(&host, 1, (uint64_t)256 << 20);
        const struct device_provider provider = device_host_provider(&host);
        options.devices = &provider;
        TEST_OK(match_open(dictionary, &options, &matcher, &test_err));
        test_scan(matcher, text, ROUND_TEXT, 5, &cut, 1, &got);
        match_close(matcher);
        test_hits_sort(&got);
        if (!answered[round])
            test_oracle(dictionary, text, ROUND_TEXT, 5, want);
        answered[round] = true;
        if (!test_hits_equal(want, &got))
            fail_msg("%s, round %u, cut %u: %u hits, want %u", engine->name, round, cut, got.count,
                     want->count);
        match_dictionary_destroy(dictionary);
        device_host_release(&host);
        free(got.items);
    }
}

static void nothing_to_search_for_needs_no_device(void **state)
{
    const struct match_engine *engine = *state;
    struct match_dictionary *dictionary = NULL;
    struct match_matcher *matcher = NULL;
    struct device_host host;
    struct test_hits got = { 0 };
    char text[256] = "?";

    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    device_host_init(&host, 0, 0);
    const struct device_provider provider = device_host_provider(&host);
    const struct match_options options = {
        .engine = engine->name, .threads = 1, .slots = 1, .segment_len = 64, .devices = &provider
    };
    TEST_OK(match_open(dictionary, &options, &matcher, &test_err));
    test_scan(matcher, (const uint8_t *)"anything", 8, 0, NULL, 0, &got);
    assert_int_equal(got.count, 0);
    match_engine_why(matcher, text, sizeof text);
    assert_null(strstr(text, "device"));
    match_close(matcher);
    match_dictionary_destroy(dictionary);
    device_host_release(&host);
}

static void measured_hit(void *arg, const struct hit *hit)
{
    test_hits_add(arg, hit, 1);
}

/* Times the engine on the whole text on a device, and compares what it finds there; NULL: this
 * machine's. */
static enum err_code lab_time_once(const struct match_engine *engine, const struct device_test *t,
                                   const struct device_provider *provider, uint64_t stretch,
                                   bool from_host)
{
    enum { RUNS = 2 };
    const struct match_resident_setup text = { .devices = provider,
                                               .bytes = t->text,
                                               .len = DEVICE_TEST_TEXT };
    const struct match_setup setup = { .threads = 1,
                                       .segment_len = 4096,
                                       .slots = 1,
                                       .carry = 17,
                                       .hits_max = 100,
                                       .devices = provider };
    double seconds[RUNS] = { -1, -1 };
    struct test_hits got = { 0 };
    struct match_timing timing = { .stretch = stretch,
                                   .from_host = from_host,
                                   .runs = RUNS,
                                   .each = measured_hit,
                                   .arg = &got,
                                   .seconds = seconds };
    void *program = NULL;
    enum err_code rc = match_resident_open(&text, &timing.resident, &test_err);

    if (rc == ERR_OK)
        rc = engine->compile(t->dictionary, &setup, &program, &test_err);
    if (rc == ERR_OK)
        rc = engine->offload->lab->time(program, &timing, &test_err);
    for (enum match_limit limit = MATCH_LIMIT_READ; rc == ERR_OK && limit <= MATCH_LIMIT_READ_HOST;
         limit++)
        rc = match_resident_limit(timing.resident, limit, 0, RUNS, seconds, &test_err);
    engine->release(program);
    match_resident_close(timing.resident);
    for (uint32_t i = 0; i < got.count; i++)
        got.items[i].offset += DEVICE_TEST_OFFSET;
    test_hits_sort(&got);
    if (rc == ERR_OK && !test_hits_equal(&t->want, &got))
        fail_msg("%s, stretches of %llu: %u hits measured, want %u", engine->name,
                 (unsigned long long)stretch, got.count, t->want.count);
    if (rc == ERR_OK)
        assert_true(seconds[0] >= 0 && seconds[1] >= 0 && timing.hits == got.count);
    free(got.items);
    return rc;
}

/* In one stretch and in several; and whatever fails is an error, and leaves nothing behind. */
static void what_is_measured_finds_the_oracles_hits(void **state)
{
    static const uint64_t stretches[] = { 0, 4096, 8192 };
    const struct match_engine *engine = *state;
    struct device_host host;
    struct device_test t;

    device_test_open(&t);
    device_host_init(&host, 1, DEVICE_TEST_MEMORY);
    const struct device_provider provider = device_host_provider(&host);
    for (uint32_t i = 0; i < sizeof stretches / sizeof stretches[0]; i++)
        for (uint32_t from_host = 0; from_host < 2; from_host++)
            TEST_OK(lab_time_once(engine, &t, &provider, stretches[i], from_host != 0));
    device_host_release(&host);
    for (enum device_host_call call = 0; call < DEVICE_HOST_CALLS; call++)
        for (uint64_t at = 1;; at += FEW_OR_ALL(5, 3, 1)) {
            device_host_init(&host, 1, DEVICE_TEST_MEMORY);
            const struct device_provider failing = device_host_provider(&host);
            host.fail_at[call] = at;
            host.lost = true;
            const enum err_code rc = lab_time_once(engine, &t, &failing, 8192, false);
            assert_int_equal(host.in_use, 0);
            assert_int_equal(host.open, 0);
            device_host_release(&host);
            if (!host.failed)
                break;
            assert_true(rc == ERR_ENV || rc == ERR_OK);
        }
    device_test_close(&t);
}

static void the_real_device_finds_the_same_when_measured(void **state)
{
    const struct match_engine *engine = *state;
    struct device_test t;

    if (engine->missing() != NULL)
        skip();
    device_test_open(&t);
    TEST_OK(lab_time_once(engine, &t, NULL, 0, false));
    TEST_OK(lab_time_once(engine, &t, NULL, 4096, false));
    TEST_OK(lab_time_once(engine, &t, NULL, 4096, true));
    device_test_close(&t);
}

/* The same on a device of this machine: the kernels themselves. */
static void the_real_device_gives_the_oracles_hits(void **state)
{
    static const uint32_t lens[] = { 500, 4096, DEVICE_TEST_TEXT };
    static const uint32_t hits[] = { 0, 50 };
    const struct match_engine *engine = *state;
    struct device_test t;

    if (engine->missing() != NULL)
        skip();
    device_test_open(&t);
    for (uint32_t l = 0; l < sizeof lens / sizeof lens[0]; l++)
        for (uint32_t h = 0; h < sizeof hits / sizeof hits[0]; h++)
            for (enum match_strategy s = MATCH_STRATEGY_AUTO; s <= MATCH_STRATEGY_B; s++) {
                const struct match_options options = { .engine = engine->name,
                                                       .threads = 2,
                                                       .slots = 3,
                                                       .segment_len = lens[l],
                                                       .hits_max = hits[h],
                                                       .strategy = s };

                device_test_scan(&t, &options, "on this machine");
            }
    device_test_close(&t);
}

int main(int argc, char **argv)
{
    static const struct device_test_each each[] = {
        DEVICE_TEST_EACH(every_strategy_gives_the_oracles_hits),
        DEVICE_TEST_EACH(a_lost_device_loses_no_hit),
        DEVICE_TEST_EACH(opening_fails_whole),
        DEVICE_TEST_EACH(little_memory_will_do),
        DEVICE_TEST_EACH(random_dictionaries_give_the_oracles_hits),
        DEVICE_TEST_EACH(nothing_to_search_for_needs_no_device),
        DEVICE_TEST_EACH(what_is_measured_finds_the_oracles_hits),
        DEVICE_TEST_EACH(the_real_device_finds_the_same_when_measured),
        DEVICE_TEST_EACH(the_real_device_gives_the_oracles_hits),
    };
    const char *engines[DEVICE_TEST_TESTS];
    uint32_t count = 0;

    (void)argc;
    for (uint32_t i = 0; i < match_engine_count() && count < DEVICE_TEST_TESTS; i++) {
        const char *name = match_engine_get(i).name;

        if (match_engine_named(name)->offload != NULL)
            engines[count++] = name;
    }
    return device_test_main("engines with a device", each, sizeof each / sizeof each[0], engines,
                            count, argv);
}
