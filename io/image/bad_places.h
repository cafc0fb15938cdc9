/* SPDX-License-Identifier: Apache-2.0
 * io/image/bad_places.h - what is known of the places of an image that cannot be read: which they
 * are, and how long was spent on them (io/ only).
 *
 * A disk may take seconds for a read that fails. So what has failed is never asked for again while
 * the image is open, and around slow places the disk is asked for less and less:
 *
 *   window of 16 MiB    ░░░░-░--**********░░░░*************************░░░░
 *                       cut to sectors    │   tried again: fails       │
 *                       until the time    64 KiB on                    128 KiB on, ... 1 MiB
 *                       is spent
 *
 * Where many probes in a row fail, a surface is dead, and there may be much more of it: steps grow
 * on, and a window that the last step reaches into begins with it, without time of its own.
 *
 * Any thread may call all of this.
 */
#ifndef BURIN_IO_IMAGE_BAD_PLACES_H
#define BURIN_IO_IMAGE_BAD_PLACES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "io/image/bad_list.h"

enum {
    IO_BAD_PLACES_WINDOW = 16 << 20, /* bytes */
    IO_BAD_PLACES_SECONDS = 60, /* spent on failed reads of a window before it is stepped over */
    IO_BAD_PLACES_PROBE = 64 << 10,   /* bytes of a read between steps, and of the first step */
    IO_BAD_PLACES_STEP_MAX = 1 << 20, /* bytes; steps are doubled up to it, */
    IO_BAD_PLACES_ROW = 8,            /* and after so many probes in a row that failed */
    IO_BAD_PLACES_STEP_FAR = 8 << 20, /* up to this */
    IO_BAD_PLACES_WINDOWS = 64,       /* remembered */
};

/* A window in which reads have failed. */
struct io_bad_places_window {
    uint64_t number;     /* offset / IO_BAD_PLACES_WINDOW, plus 1; 0: free */
    uint64_t spent_ns;   /* on reads that failed; where several were under way, that time once */
    uint64_t counted_ns; /* until when it is counted */
    uint64_t step;       /* bytes of the last step; 0: not slow */
    uint64_t step_until; /* image offset below which nothing more is tried */
    uint32_t row;        /* probes that failed one behind the other */
};

/* Zeroed is none. */
struct io_bad_places {
    pthread_mutex_t lock;     /* of all below; zeros are an unlocked one on Linux */
    atomic_bool any;          /* some read has failed */
    struct io_bad_list found; /* ascending, apart: by salvage */
    struct io_bad_list pages; /* as found: no read through the page cache gives a byte of them */
    struct io_bad_places_window windows[IO_BAD_PLACES_WINDOWS];
    uint64_t (*clock)(void); /* nanoseconds; for tests. NULL: CLOCK_MONOTONIC */
};

uint64_t io_bad_places_now(const struct io_bad_places *places);

/* A read at offset failed, which was begun at since_ns. */
void io_bad_places_failed(struct io_bad_places *places, uint64_t offset, uint64_t since_ns);

/* So much is known to be bad. False: no memory. */
bool io_bad_places_add(struct io_bad_places *places, const struct io_bad_range *range);

/* The first range known to be bad that ends behind offset. False: none. */
bool io_bad_places_find(struct io_bad_places *places, uint64_t offset, struct io_bad_range *out);

/*
 * Whether too long was spent on the window of offset. *until: nothing below this offset is tried;
 * at or below `offset` itself: a read of IO_BAD_PLACES_PROBE bytes may be.
 */
bool io_bad_places_slow(struct io_bad_places *places, uint64_t offset, uint64_t *until);

/* Whether a read has failed in the window of offset, or in the one before. */
bool io_bad_places_near(struct io_bad_places *places, uint64_t offset);

/* No read through the page cache gives a byte of the range. Without memory that is forgotten. */
void io_bad_places_add_page(struct io_bad_places *places, const struct io_bad_range *range);

/* Whether a read of [begin, end) that is not cut is known to fail; *cause: the errno. */
bool io_bad_places_fails(struct io_bad_places *places, uint64_t begin, uint64_t end, int *cause);

/* A read between steps failed, which ended at offset: the next step is longer. */
void io_bad_places_step(struct io_bad_places *places, uint64_t failed, uint64_t offset);

/* A read between steps, at offset, gave its bytes. */
void io_bad_places_stepped(struct io_bad_places *places, uint64_t offset);

void io_bad_places_release(struct io_bad_places *places);

#endif
