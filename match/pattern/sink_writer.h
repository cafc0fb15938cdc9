/*
 * match/pattern/sink_writer.h - a sink that one scan fills, from one thread or from several at a
 * time.
 *
 * What does not fit is counted and not kept: then the whole scan has to be given up, and the sink
 * is as it was.
 */
#ifndef BURIN_MATCH_PATTERN_SINK_WRITER_H
#define BURIN_MATCH_PATTERN_SINK_WRITER_H

#include <stdatomic.h>
#include <string.h>

#include "match/engine.h"

struct match_share {
    struct match_sink *sink;
    bool several; /* threads */
    _Atomic uint32_t count;
};

/* What one thread has found and not put into the sink yet: threads that each put in hit after hit
 * wait for one another most of the time. */
enum { MATCH_PART_HITS = 256 };

struct match_part {
    struct match_share *share;
    uint32_t count;
    struct hit hits[MATCH_PART_HITS];
};

static inline void match_share_init(struct match_share *share, struct match_sink *sink,
                                    bool several)
{
    share->sink = sink;
    share->several = several;
    atomic_init(&share->count, sink->count);
}

static inline bool match_share_full(struct match_share *share)
{
    return atomic_load_explicit(&share->count, memory_order_relaxed) > share->sink->max;
}

static inline void match_part_init(struct match_part *part, struct match_share *share)
{
    part->share = share;
    part->count = 0; /* hits are written before they are read */
}

/* To be called when a thread has added the last one, and false then, too, when the sink is full. */
static inline bool match_part_end(struct match_part *part)
{
    struct match_share *share = part->share;

    if (part->count == 0)
        return true;
    const uint32_t at = atomic_fetch_add_explicit(&share->count, part->count, memory_order_relaxed);
    const bool fits = at <= share->sink->max && part->count <= share->sink->max - at;
    if (fits)
        memcpy(share->sink->items + at, part->hits, part->count * sizeof part->hits[0]);
    part->count = 0;
    return fits;
}

/* False when the sink is full: the caller stops. */
static inline bool match_part_add(struct match_part *part, struct hit hit)
{
    struct match_share *share = part->share;

    if (share->several) {
        part->hits[part->count++] = hit;
        return part->count < MATCH_PART_HITS || match_part_end(part);
    }
    const uint32_t at = atomic_load_explicit(&share->count, memory_order_relaxed);
    atomic_store_explicit(&share->count, at + 1, memory_order_relaxed);
    if (at >= share->sink->max)
        return false;
    share->sink->items[at] = hit;
    return true;
}

/* When all threads are done: the answer of scan. */
static inline bool match_share_end(struct match_share *share)
{
    if (match_share_full(share))
        return false;
    share->sink->count = atomic_load_explicit(&share->count, memory_order_relaxed);
    return true;
}

#endif
