/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/strata.c - see strata.h. */
#include "carver/triage/strata.h"

/* The mixing function of SplitMix64: Steele, Lea and Flood, Fast Splittable Pseudorandom Number
 * Generators, OOPSLA 2014. */
static uint64_t strata_mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* A number for each stratum of each sweep. */
static uint64_t strata_draw(const struct strata *strata, uint32_t sweep, uint64_t stratum)
{
    const uint64_t gamma = UINT64_C(0x9e3779b97f4a7c15);

    return strata_mix(strata_mix(strata->seed + gamma * (sweep + 1)) + gamma * (stratum + 1));
}

struct strata strata_of(uint64_t units, uint64_t seed)
{
    struct strata strata = { .units = units, .sweeps = 1, .seed = seed };

    while (strata_count(&strata, 0) > STRATA_FIRST)
        strata.sweeps++;
    return strata;
}

uint64_t strata_size(const struct strata *strata, uint32_t sweep)
{
    return UINT64_C(1) << (strata->sweeps - 1 - sweep);
}

uint64_t strata_count(const struct strata *strata, uint32_t sweep)
{
    const uint64_t size = strata_size(strata, sweep);

    return strata->units / size + (strata->units % size != 0);
}

uint64_t strata_unit(const struct strata *strata, uint32_t sweep, uint64_t stratum)
{
    uint64_t unit = UINT64_MAX;

    for (uint32_t i = 0; i <= sweep; i++) {
        const uint64_t size = strata_size(strata, i), at = stratum >> (sweep - i);

        if (i == 0 || unit / size != at)
            unit = at * size + (strata_draw(strata, i, at) & (size - 1));
    }
    return unit;
}

bool strata_is_new(const struct strata *strata, uint32_t sweep, uint64_t stratum)
{
    return sweep == 0 ||
           strata_unit(strata, sweep - 1, stratum >> 1) / strata_size(strata, sweep) != stratum;
}
