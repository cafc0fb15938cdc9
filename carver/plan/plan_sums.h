/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/plan_sums.h - the CRC-64 of each object that a planner finds in its part of the
 * image.
 *
 * An object whose end has been scanned gets it at once, another one when its end comes by. One that
 * does not lie in the part as a whole gets none here: see sums_chain.h.
 */
#ifndef BURIN_CARVER_PLAN_PLAN_SUMS_H
#define BURIN_CARVER_PLAN_PLAN_SUMS_H

#include "base/err.h"
#include "carver/case/sums_late.h"
#include "carver/plan/found.h"
#include "carver/plan/sums.h"

struct plan_sums {
    struct sums *sums; /* the caller's; NULL: objects get no CRC */
    struct sums_late late;
};

/* A part begins. sums: the caller's, or NULL. */
void plan_sums_begin(struct plan_sums *sums, struct sums *of);

/*
 * Adds the object to found with its CRC, or so that it gets it later. before: the CRC of the part's
 * bytes up to its beginning, or NULL.
 */
ERR_MUST_CHECK enum err_code plan_sums_add(struct plan_sums *sums, struct found *found,
                                           struct found_object *object, const uint64_t *before,
                                           struct err *err);

/* The scan has gone on: objects that end at or before its front get their CRC now. */
ERR_MUST_CHECK enum err_code plan_sums_front(struct plan_sums *sums, struct found *found,
                                             struct err *err);

void plan_sums_release(struct plan_sums *sums);

#endif
