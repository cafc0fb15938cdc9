/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/clusters.c - see clusters.h. */
#include "carver/plan/clusters.h"

void clusters_see(struct clusters *clusters, uint64_t offset, uint64_t len)
{
    if (offset % LIMIT_SECTOR != 0 || offset < clusters->end)
        return;
    clusters->phases[offset / LIMIT_SECTOR % CLUSTERS_PHASES]++;
    clusters->seen++;
    clusters->end = offset + len;
}

uint32_t clusters_find(const struct clusters *clusters, uint64_t least, uint32_t *phase)
{
    const uint64_t seen = clusters->seen;
    uint32_t cluster = LIMIT_SECTOR;

    *phase = 0;
    for (uint32_t size = 2; size <= CLUSTERS_PHASES && seen >= least; size *= 2) {
        uint64_t sums[CLUSTERS_PHASES] = { 0 };
        uint32_t best = 0;

        for (uint32_t i = 0; i < CLUSTERS_PHASES; i++)
            sums[i % size] += clusters->phases[i];
        for (uint32_t i = 1; i < size; i++)
            best = sums[i] > sums[best] ? i : best;
        if ((seen - sums[best]) * 100 > seen * CLUSTERS_OTHER_PERCENT)
            break;
        cluster = size * LIMIT_SECTOR;
        *phase = best * LIMIT_SECTOR;
    }
    return cluster;
}
