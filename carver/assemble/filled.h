/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/filled.h - the order in which the holes of a volume were filled.
 *
 * ntfs-3g looks for room FILLED_SKIP clusters behind where its last piece began, and takes the
 * largest hole there, the first of several; where that is behind the end of the volume, or there is
 * no hole, it takes the largest one of all (libntfs-3g/lcnalloc.c, ntfs_cluster_alloc). So of two
 * pieces of which either could have been chosen first, the larger one was; and a piece that is told
 * tells of others what was free when it was chosen.
 *
 * Whether a volume was filled so is learnt from the files that are told. Where none is, or they lie
 * otherwise, nothing is said of any hole.
 *
 * Source: the file named above, version 2022.10.3. Results are integers, in 256ths of a bit.
 *
 * Threads: one thread notes and settles; then any number may ask.
 */
#ifndef BURIN_CARVER_ASSEMBLE_FILLED_H
#define BURIN_CARVER_ASSEMBLE_FILLED_H

#include <stdbool.h>

#include "carver/assemble/holes.h"
#include "carver/assemble/islands.h"

enum {
    FILLED_SKIP = 4096,    /* clusters from where a piece begins to where room is looked for, */
    FILLED_WINDOW = 32768, /* and clusters that are looked at there */
    FILLED_STEPS = 256,    /* of which the first ones are learnt from, at most */
};

/* A hole as it was when it was chosen: image offset and bytes. */
struct filled_hole {
    uint64_t begin, size;
};

/* Two holes that were chosen one after the other. */
struct filled_step {
    struct filled_hole from, to;
    bool last; /* a file ends in the second one: it may have been larger than what it has of it */
};

/* Zeroed: nothing is known. */
struct filled {
    struct filled_step *noted; /* [count], at most FILLED_STEPS: as they were told, */
    struct filled_step *steps; /* [count]: and with the whole of the last holes */
    size_t count, room;
    bool follows;       /* the volume was filled as is said above */
    uint64_t unit, end; /* bytes of a cluster; end of the image */
    uint32_t *order;    /* [hole_count]: numbers of holes, those chosen first before others */
    struct filled_hole *holes; /* [hole_count], by their numbers */
    bool *behind;              /* [hole_count]: another file lies before it in what is free */
    size_t hole_count;
};

/* Notes how a file lies that is told: in `count` pieces. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code filled_note(struct filled *filled, const struct io_range *runs,
                                         uint32_t count, struct err *err);

/* Learns from what was noted, for these holes of an image of so many bytes. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code filled_settle(struct filled *filled, const struct holes *holes,
                                           const struct islands *islands, uint64_t image_len,
                                           struct err *err);
void filled_release(struct filled *filled);

/*
 * How unlikely it is that each hole was chosen behind these pieces of a file, each of which but the
 * last one fills its hole: costs[hole_count], in 256ths of a bit. All are 0 where nothing is known.
 */
void filled_costs(const struct filled *filled, const struct io_range *runs, uint32_t count,
                  uint32_t *costs);

#endif
