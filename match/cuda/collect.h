/*
 * match/cuda/collect.h - the hits of a block of threads, collected in shared memory before they go to the others: with many of them, to make room
 * for each by itself in device memory would take the time. What there is no room for goes there by itself after all.
 */
#ifndef BURIN_MATCH_CUDA_COLLECT_H
#define BURIN_MATCH_CUDA_COLLECT_H

#include "match/cuda/search.h"

enum { COLLECT_ROOM = 512 };

struct collect {
    uint32_t count; /* also of hits that went past it */
    uint32_t at;    /* where they will stand among all hits */
    struct ring_hit hits[COLLECT_ROOM];
};

/* On the host, collect is NULL. */
VIEW_FN void collect_add(struct collect *collect, const struct ring_view *view, uint32_t start, uint32_t pattern,
                         uint32_t len)
{
#ifdef __CUDA_ARCH__
    const uint32_t at = atomicAdd(&collect->count, 1);

    if (at < COLLECT_ROOM) {
        collect->hits[at].start = start;
        collect->hits[at].what = pattern << 8 | len;
        return;
    }
#else
    (void)collect;
#endif
    search_emit(view, start, pattern, len);
}

/* Compares a pattern with the text from index start on, if the view asks for what would end there. */
VIEW_FN void collect_try(struct collect *collect, const struct search *s, uint32_t start, uint32_t pattern,
                         uint32_t len)
{
    const uint64_t stop = (uint64_t)start + len;

    if (stop > s->view.len || stop <= s->view.from || stop > s->view.to)
        return;
    if (search_compare(&s->tables, pattern, len, s->view.text + start))
        collect_add(collect, &s->view, start, pattern, len);
}

#endif
