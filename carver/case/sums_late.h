/* SPDX-License-Identifier: Apache-2.0
 * carver/case/sums_late.h - objects whose end has not been scanned yet, and so have no CRC yet.
 *
 * A validator may believe a length, and a rule without a footer knows it from the header on. There
 * can be as many of these as an image has headers, and memory is bounded: an object in whose first
 * byte SUMS_LATE_MAX others lie that begin before it gets no CRC. Which ones these are is known
 * when all objects have been found (sums_depth_next). Before that, of too many, those are dropped
 * that begin last, which are sure to be among them: so it does not matter in which order objects
 * are found.
 */
#ifndef BURIN_CARVER_CASE_SUMS_LATE_H
#define BURIN_CARVER_CASE_SUMS_LATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum { SUMS_LATE_MAX = 1 << 18 };

struct sums_late_one {
    uint64_t end, offset; /* of the object, in the image */
    int64_t id;           /* of two that begin alike, the greater one begins later */
    uint64_t before;      /* CRC of the range up to its beginning */
};

/* Zeroed is empty. */
struct sums_late {
    struct sums_late_one *heap; /* the first end first */
    uint32_t count, room;
    uint32_t sweep; /* of sums_depth_next: with so many it forgets those that were passed */
};

/* Keeps at least `most` of them (SUMS_LATE_MAX), those that begin first. */
ERR_MUST_CHECK enum err_code sums_late_add(struct sums_late *late, const struct sums_late_one *one,
                                           uint32_t most, struct err *err);
/* Takes one that ends at or before front; false: none. */
bool sums_late_take(struct sums_late *late, uint64_t front, struct sums_late_one *out);
void sums_late_release(struct sums_late *late);

/*
 * For a walk over all objects of an image by (offset, id): *deep says that at least `most` of those
 * before lie in this one's first byte. depth, zeroed at first, holds what is around that place.
 */
ERR_MUST_CHECK enum err_code sums_depth_next(struct sums_late *depth, uint64_t offset, uint64_t end,
                                             uint32_t most, bool *deep, struct err *err);

#endif
