/*
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

#include <stdint.h>

#include "io/reader.h"

struct runs {
    const struct io_range *items; /* [count]: ascending, not touching */
    uint32_t count;
};

/* The run with the byte at image offset at; NULL: none. */
static inline const struct io_range *runs_at(const struct runs *runs, uint64_t at)
{
    uint32_t low = 0, high = runs->count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (runs->items[middle].offset <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && at - runs->items[low - 1].offset < runs->items[low - 1].len
               ? &runs->items[low - 1]
               : NULL;
}

#endif
