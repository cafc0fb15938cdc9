/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/clusters.h - the clusters of an image, learnt from where proven files begin: so they
 * are known where no file system is left, too.
 *
 * Threads: one thread uses a struct clusters.
 */
#ifndef BURIN_CARVER_PLAN_CLUSTERS_H
#define BURIN_CARVER_PLAN_CLUSTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/limits.h"

enum {
    CLUSTERS_MAX = 64 * 1024, /* bytes of the largest cluster that is looked for */
    CLUSTERS_PHASES = CLUSTERS_MAX / LIMIT_SECTOR,
    CLUSTERS_OTHER_PERCENT = 3 /* at most so many files may begin elsewhere */
};

/* Zeroed: no file was seen. */
struct clusters {
    uint64_t seen, phases[CLUSTERS_PHASES]; /* files: all; by the sector that they begin on */
    uint64_t end;                           /* image offset: of the file that was seen last */
};

/*
 * A proven file of len bytes begins at image offset `offset`; files come by ascending offsets. One
 * that begins on no sector, or inside of the one before, does not count.
 */
void clusters_see(struct clusters *clusters, uint64_t offset, uint64_t len);

/*
 * The largest cluster at multiples of which, from *phase on, nearly all files begin: in bytes.
 * LIMIT_SECTOR, and phase 0, where fewer than `least` files were seen, or they begin anywhere.
 */
uint32_t clusters_find(const struct clusters *clusters, uint64_t least, uint32_t *phase);

#endif
