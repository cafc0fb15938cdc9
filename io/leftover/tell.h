/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/tell.h - puts a layout together, and tells it when it is one.
 *
 * Its work is bounded by a budget of runs for each kind of source, so that lists which name each
 * other, or records that all name the same clusters, cost no more than the image has bytes.
 */
#ifndef BURIN_IO_LEFTOVER_TELL_H
#define BURIN_IO_LEFTOVER_TELL_H

#include <stdbool.h>
#include <stdint.h>

#include "io/leftover.h"
#include "io/leftover/geometry.h"

enum {
    TELL_TOLD_MAX = 1 << 21, /* layouts that are remembered, 16 bytes each */
    TELL_TEXT_MAX = 64,
};

struct tell {
    uint64_t image_size;
    io_layout_fn each;
    void *arg;
    /* The layout on its way. */
    struct io_range *runs, *sorted; /* [IO_LAYOUT_RUNS_MAX] */
    uint32_t count;
    uint64_t bytes;
    bool broken;     /* it is none, or there is no budget for it */
    uint64_t budget; /* runs that may still be added */
    uint64_t *told;  /* a hash table of layouts; 0: free */
    uint32_t told_count, told_room;
};

/* Errors: ERR_ENV. Release with tell_release, also after an error. */
ERR_MUST_CHECK enum err_code tell_open(struct tell *tell, uint64_t image_size, io_layout_fn each,
                                       void *arg, struct err *err);
void tell_release(struct tell *tell);

/* A new kind of source begins: it has a budget of its own. */
void tell_source(struct tell *tell);

/* A new layout, without a run. */
void tell_begin(struct tell *tell);

/* Adds bytes of the image behind those that the layout has. Outside of it: the layout is none. */
void tell_add(struct tell *tell, uint64_t offset, uint64_t len);
/* Adds clusters. */
void tell_clusters(struct tell *tell, const struct geometry *volume, uint64_t cluster,
                   uint64_t count);

/*
 * Tells the layout, with all but runs and run_count as in `as`; unit, unit_at and area are those of
 * volume, where it is not NULL. Does nothing where it is none: broken, shorter than its size, in
 * one piece, over itself, or told before. Errors: those of each; ERR_ENV.
 */
ERR_MUST_CHECK enum err_code tell_layout(struct tell *tell, const struct io_layout *as,
                                         const struct geometry *volume, struct err *err);

#endif
