/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/ground.h - which bytes of an image belong to whom.
 *
 * The ground is a list of ranges, each owned by a living file, by the file system itself or by an
 * object that is whole. What nobody owns is free: there lie the pieces of deleted files.
 *
 * Threads: one thread fills a ground; then any number may ask it.
 */
#ifndef BURIN_CARVER_ASSEMBLE_GROUND_H
#define BURIN_CARVER_ASSEMBLE_GROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Owners that are no objects. */
#define GROUND_FILE_SYSTEM 0

struct ground_owned {
    uint64_t begin, end; /* bytes of the image */
    uint64_t first;      /* image offset: where its object begins, here or in another piece */
    int64_t owner;       /* id of an object, GROUND_FILE_SYSTEM, or below 0: see whole_tell */
    uint64_t behind;     /* the furthest end of this range and all before it, */
    uint64_t firm;       /* and of those among them that belong to no object of a scan */
};

/* Zeroed is empty. */
struct ground {
    struct ground_owned *items; /* by begin, after ground_settle; they may overlap */
    size_t count, room;
};

/* Adds [begin, end), which is not empty. */
ERR_MUST_CHECK enum err_code ground_add(struct ground *ground, uint64_t begin, uint64_t end,
                                        int64_t owner, struct err *err);
/* The same of a piece of an object that begins at image offset first. */
ERR_MUST_CHECK enum err_code ground_add_piece(struct ground *ground, uint64_t begin, uint64_t end,
                                              uint64_t first, int64_t owner, struct err *err);
/* Sorts what was added; before the functions below. */
void ground_settle(struct ground *ground);
void ground_release(struct ground *ground);

/* The index of the first that may own bytes behind this offset. */
size_t ground_from(const struct ground *ground, uint64_t offset);

/*
 * An owner of bytes of [begin, end) that is none of except[except_count]: the one whose bytes begin
 * first; NULL: there is none, the bytes are free.
 */
const struct ground_owned *ground_owner(const struct ground *ground, uint64_t begin, uint64_t end,
                                        const int64_t *except, uint32_t except_count);

/*
 * The first range that belongs to no object of a scan (its owner is GROUND_FILE_SYSTEM or below 0),
 * and ends behind this offset; NULL: there is none.
 */
const struct ground_owned *ground_firm(const struct ground *ground, uint64_t offset);

/* Whether the byte belongs to an object that was put together: its owner is below 0. */
bool ground_is_told(const struct ground *ground, uint64_t offset);

/* Moves all that the other ground has into this one, and settles it. */
ERR_MUST_CHECK enum err_code ground_take(struct ground *ground, struct ground *other,
                                         struct err *err);

#endif
