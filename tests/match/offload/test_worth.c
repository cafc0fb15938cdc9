/* SPDX-License-Identifier: Apache-2.0
 * tests/match/offload/test_worth.c - whether devices make a search end earlier: values worked out
 * by hand.
 */
#include "match/offload/offload_worth.h"
#include "tests/match/match_test.h"

static const uint64_t gb = 1000000000;

static void near(double value, double want)
{
    assert_true(value > want - 1e-6 && value < want + 1e-6);
}

static void matching_alone_is_saved(void **state)
{
    /* Four threads, 2 s, 6 of their 8 seconds are matching: three quarters. The rest takes 20 s,
     * and 5 s without matching; the bus brings 100 GB in 5 s as well. */
    const struct offload_pace pace = {
        .bytes = 10 * gb, .left = 100 * gb, .seconds = 2, .matching = 6, .threads = 4
    };

    (void)state;
    near(offload_share(&pace), 0.75);
    near(offload_gain(&pace), 15);
    assert_true(offload_worth(&pace));
}

static void the_bus_bounds_the_gain(void **state)
{
    /* 40 GB/s, all of it matching: the rest takes 10 s, and 20 s over a bus of 20 GB/s. */
    const struct offload_pace pace = {
        .bytes = 40 * gb, .left = 400 * gb, .seconds = 1, .matching = 16, .threads = 16
    };
    /* 10 GB/s: 40 s, of which 20 are saved. */
    const struct offload_pace slower = {
        .bytes = 10 * gb, .left = 400 * gb, .seconds = 1, .matching = 16, .threads = 16
    };

    (void)state;
    near(offload_gain(&pace), 0);
    assert_false(offload_worth(&pace));
    near(offload_gain(&slower), 20);
    assert_true(offload_worth(&slower));
}

static void a_short_rest_is_not_worth_a_start(void **state)
{
    struct offload_pace pace = {
        .bytes = gb, .left = gb * 99 / 100, .seconds = 1, .matching = 1, .threads = 1
    };

    (void)state;
    assert_false(offload_worth(&pace)); /* 0.94 s are saved */
    pace.left = gb * 11 / 10;           /* 1.045 s */
    assert_true(offload_worth(&pace));
}

static void little_matching_is_not_worth_it(void **state)
{
    struct offload_pace pace = {
        .bytes = gb, .left = 1000 * gb, .seconds = 10, .matching = 1.9, .threads = 2
    };

    (void)state;
    assert_false(offload_worth(&pace)); /* 950 s of 10,000 */
    pace.matching = 2.1;
    assert_true(offload_worth(&pace));
}

static void nothing_known_is_no_gain(void **state)
{
    const struct offload_pace none = { .threads = 2, .left = gb };
    const struct offload_pace more = { /* clocks of threads run a little apart */
                                       .bytes = gb,
                                       .left = gb,
                                       .seconds = 1,
                                       .matching = 3,
                                       .threads = 2
    };

    (void)state;
    near(offload_share(&none), 0);
    near(offload_gain(&none), 0);
    assert_false(offload_worth(&none));
    near(offload_share(&more), 1);
}

/* 100 bytes in 10 s, then some with devices for a second and more. */
static bool tried(uint64_t bytes_with, uint64_t ns_with)
{
    struct offload_trial trial = { .since_ns = 5 };
    const uint64_t from = 5 + 10 * gb;

    offload_trial_note(&trial, from - gb, 90, false);
    assert_int_equal(trial.state, OFFLOAD_BEFORE);
    offload_trial_note(&trial, from, 100, true);
    assert_int_equal(trial.state, OFFLOAD_WITH);
    offload_trial_note(&trial, from + OFFLOAD_TRIAL_NS - 1, 100, true); /* not yet */
    assert_int_equal(trial.state, OFFLOAD_WITH);
    offload_trial_note(&trial, from + ns_with, 100 + bytes_with, true);
    assert_int_equal(trial.state, OFFLOAD_JUDGED);
    const bool slower = trial.slower;
    offload_trial_note(&trial, from + 100 * gb, 100 + bytes_with, true); /* once and for all */
    assert_int_equal(trial.slower, slower);
    return slower;
}

static void devices_that_are_slower_are_left(void **state)
{
    (void)state;
    assert_true(tried(9, OFFLOAD_TRIAL_NS));
    assert_false(tried(10, OFFLOAD_TRIAL_NS));
    assert_false(tried(30, 2 * (uint64_t)OFFLOAD_TRIAL_NS));
    assert_true(tried(19, 2 * (uint64_t)OFFLOAD_TRIAL_NS));
}

static void a_device_from_the_first_segment_on_is_not_compared(void **state)
{
    struct offload_trial trial = { .since_ns = 5 };

    (void)state;
    offload_trial_note(&trial, 5, 0, true);
    assert_int_equal(trial.state, OFFLOAD_JUDGED);
    assert_false(trial.slower);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matching_alone_is_saved),
        cmocka_unit_test(the_bus_bounds_the_gain),
        cmocka_unit_test(a_short_rest_is_not_worth_a_start),
        cmocka_unit_test(little_matching_is_not_worth_it),
        cmocka_unit_test(nothing_known_is_no_gain),
        cmocka_unit_test(devices_that_are_slower_are_left),
        cmocka_unit_test(a_device_from_the_first_segment_on_is_not_compared),
    };

    return cmocka_run_group_tests_name("whether devices are worth it", tests, NULL, NULL);
}
