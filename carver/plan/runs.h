/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/runs.h - the bytes of a range of the image that are looked at.
 *
 * A header counts when its file begins in a run, a footer when it lies in one. Validators may read
 * on behind it. A file of a rule, which has no validator, lies in one run as a whole.
 *
 *   runs      ▓▓▓   ▓▓▓▓▓            ▓▓
 *   stretches ███████████            ██      what is read in one go, with the short gaps in it
 */
#ifndef BURIN_CARVER_PLAN_RUNS_H
#define BURIN_CARVER_PLAN_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bisect.h"
#include "io/reader.h"

struct runs {
    const struct io_range *items; /* [count]: ascending, not touching */
    uint32_t count;
};

static inline bool runs_begins(const void *run, uint64_t at)
{
    return ((const struct io_range *)run)->offset <= at;
}

static inline bool runs_ends(const void *run, uint64_t at)
{
    const struct io_range *range = run;

    return range->offset + range->len <= at;
}

/* Of ranges in order, the last one that begins at or before image offset at; NULL: none. */
static inline const struct io_range *runs_last(const struct io_range *ranges, uint32_t count,
                                               uint64_t at)
{
    const size_t begun = bisect(ranges, count, sizeof *ranges, runs_begins, at);

    return begun > 0 ? &ranges[begun - 1] : NULL;
}

/* The run with the byte at image offset at; NULL: none. */
static inline const struct io_range *runs_at(const struct runs *runs, uint64_t at)
{
    const struct io_range *run = runs_last(runs->items, runs->count, at);

    return run != NULL && at - run->offset < run->len ? run : NULL;
}

/* The index of the first run that ends behind image offset at, or their number. */
static inline uint32_t runs_from(const struct runs *runs, uint64_t at)
{
    return (uint32_t)bisect(runs->items, runs->count, sizeof *runs->items, runs_ends, at);
}

#endif
