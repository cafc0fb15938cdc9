/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/shard_cut.c - see shard_cut.h. */
#include "carver/scan/shard_cut.h"

#include "carver/scan/part.h"

enum { CUT_STRIPE = 16 << 20 /* bytes */, CUT_LARGE = 16 * CUT_STRIPE };

static uint64_t cut_end(const struct shard_cut *cut)
{
    const struct io_range *last = &cut->ranges[cut->range_count - 1];

    return cut->range_count > 0 ? last->offset + last->len : cut->whole.offset;
}

uint64_t shard_cut_at(const struct shard_cut *cut, uint32_t number)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < cut->range_count; i++)
        total += cut->ranges[i].len;
    const uint64_t each = total / cut->count, rest = total % cut->count;
    const uint64_t unit = each >= CUT_LARGE ? CUT_STRIPE : PART_ALIGN;
    uint64_t at = each * number + rest * number / cut->count;
    for (uint32_t i = 0; number > 0 && number < cut->count && i < cut->range_count; i++) {
        const struct io_range *range = &cut->ranges[i];

        if (at < range->len) {
            const uint64_t place = range->offset + at - cut->whole.offset;
            const uint64_t begin = cut->whole.offset + place / unit * unit;

            return begin > range->offset ? begin : range->offset;
        }
        at -= range->len;
    }
    return number == 0 && cut->range_count > 0 ? cut->ranges[0].offset : cut_end(cut);
}

uint64_t shard_cut_next(const struct shard_cut *cut, uint64_t at)
{
    for (uint32_t i = 0; i < cut->range_count; i++) {
        const struct io_range *range = &cut->ranges[i];

        if (at < range->offset + range->len)
            return at > range->offset ? at : range->offset;
    }
    return cut_end(cut);
}

uint32_t shard_cut_ranges(const struct shard_cut *cut, uint32_t number, struct io_range *out)
{
    const uint64_t from = shard_cut_at(cut, number), to = shard_cut_at(cut, number + 1);
    uint32_t count = 0;

    for (uint32_t i = 0; i < cut->range_count; i++) {
        const struct io_range *range = &cut->ranges[i];
        const uint64_t end = range->offset + range->len;
        const uint64_t begin = from > range->offset ? from : range->offset;
        const uint64_t stop = to < end ? to : end;

        if (begin < stop)
            out[count++] = (struct io_range){ begin, stop - begin };
    }
    return count;
}
