/* SPDX-License-Identifier: Apache-2.0
 * base/hit_saved.h - hits as bytes, in the order of the image: how a shard has them.
 *
 * A number of hits, and for each the bytes from the one before to its first one, its pattern and
 * its length; all as base/pack.h writes numbers. By offset, and of one offset by pattern.
 *
 * Threads: one at a time for each struct.
 */
#ifndef BURIN_BASE_HIT_SAVED_H
#define BURIN_BASE_HIT_SAVED_H

#include "base/hit.h"
#include "base/limits.h"
#include "base/pack.h"

enum { HIT_SAVED_LEAST = 3 /* bytes of a hit, at least */ };

void hit_saved_put(const struct hit *hits, uint32_t count, struct pack *out);

/* The last one that was read; zeroed there is none. */
struct hit_saved {
    struct hit hit;
    bool some;
};

/*
 * Reads the next hit, which begins below image offset `end` and is of one of pattern_count
 * patterns, into *last. Nobody vouches for the bytes: what is wrong is in in->failed, also an order
 * that is another.
 */
static inline void hit_saved_next(struct hit_saved *last, uint64_t end, uint32_t pattern_count,
                                  struct unpack *in)
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

#endif
