/* SPDX-License-Identifier: Apache-2.0
 * base/hit_saved.c - see hit_saved.h. */
#include "base/hit_saved.h"

#include "base/limits.h"

void hit_saved_put(const struct hit *hits, uint32_t count, struct pack *out)
{
    uint64_t last = 0;

    pack_number(out, count);
    for (uint32_t i = 0; i < count; i++) {
        pack_number(out, hits[i].offset - last);
        pack_number(out, hits[i].pattern);
        pack_number(out, hits[i].len);
        last = hits[i].offset;
    }
}

void hit_saved_next(struct hit_saved *last, uint64_t end, uint32_t pattern_count, struct unpack *in)
{
    struct hit *hit = &last->hit;
    const uint32_t before = hit->pattern;

    in->failed = in->failed || pattern_count == 0 || hit->offset >= end;
    if (in->failed)
        return;
    const uint64_t more = unpack_number(in, end - 1 - hit->offset);
    hit->offset += more;
    hit->pattern = (uint32_t)unpack_number(in, pattern_count - 1);
    hit->len = (uint32_t)unpack_number(in, LIMIT_REGEX_MATCH_LEN);
    in->failed = in->failed || hit->len == 0 || (last->some && more == 0 && hit->pattern <= before);
    last->some = true;
}
