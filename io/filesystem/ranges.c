/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/ranges.c - see ranges.h. */
#include "io/filesystem/ranges.h"
#include "base/grow.h"

#include <stdlib.h>

void ranges_release(struct ranges *ranges)
{
    free(ranges->items);
    *ranges = (struct ranges){ 0 };
}

static uint64_t ranges_end(const struct io_range *range)
{
    return range->offset + range->len;
}

enum err_code ranges_add(struct ranges *ranges, uint64_t offset, uint64_t len, bool *full,
                         struct err *err)
{
    *full = false;
    if (len == 0 || len > UINT64_MAX - offset)
        return ERR_OK;
    if (ranges->count > 0 && ranges_end(&ranges->items[ranges->count - 1]) == offset) {
        ranges->items[ranges->count - 1].len += len;
        return ERR_OK;
    }
    if (ranges->count >= RANGES_MAX) {
        *full = true;
        return ERR_OK;
    }
    const enum err_code rc =
        grow_items(&ranges->items, ranges->count, &ranges->room, sizeof *ranges->items, err);

    if (rc == ERR_OK)
        ranges->items[ranges->count++] = (struct io_range){ offset, len };
    return rc;
}

static int ranges_compare(const void *a, const void *b)
{
    const struct io_range *x = a, *y = b;

    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

void ranges_sort(struct ranges *ranges)
{
    uint32_t kept = 0;

    if (ranges->count > 0)
        qsort(ranges->items, ranges->count, sizeof *ranges->items, ranges_compare);
    for (uint32_t i = 0; i < ranges->count; i++) {
        const struct io_range range = ranges->items[i];
        struct io_range *last = kept > 0 ? &ranges->items[kept - 1] : NULL;

        if (last == NULL || range.offset > ranges_end(last))
            ranges->items[kept++] = range;
        else if (ranges_end(&range) > ranges_end(last))
            last->len = ranges_end(&range) - last->offset;
    }
    ranges->count = kept;
}

/* The bytes of a that are in b, or are not. A list of a and b has at most as many ranges as both
 * together, so that full is never reached by lists that were not full. */
static enum err_code ranges_cut(const struct ranges *a, const struct ranges *b, bool in,
                                struct ranges *out, struct err *err)
{
    enum err_code rc = ERR_OK;
    bool full = false;
    uint32_t k = 0;

    for (uint32_t i = 0; rc == ERR_OK && i < a->count; i++) {
        const uint64_t end = ranges_end(&a->items[i]);
        uint64_t at = a->items[i].offset;

        while (k < b->count && ranges_end(&b->items[k]) <= at)
            k++;
        for (uint32_t n = k; rc == ERR_OK && at < end; n++) {
            const uint64_t from = n < b->count ? b->items[n].offset : end;
            const uint64_t begin = from < at ? at : from < end ? from : end;
            const uint64_t stop =
                n < b->count && ranges_end(&b->items[n]) < end ? ranges_end(&b->items[n]) : end;

            if (!in)
                rc = ranges_add(out, at, begin - at, &full, err);
            else if (begin < stop)
                rc = ranges_add(out, begin, stop - begin, &full, err);
            at = begin < stop ? stop : end;
        }
    }
    return rc == ERR_OK && full
               ? ERR_RAISE(err, ERR_ENV, "the file systems have too many runs of blocks")
               : rc;
}

enum err_code ranges_both(const struct ranges *a, const struct ranges *b, struct ranges *out,
                          struct err *err)
{
    return ranges_cut(a, b, true, out, err);
}

enum err_code ranges_without(const struct ranges *a, const struct ranges *b, struct ranges *out,
                             struct err *err)
{
    return ranges_cut(a, b, false, out, err);
}
