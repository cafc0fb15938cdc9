/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/seams.h - where the pieces of files that were put together end and go on.
 *
 * Threads: one thread adds and settles; then any number may ask.
 */
#ifndef BURIN_CARVER_ASSEMBLE_SEAMS_H
#define BURIN_CARVER_ASSEMBLE_SEAMS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* All image offsets. */
struct seam {
    uint64_t first;      /* where the file begins, */
    uint64_t end, begin; /* where a piece of it ends, and where the next one begins */
};

/* Zeroed is empty. */
struct seams {
    struct seam *items; /* by (end, begin, first), after seams_settle */
    size_t count, room;
};

ERR_MUST_CHECK enum err_code seams_add(struct seams *seams, const struct seam *seam,
                                       struct err *err);
void seams_settle(struct seams *seams); /* sorts what was added; before seams_behind */
void seams_release(struct seams *seams);

/* The first whose piece ends behind this image offset; NULL: there is none. */
const struct seam *seams_behind(const struct seams *seams, uint64_t offset);

#endif
