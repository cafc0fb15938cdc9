/* SPDX-License-Identifier: Apache-2.0
 * tests/match/test_devices.c - engines with several devices, on the stand-in on the host.
 *
 * Method: as test_offload.c, with segments going round two and three devices, which fail one after
 * the other at each of their calls, alone and together, while they are opened and while they
 * search; the hits must be those of the oracle each time, nothing may stay open, and what was lost
 * must be told. Then the same with devices that are opened while the CPU already searches.
 *
 * Labels: plain slow
 */
#include "tests/match/device_test.h"

enum { SEGMENT = 1500, SLOTS = 5 };

static void every_device_has_its_share(void **state)
{
    const struct match_engine *engine = *state;
    struct device_test t;

    device_test_open(&t);
    for (uint32_t devices = 1; devices <= 4; devices++)
        for (enum match_strategy s = MATCH_STRATEGY_AUTO; s <= MATCH_STRATEGY_B; s++)
            for (uint32_t slots = 1; slots <= SLOTS; slots += 2)
                for (uint32_t hits = 0; hits <= 50; hits += 50) {
                    struct device_host host;

                    device_host_init(&host, devices, DEVICE_TEST_MEMORY);
                    const struct device_test_outcome outcome = device_test_check(
                        &t,
                        (struct match_options){ .engine = engine->name,
                                                .segment_len = SEGMENT,
                                                .threads = 2,
                                                .slots = slots,
                                                .hits_max = hits,
                                                .strategy = s,
                                                .device_mask = MATCH_DEVICES_ALL },
                        &host, "as it should be");
                    assert_int_equal(outcome.warnings, 0);
                    for (uint32_t i = 0; i < devices && slots >= devices; i++) {
                        char name[32];

                        snprintf(name, sizeof name, "device %u (", i);
                        assert_non_null(strstr(outcome.why, name));
                    }
                    device_host_release(&host);
                }
    device_test_close(&t);
}

/* Only the devices of the mask are opened, in any order of numbers. */
static void a_mask_chooses_devices(void **state)
{
    static const uint32_t masks[] = { 0, 1, 2, 4, 5, 6 };
    const struct match_engine *engine = *state;
    struct device_test t;

    device_test_open(&t);
    for (uint32_t i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        struct device_host host;

        device_host_init(&host, 3, DEVICE_TEST_MEMORY);
        const struct device_test_outcome outcome =
            device_test_check(&t,
                              (struct match_options){ .engine = engine->name,
                                                      .segment_len = SEGMENT,
                                                      .threads = 1,
                                                      .slots = 4,
                                                      .device_mask = masks[i] },
                              &host, "some devices");
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t mask = masks[i] == 0 ? 1 : masks[i];
            char name[32];

            snprintf(name, sizeof name, "device %u (", k);
            assert_int_equal(strstr(outcome.why, name) != NULL, mask >> k & 1);
        }
        device_host_release(&host);
    }
    device_test_close(&t);
}

/* One device that fails is given up, whichever of its calls it is; so are all of them. */
static void lost_devices_lose_no_hit(void **state)
{
    const struct match_engine *engine = *state;
    struct device_test t;

    device_test_open(&t);
    for (enum match_strategy s = MATCH_STRATEGY_AUTO; s <= MATCH_STRATEGY_B; s++)
        for (enum device_host_call call = DEVICE_HOST_COPY; call <= DEVICE_HOST_WAIT; call++) {
            struct match_options options = { .engine = engine->name,
                                             .threads = 2,
                                             .slots = SLOTS,
                                             .strategy = s,
                                             .device_mask = MATCH_DEVICES_ALL,
                                             .segment_len = SEGMENT };
            struct device_host host;
            struct match_matcher *matcher = NULL;

            device_host_init(&host, 2, DEVICE_TEST_MEMORY);
            const struct device_provider provider = device_host_provider(&host);
            options.devices = &provider;
            TEST_OK(match_open(t.dictionary, &options, &matcher, &test_err));
            const uint64_t before = host.calls[call];
            match_close(matcher);
            device_test_check(&t, options, &host, "counting calls");
            const uint64_t calls = host.calls[call] - before;
            device_host_release(&host);
            for (uint64_t at = before + 1; at <= calls; at++) {
                device_host_init(&host, 2, DEVICE_TEST_MEMORY);
                host.fail_at[call] = at;
                host.rest = at % 3 == 0;
                host.lost = at % 2 == 0;
                const struct device_test_outcome outcome =
                    device_test_check(&t, options, &host, "device lost");
                if (host.failed) { /* threads do not make as many calls each time */
                    assert_in_range(outcome.warnings, 1, 2);
                    assert_non_null(strstr(outcome.last, "is given up: "));
                    assert_non_null(strstr(outcome.last, "made to fail"));
                    assert_non_null(strstr(outcome.why, "was lost"));
                }
                device_host_release(&host);
            }
        }
    device_test_close(&t);
}

