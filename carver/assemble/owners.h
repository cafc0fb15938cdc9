/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/owners.h - the objects of an image as assembly sees them.
 *
 * Threads: one thread loads them; then any number may look.
 */
#ifndef BURIN_CARVER_ASSEMBLE_OWNERS_H
#define BURIN_CARVER_ASSEMBLE_OWNERS_H

#include "carver/assemble/ground.h"
#include "carver/assemble/seams.h"
#include "carver/plan/containment_rows.h"
#include "db/case.h"

struct owner {
    int64_t id, parent_id;
    uint64_t offset, len; /* of its first piece, in the image */
    bool complete;        /* whole, in one piece or in several */
    bool proven, in_pieces;
    bool ends_in_zeros; /* they stand behind its end, to the end of its last sector */
};

/* Zeroed is empty. */
struct owners {
    struct owner *items; /* by (offset, id) */
    size_t count, room;
};

/* The objects of a scan that has just ended, in memory: nothing was put together so far. */
struct owners_seen {
    const struct db_place *places; /* [place_count]: by (offset, id) */
    uint32_t place_count;
    const struct containment_rows *nested; /* sorted */
};

/*
 * Loads all objects of the image, adds to the ground what whole ones own that lie in no other one,
 * and to the seams those of objects that were put together before; NULL: nobody wants them. Errors:
 * those of the case file; ERR_ENV.
 */
ERR_MUST_CHECK enum err_code owners_load(struct db_case *db, int64_t image_id, struct owners *out,
                                         struct ground *ground, struct seams *seams,
                                         struct err *err);
/* The same, without the case file. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code owners_take(const struct owners_seen *seen, struct owners *out,
                                         struct ground *ground, struct err *err);
void owners_release(struct owners *owners);

/* The index of the first that begins at or behind this offset. */
size_t owners_from(const struct owners *owners, uint64_t offset);
/*
 * The furthest end of the first pieces of whole, proven objects that begin before this offset, as
 * image offset; 0: there are none. For a walk over ascending offsets: *next is 0 at first, and `to`
 * what the call before returned.
 */
uint64_t owners_proven_to(const struct owners *owners, uint64_t offset, size_t *next, uint64_t to);
/* The object of this id that begins at this offset; NULL: there is none. */
const struct owner *owners_find(const struct owners *owners, uint64_t offset, int64_t id);
/* The same; from: what owners_from gives for the offset. */
const struct owner *owners_find_from(const struct owners *owners, size_t from, uint64_t offset,
                                     int64_t id);

#endif
