/* SPDX-License-Identifier: Apache-2.0
 * match/pattern/sort.c - see sort.h.
 *
 * Engines deliver hits nearly in order. Insertion sort is tried first, and given up for heap sort
 * when it has moved more hits than a small multiple of their number. qsort would allocate.
 */
#include <stdbool.h>
#include <stddef.h>

#include "match/pattern/sort.h"

enum { SORT_MOVES_PER_HIT = 8 };

static bool sort_before(const struct hit *a, const struct hit *b)
{
    return a->offset != b->offset ? a->offset < b->offset : a->pattern < b->pattern;
}

static bool sort_insert(struct hit *hits, uint32_t count)
{
    uint64_t moves = (uint64_t)count * SORT_MOVES_PER_HIT;

    for (uint32_t i = 1; i < count; i++) {
        const struct hit hit = hits[i];
        uint32_t to = i;

        while (to > 0 && sort_before(&hit, &hits[to - 1])) {
            hits[to] = hits[to - 1];
            to--;
        }
        hits[to] = hit;
        if (i - to > moves)
            return false;
        moves -= i - to;
    }
    return true;
}

static void sort_sift(struct hit *hits, size_t at, size_t count)
{
    const struct hit hit = hits[at];

    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && sort_before(&hits[child], &hits[child + 1]))
            child++;
        if (!sort_before(&hit, &hits[child]))
            break;
        hits[at] = hits[child];
    }
    hits[at] = hit;
}

void match_sort(struct hit *hits, uint32_t count)
{
    if (sort_insert(hits, count))
        return;
    for (size_t i = count / 2; i-- > 0;)
        sort_sift(hits, i, count);
    for (size_t i = count; i-- > 1;) {
        const struct hit largest = hits[0];
        hits[0] = hits[i];
        hits[i] = largest;
        sort_sift(hits, 0, i);
    }
}