/* A device that cannot be opened is done without, as long as there is one that can. */
static void opening_does_with_fewer(void **state)
{
    const struct match_engine *engine = *state;
    struct device_test t;
    uint32_t worked = 0, refused = 0;

    device_test_open(&t);
    for (enum device_host_call call = 0; call < DEVICE_HOST_CALLS; call++)
        for (uint64_t at = 1;; at++) {
            struct match_options options = { .engine = engine->name,
                                             .threads = 1,
                                             .slots = 2,
                                             .segment_len = SEGMENT,
                                             .device_mask = MATCH_DEVICES_ALL };
            struct match_matcher *matcher = NULL;
            struct device_host host;

            device_host_init(&host, 2, DEVICE_TEST_MEMORY);
            const struct device_provider provider = device_host_provider(&host);
            options.devices = &provider;
            host.fail_at[call] = at;
            host.lost = true;
            host.rest = at % 2 == 0;
            const enum err_code rc = match_open(t.dictionary, &options, &matcher, &test_err);
            const bool failed = host.failed;
            if (rc != ERR_OK) {
                assert_true(failed);
                assert_int_equal(rc, ERR_ENV);
                assert_non_null(strstr(test_err.text, "made to fail"));
            }
            worked += failed && rc == ERR_OK;
            refused += rc != ERR_OK;
            match_close(matcher);
            assert_int_equal(host.in_use, 0);
            assert_int_equal(host.open, 0);
            device_host_release(&host);
            if (!failed)
                break;
        }
    assert_true(worked > 0 && refused > 0);
    device_test_close(&t);
}

/* Devices that do not exist: an error that says so where there is no other, and else a line of
 * news. Too little memory likewise. */
static void devices_that_are_not_there_are_told(void **state)
{
    static const struct {
        uint32_t devices, mask;
        uint64_t memory;
        const char *says;
        bool opens;
    } cases[] = {
        { 0, 0, DEVICE_TEST_MEMORY, "there is no device 0; there are 0", false },
        { 0, MATCH_DEVICES_ALL, DEVICE_TEST_MEMORY, "no device: there are 0", false },
        { 2, 1 << 5, DEVICE_TEST_MEMORY, "there is no device 5; there are 2", false },
        { 2, 1 << 1 | 1 << 5, DEVICE_TEST_MEMORY,
          "device 5 is given up: there is no device 5; there are 2", true },
        { 1, 0, 4096, "are free", false },
    };
    const struct match_engine *engine = *state;
    struct device_test t;

    device_test_open(&t);
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct match_options options = { .engine = engine->name,
                                         .threads = 1,
                                         .slots = 2,
                                         .device_mask = cases[i].mask,
                                         .segment_len = SEGMENT };
        struct match_matcher *matcher = NULL;
        struct device_host host;

        device_host_init(&host, cases[i].devices, cases[i].memory);
        const struct device_provider provider = device_host_provider(&host);
        options.devices = &provider;
        const enum err_code rc = match_open(t.dictionary, &options, &matcher, &test_err);
        match_close(matcher);
        assert_int_equal(rc == ERR_OK, cases[i].opens);
        if (rc != ERR_OK)
            assert_non_null(strstr(test_err.text, cases[i].says));
        options.devices_later = !cases[i].opens; /* then a scan goes on without */
        const struct device_test_outcome outcome =
            device_test_check(&t, options, &host, "devices that are not there");
        if (cases[i].opens) {
            assert_int_equal(outcome.warnings, 1);
            assert_non_null(strstr(outcome.last, cases[i].says));
        }
        device_host_release(&host);
    }
    device_test_close(&t);
}

/* The CPU begins, devices join; whatever fails, however early, the hits are there and the matcher
 * opens. */
