/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/triage/test_interval.c - intervals against values from published tables and from
 * closed forms, and the bound for what was not met against an enumeration of all ways to lie.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "carver/triage/interval.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-6 * (1 + fabs((double)(b))))
#define TABLE(a, b) assert_true(fabs((a) - (b)) < 5e-4) /* tables have so many digits */

static void the_functions_have_their_closed_forms(void **state)
{
    (void)state;
    NEAR(interval_beta(2, 2, 0.5), 0.5); /* symmetric */
    NEAR(interval_beta(1, 7, 0.2), 1 - pow(0.8, 7));
    NEAR(interval_beta(9, 1, 0.7), pow(0.7, 9));
    /* P(X >= 3) of ten throws of a coin: 1 - (1 + 10 + 45) / 1024 */
    NEAR(interval_beta(3, 8, 0.5), 968.0 / 1024);
    NEAR(interval_gamma(1, 0.3), 1 - exp(-0.3));
    NEAR(interval_gamma(2, 5), 1 - 6 * exp(-5)); /* 1 - e^-x (1 + x) */
    NEAR(interval_gamma(0.5, 2), erf(sqrt(2)));
    NEAR(interval_beta(3, 4, -1), 0);
    NEAR(interval_beta(3, 4, 2), 1);
    NEAR(interval_gamma(3, 0), 0);
}

static void shares_are_those_of_clopper_and_pearson(void **state)
{
    struct interval i = interval_share(0, 10, 0.95);

    (void)state;
    NEAR(i.low, 0);
    NEAR(i.high, 1 - pow(0.025, 0.1));
    i = interval_share(10, 10, 0.95);
    NEAR(i.low, pow(0.025, 0.1));
    NEAR(i.high, 1);
    i = interval_share(5, 10, 0.95);
    TABLE(i.low, 0.1871);
    TABLE(i.high, 0.8129);
    i = interval_share(1, 20, 0.95);
    TABLE(i.low, 0.0013);
    TABLE(i.high, 0.2487);
    i = interval_share(3, 1000000, 0.99); /* as rare as Poisson: 0.338 and 10.977 in a million */
    assert_true(i.low * 1e6 > 0.33 && i.low * 1e6 < 0.35);
    assert_true(i.high * 1e6 > 10.9 && i.high * 1e6 < 11.0);
}

static void counts_are_those_of_garwood(void **state)
{
    struct interval i = interval_count(0, 0.95);

    (void)state;
    NEAR(i.low, 0);
    NEAR(i.high, -log(0.025));
    i = interval_count(5, 0.95);
    TABLE(i.low, 1.6235);
    TABLE(i.high, 11.6683);
    i = interval_count(10, 0.95);
    TABLE(i.low, 4.7954);
    TABLE(i.high, 18.3904);
    i = interval_count(100, 0.95);
    TABLE(i.low, 81.3637);
    TABLE(i.high, 121.6268);
}

/* The chance to meet none of `units` units in any way that they can lie in the strata: the greatest
 * one. */
static double missed(uint64_t strata, uint64_t size, uint64_t units)
{
    double best = 0;

    if (strata == 1)
        return units <= size ? 1 - (double)units / (double)size : 0;
    for (uint64_t k = 0; k <= size && k <= units; k++) {
        const double chance = (1 - (double)k / (double)size) * missed(strata - 1, size, units - k);

        best = chance > best ? chance : best;
    }
    return best;
}

static void what_was_not_met_is_bounded_however_it_lies(void **state)
{
    (void)state;
    for (uint64_t strata = 1; strata <= 4; strata++)
        for (uint64_t size = 2; size <= 16; size *= 2)
            for (int c = 0; c < 3; c++) {
                const double confidence = (double[]){ 0.5003, 0.9, 0.9901 }[c];
                const uint64_t most = interval_unseen(strata, size, confidence);

                assert_true(missed(strata, size, most) > 1 - confidence);
                assert_true(missed(strata, size, most + 1) <= 1 - confidence);
            }
    assert_int_equal(interval_unseen(1000, 2, 0.99), 6); /* 2^-6 > 0.01 > 2^-7 */
    assert_int_equal(interval_unseen(1000, 1, 0.99), 0);
    /* About ln(100) strata for many strata: 4.6 * 2^20 units. */
    const uint64_t far = interval_unseen(UINT64_C(1) << 20, UINT64_C(1) << 20, 0.99);
    assert_true(far > 4828000 && far < 4828900);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_functions_have_their_closed_forms),
        cmocka_unit_test(shares_are_those_of_clopper_and_pearson),
        cmocka_unit_test(counts_are_those_of_garwood),
        cmocka_unit_test(what_was_not_met_is_bounded_however_it_lies),
    };
    return cmocka_run_group_tests_name("interval", tests, NULL, NULL);
}
