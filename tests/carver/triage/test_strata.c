/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/triage/test_strata.c - one unit of each stratum after each sweep, every unit after
 * the last one; and what is planted is found as often as the binomial distribution says.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "carver/triage/interval.h"
#include "carver/triage/strata.h"

static void each_sweep_has_one_unit_of_each_stratum(void **state)
{
    static const uint64_t sizes[] = { 1, 2, 1023, 1024, 1025, 5000, 65536, 70001 };

    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        const struct strata strata = strata_of(sizes[k], 7 + k);
        uint8_t *seen = calloc(sizes[k], 1);
        uint64_t looked = 0;

        assert_non_null(seen);
        assert_true(strata_count(&strata, 0) <= STRATA_FIRST);
        assert_true(strata.sweeps == 1 || strata_count(&strata, 0) > STRATA_FIRST / 2);
        for (uint32_t sweep = 0; sweep < strata.sweeps; sweep++) {
            const uint64_t size = strata_size(&strata, sweep);
            uint64_t inside = 0, behind = 0; /* behind the last one of the sweep */

            for (uint64_t s = 0; s < strata_count(&strata, sweep); s++) {
                const uint64_t unit = strata_unit(&strata, sweep, s);

                assert_int_equal(unit / size, s);
                if (strata_is_new(&strata, sweep, s)) {
                    assert_true(unit >= behind); /* ascending */
                    behind = unit + 1;
                    if (unit < sizes[k]) {
                        assert_int_equal(seen[unit], 0); /* none twice */
                        seen[unit] = 1;
                        looked++;
                    }
                }
                if (unit < sizes[k]) {
                    assert_int_equal(seen[unit], 1); /* none forgotten */
                    inside++;
                }
            }
            assert_int_equal(inside, looked);
        }
        assert_int_equal(looked, sizes[k]);
        free(seen);
    }
}

static void another_seed_is_another_sample(void **state)
{
    const struct strata a = strata_of(1 << 20, 1), b = strata_of(1 << 20, 2);
    uint32_t same = 0;

    (void)state;
    for (uint64_t s = 0; s < 1024; s++)
        same += strata_unit(&a, 0, s) == strata_unit(&b, 0, s);
    assert_true(same < 20); /* one in 1,024 by chance */
}

/* Where in their strata units lie: of 16 equal parts, each as often as the others. */
static void units_lie_anywhere_in_their_strata(void **state)
{
    (void)state;
    for (uint32_t sweep = 0; sweep < 4; sweep++) {
        uint64_t parts[16] = { 0 }, n = 0;
        double chi = 0;

        for (uint64_t seed = 0; seed < 20; seed++) {
            const struct strata strata = strata_of(1 << 20, seed);
            const uint64_t size = strata_size(&strata, sweep);

            for (uint64_t s = 0; s < strata_count(&strata, sweep); s++, n++)
                parts[strata_unit(&strata, sweep, s) % size * 16 / size]++;
        }
        for (int i = 0; i < 16; i++)
            chi += pow((double)parts[i] - (double)n / 16, 2) / ((double)n / 16);
        assert_true(chi > 2 && chi < 45); /* 15 degrees: one in 10,000 is outside */
    }
}

/* Whether a sweep meets one of the runs of `len` units at these places. */
static bool meets(const struct strata *strata, uint32_t sweep, const uint64_t *at, uint32_t count,
                  uint64_t len)
{
    for (uint64_t s = 0; s < strata_count(strata, sweep); s++) {
        const uint64_t unit = strata_unit(strata, sweep, s);

        for (uint32_t i = 0; i < count; i++)
            if (unit >= at[i] && unit < at[i] + len)
                return true;
    }
    return false;
}

enum { UNITS = 1 << 18, SEEDS = 200 };

static void a_run_of_two_strata_is_met_for_certain(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const struct strata strata = strata_of(UNITS, seed);
        const uint32_t sweep = (uint32_t)seed % 4;
        /* A run of bytes as long as two strata has one unit less whole than they have. */
        const uint64_t len = 2 * strata_size(&strata, sweep) - 1;
        const uint64_t at = seed * 1301 % (UNITS - len);

        assert_true(meets(&strata, sweep, &at, 1, len));
    }
}

/* Single units, one in each of some strata: the chance to meet one is known exactly. */
static void scattered_units_are_met_as_often_as_is_claimed(void **state)
{
    enum { PLANTED = 300 };
    uint64_t at[PLANTED];
    uint32_t met = 0;

    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const struct strata strata = strata_of(UNITS, seed);
        const uint64_t size = strata_size(&strata, 0); /* 256 */

        for (uint64_t i = 0; i < PLANTED; i++)
            at[i] = i * 3 * size + i * 7 % size;
        met += meets(&strata, 0, at, PLANTED, 1);
    }
    const double chance = 1 - pow(1 - 1.0 / 256, PLANTED);
    const struct interval between = interval_share(met, SEEDS, 0.9999);

    assert_true(chance >= between.low && chance <= between.high);
}

/* As many units as the bound says, and one more: a sample misses them with 1 % at most. */
static void more_than_the_bound_is_met_with_its_confidence(void **state)
{
    uint32_t missed = 0;

    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const struct strata strata = strata_of(UNITS, seed);
        const uint64_t n = strata_count(&strata, 0), size = strata_size(&strata, 0);
        const uint64_t most = interval_unseen(n, size, 0.9) + 1, step = UNITS / most;
        uint64_t *at = calloc(most, sizeof *at);

        assert_non_null(at);
        for (uint64_t i = 0; i < most; i++)
            at[i] = i * step + seed % step;
        missed += !meets(&strata, 0, at, (uint32_t)most, 1);
        free(at);
    }
    assert_true(interval_share(missed, SEEDS, 0.9999).low <= 0.1);
    assert_true(missed > 0); /* nor is the bound far from the truth */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_sweep_has_one_unit_of_each_stratum),
        cmocka_unit_test(another_seed_is_another_sample),
        cmocka_unit_test(units_lie_anywhere_in_their_strata),
        cmocka_unit_test(a_run_of_two_strata_is_met_for_certain),
        cmocka_unit_test(scattered_units_are_met_as_often_as_is_claimed),
        cmocka_unit_test(more_than_the_bound_is_met_with_its_confidence),
    };
    return cmocka_run_group_tests_name("strata", tests, NULL, NULL);
}