static void devices_that_come_later_lose_no_hit(void **state)
{
    const struct match_engine *engine = *state;
    struct device_test t;

    device_test_open(&t);
    for (uint32_t devices = 0; devices <= 2; devices++)
        for (enum match_strategy s = MATCH_STRATEGY_AUTO; s <= MATCH_STRATEGY_B; s++)
            for (enum device_host_call call = 0; call < DEVICE_HOST_CALLS; call++)
                for (uint64_t at = 0; at < 12; at += 1 + at / 4) {
                    if (devices == 0 && call + at > 0)
                        continue; /* none of its calls is made */
                    struct device_host host;

                    device_host_init(&host, devices, DEVICE_TEST_MEMORY);
                    host.fail_at[call] = at;
                    host.rest = at % 2 == 0 && at > 0;
                    host.lost = at % 3 == 0;
                    const struct device_test_outcome outcome =
                        device_test_check(&t,
                                          (struct match_options){ .engine = engine->name,
                                                                  .segment_len = SEGMENT,
                                                                  .threads = 2,
                                                                  .slots = 3,
                                                                  .strategy = s,
                                                                  .device_mask = MATCH_DEVICES_ALL,
                                                                  .devices_later = true },
                                          &host, "devices later");
                    assert_in_range(outcome.warnings, 0, 2);
                    device_host_release(&host);
                }
    device_test_close(&t);
}

/* A scan that ends before the device_delay does starts no device, and does not wait for the end of
 * it.
 */
static void short_scans_start_no_device(void **state)
{
    enum { PATIENCE = 1000000 }; /* longer than a test may take */
    const struct match_engine *engine = *state;
    struct device_test t;
    struct device_host host;

    device_test_open(&t);
    device_host_init(&host, 2, DEVICE_TEST_MEMORY);
    const struct device_test_outcome outcome =
        device_test_check(&t,
                          (struct match_options){ .engine = engine->name,
                                                  .segment_len = SEGMENT,
                                                  .threads = 2,
                                                  .slots = 3,
                                                  .devices_later = true,
                                                  .device_delay = PATIENCE },
                          &host, "in no hurry");
    assert_int_equal(outcome.warnings, 0);
    assert_int_equal(host.calls[DEVICE_HOST_OPEN], 0);
    char want[64];
    snprintf(want, sizeof want, "%d segments on the CPU, no device being ready",
             (DEVICE_TEST_TEXT + SEGMENT - 1) / SEGMENT);
    assert_non_null(strstr(outcome.why, want));
    device_host_release(&host);
    device_test_close(&t);
}

/* Open and closed before any device is ready. */
static void nothing_is_left_of_devices_not_waited_for(void **state)
{
    const struct match_engine *engine = *state;
    struct device_test t;

    device_test_open(&t);
    for (uint32_t i = 0; i < 20; i++) {
        struct match_options options = { .engine = engine->name,
                                         .threads = 1,
                                         .slots = 2,
                                         .segment_len = SEGMENT,
                                         .device_mask = MATCH_DEVICES_ALL,
                                         .devices_later = true };
        struct match_matcher *matcher = NULL;
        struct device_host host;

        device_host_init(&host, 2, DEVICE_TEST_MEMORY);
        const struct device_provider provider = device_host_provider(&host);
        options.devices = &provider;
        TEST_OK(match_open(t.dictionary, &options, &matcher, &test_err));
        match_close(matcher);
        assert_int_equal(host.in_use, 0);
        assert_int_equal(host.open, 0);
        device_host_release(&host);
    }
    device_test_close(&t);
}

/* Engines differ in their kernels, which test_offload.c tests: two of them will do here. */
int main(int argc, char **argv)
{
    static const struct device_test_each each[] = {
        DEVICE_TEST_EACH(every_device_has_its_share),
        DEVICE_TEST_EACH(a_mask_chooses_devices),
        DEVICE_TEST_EACH(lost_devices_lose_no_hit),
        DEVICE_TEST_EACH(opening_does_with_fewer),
        DEVICE_TEST_EACH(devices_that_are_not_there_are_told),
        DEVICE_TEST_EACH(devices_that_come_later_lose_no_hit),
        DEVICE_TEST_EACH(short_scans_start_no_device),
        DEVICE_TEST_EACH(nothing_is_left_of_devices_not_waited_for),
    };
    static const char *const engines[] = {
        "shift-and",
#ifdef BURIN_PAPERS
        "ac4",
#endif
    };

    (void)argc;
    return device_test_main("engines with several devices", each, sizeof each / sizeof each[0],
                            engines, sizeof engines / sizeof engines[0], argv);
}
