/* SPDX-License-Identifier: Apache-2.0
 * base/bisect.h - finds a place among items that stand in order.
 *
 * before, a function without effects, is true of the first items and false of all behind them:
 * "begins at or before this offset", "ends at or before it".
 */
#ifndef BURIN_BASE_BISECT_H
#define BURIN_BASE_BISECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How many items are before: the index of the first one that is not, or count. items: [count], of
 * size bytes each; NULL where count is 0. In line, so that a call of before costs nothing.
 */
static inline size_t bisect(const void *items, size_t count, size_t size,
                            bool (*before)(const void *item, uint64_t at), uint64_t at)
{
    size_t low = 0, high = count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (before((const char *)items + middle * size, at))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/*
 * The same for places that ascend: all of [0, from) are before, as those are that an earlier call
 * told. It takes as long as what lies between is long, by its logarithm.
 */
static inline size_t bisect_on(const void *items, size_t count, size_t size,
                               bool (*before)(const void *item, uint64_t at), uint64_t at,
                               size_t from)
{
    size_t step = 1;

    while (from + step <= count && before((const char *)items + (from + step - 1) * size, at)) {
        from += step;
        step *= 2;
    }
    const size_t left = from + step <= count ? step - 1 : count - from;
    return left == 0 ? from
                     : from + bisect((const char *)items + from * size, left, size, before, at);
}

/* The index of the last item that is before; 0 where none is. Arguments as of bisect. */
static inline size_t bisect_last(const void *items, size_t count, size_t size,
                                 bool (*before)(const void *item, uint64_t at), uint64_t at)
{
    const size_t behind = bisect(items, count, size, before, at);

    return behind > 0 ? behind - 1 : 0;
}

#endif
