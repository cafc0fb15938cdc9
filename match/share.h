/*
 * match/share.h - a sink that one scan fills, from one thread or from several at a time.
 *
 * What does not fit is counted and not kept: then the whole scan has to be given up, and the sink is as it was.
 */
#ifndef BURIN_MATCH_SHARE_H
#define BURIN_MATCH_SHARE_H

#include <stdatomic.h>

#include "match/engine.h"

struct match_share {
    struct match_sink *sink;
    bool several; /* threads */
    _Atomic uint32_t count;
};

static inline void match_share_init(struct match_share *share, struct match_sink *sink, bool several)
{
    share->sink = sink;
    share->several = several;
    atomic_init(&share->count, sink->count);
}

static inline bool match_share_full(struct match_share *share)
{
    return atomic_load_explicit(&share->count, memory_order_relaxed) > share->sink->max;
}

/* False when the sink is full: the caller stops. */
static inline bool match_share_add(struct match_share *share, struct hit hit)
{
    uint32_t at;

    if (share->several) {
        at = atomic_fetch_add_explicit(&share->count, 1, memory_order_relaxed);
    } else {
        at = atomic_load_explicit(&share->count, memory_order_relaxed);
        atomic_store_explicit(&share->count, at + 1, memory_order_relaxed);
    }
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
