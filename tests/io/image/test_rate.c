/* SPDX-License-Identifier: Apache-2.0
 * tests/io/image/test_rate.c - a limit of bytes a second is kept, and is used up.
 *
 * Method: the test is the clock. What may be read by when is worked out by hand from the limit, and
 * the sum over a long run is compared with limit times time.
 */
#include "io/image/rate.h"
#include "tests/io/lib_io.h"

#define SECOND UINT64_C(1000000000)

static void who_reads_waits_for_what_was_taken_before(void **state)
{
    struct io_rate rate = { 0 };

    (void)state;
    io_rate_set(&rate, 1000, NULL, 5 * SECOND);
    assert_int_equal(io_rate_take(&rate, 5 * SECOND, 500), 0);          /* paid at 5.5 s */
    assert_int_equal(io_rate_take(&rate, 5 * SECOND, 250), SECOND / 2); /* paid at 5.75 s */
    assert_int_equal(io_rate_take(&rate, 5 * SECOND + SECOND / 2, 2000), SECOND / 4); /* 7.75 s */
    assert_int_equal(io_rate_take(&rate, 6 * SECOND, 1), SECOND * 7 / 4);
}

/* Behind a pause of an hour as much may be read at once as in a tenth of a second, and no more. */
static void a_pause_is_followed_by_no_burst(void **state)
{
    struct io_rate rate = { 0 };
    const uint64_t now = 3600 * SECOND;
    uint64_t at_once = 0;

    (void)state;
    io_rate_set(&rate, 1000, NULL, 0);
    while (io_rate_take(&rate, now, 10) == 0)
        at_once += 10;
    assert_int_equal(at_once, 110); /* the last one is paid when the next may come */
}

/* Pieces of many sizes, by one that waits as it is told and works a while between: all of the limit
 * is used where the work takes less than the pieces, and no more than it is read. */
static void the_limit_is_kept_over_a_run(void **state)
{
    static const uint64_t limits[] = { UINT64_C(1) << 20, 50 * (UINT64_C(1) << 20),
                                       UINT64_C(3) << 30 };
    uint64_t seed = 7;

    (void)state;
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        struct io_rate rate = { 0 };
        uint64_t now = SECOND, bytes = 0;

        io_rate_set(&rate, limits[i], NULL, now);
        while (now < 61 * SECOND) {
            seed = seed * UINT64_C(6364136223846793005) + 1;
            const uint64_t len = limits[i] / 100 + (seed >> 33) % (limits[i] / 50);

            now += io_rate_take(&rate, now, len);
            bytes += len;
            now += SECOND / 200; /* the work: half of what the smallest piece takes */
        }
        const double share = (double)bytes / ((double)limits[i] * ((double)now / SECOND - 1));
        assert_true(share > 0.99 && share < 1.01);
    }
}

static void a_number_that_is_large_does_not_overflow(void **state)
{
    struct io_rate rate = { 0 };

    (void)state;
    io_rate_set(&rate, UINT64_C(1) << 20, NULL, 0);
    assert_int_equal(io_rate_take(&rate, 0, UINT64_C(1) << 40), 0);
    assert_int_equal(io_rate_take(&rate, 0, 1), (UINT64_C(1) << 20) * SECOND);
}

static bool stops(void)
{
    return true;
}

static void nobody_waits_where_it_is_stopped(void **state)
{
    struct io_rate rate = { 0 };

    (void)state;
    io_rate_set(&rate, 1, stops, 0);
    io_rate_pay(&rate, 1000000); /* would take eleven days */
    io_rate_pay(&rate, 1000000);
    io_rate_set(&rate, 0, NULL, 0);
    io_rate_pay(&rate, UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_reads_waits_for_what_was_taken_before),
        cmocka_unit_test(a_pause_is_followed_by_no_burst),
        cmocka_unit_test(the_limit_is_kept_over_a_run),
        cmocka_unit_test(a_number_that_is_large_does_not_overflow),
        cmocka_unit_test(nobody_waits_where_it_is_stopped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
