/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/open_ranges.h - the ranges that somebody has asked for by name: they have no place
 * in the tree, so each gets a number while it is in use.
 *
 * At most OPEN_RANGES_MAX are known at a time. The one that was used longest ago and is not open
 * makes room for the next one; the kernel asks for it by name again. Any number of threads.
 */
#ifndef BURIN_CARVER_MOUNT_OPEN_RANGES_H
#define BURIN_CARVER_MOUNT_OPEN_RANGES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/mount/ranges.h"

enum { OPEN_RANGES_MAX = 4096 };

struct open_range {
    struct ranges *ranges; /* owned; NULL: the place is free */
    char *name;            /* owned */
    uint64_t number, used; /* used: when, as a count of uses */
    uint32_t image, opens;
};

struct open_ranges {
    struct open_range *items; /* [OPEN_RANGES_MAX] */
    uint64_t next, uses;
    pthread_mutex_t lock;
};

/* ERR_ENV: no memory. */
ERR_MUST_CHECK enum err_code open_ranges_open(struct open_ranges *open, struct err *err);
void open_ranges_close(struct open_ranges *open);

/*
 * The number of these ranges of the image, from 1 on, never used twice for others. ranges is
 * copied. Returns 0 or an errno: ENFILE, all places are open; ENOMEM.
 */
int open_ranges_add(struct open_ranges *open, uint32_t image, const char *name,
                    const struct ranges *ranges, uint64_t *number);

/* A copy of the ranges of this number. False: they made room for others. */
bool open_ranges_get(struct open_ranges *open, uint64_t number, uint32_t *image,
                     struct ranges *out);

/* They are open once more (by 1), or less (-1). False: as of open_ranges_get. */
bool open_ranges_hold(struct open_ranges *open, uint64_t number, int by);

#endif
