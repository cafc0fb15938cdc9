/* SPDX-License-Identifier: Apache-2.0
 * match/kernel/collect.h - the hits of a block of threads or of a warp, collected in shared memory
 * before they go to the others: with many of them, to make room for each by itself in device memory
 * would take the time. What there is no room for goes there by itself after all.
 */
#ifndef BURIN_MATCH_KERNEL_COLLECT_H
#define BURIN_MATCH_KERNEL_COLLECT_H

#include "match/kernel/search.h"

struct collect {
    uint32_t count; /* also of hits that went past it */
    uint32_t at;    /* where they will stand among all hits */
    uint32_t room;
    struct ring_hit *hits; /* [room] */
};

/* On the host, collect is NULL. */
HOST_DEVICE void collect_add(struct collect *collect, const struct ring_view *view, uint32_t start,
                             uint32_t pattern, uint32_t len)
{
#ifdef __CUDA_ARCH__
    const uint32_t at = atomicAdd(&collect->count, 1);

    if (at < collect->room) {
        collect->hits[at].start = start;
        collect->hits[at].what = pattern << 8 | len;
        return;
    }
#else
    (void)collect;
#endif
    search_emit(view, start, pattern, len);
}

/* Four bytes at a time, so that their loads do not wait for one another. */
HOST_DEVICE bool collect_equal(const uint8_t *a, const uint8_t *b, uint32_t len)
{
    uint32_t differ = 0, i = 0;

    for (; differ == 0 && i + 4 <= len; i += 4)
        differ = (uint32_t)(a[i] ^ b[i]) | (uint32_t)(a[i + 1] ^ b[i + 1]) |
                 (uint32_t)(a[i + 2] ^ b[i + 2]) | (uint32_t)(a[i + 3] ^ b[i + 3]);
    for (; differ == 0 && i < len; i++)
        differ = (uint32_t)(a[i] ^ b[i]);
    return differ == 0;
}

/* Compares a pattern with the text from index start on, if the view asks for what would end there.
 */
HOST_DEVICE void collect_try(struct collect *collect, const struct search *s, uint32_t start,
                             uint32_t pattern, uint32_t len)
{
    const uint64_t stop = (uint64_t)start + len;

    if (stop > s->view.len || stop <= s->view.from || stop > s->view.to)
        return;
    const struct tables_pattern p = s->tables.patterns[pattern];
    if (p.flags == 0 ? collect_equal(s->tables.blob + p.at, s->view.text + start, len)
                     : search_compare(&s->tables, pattern, len, s->view.text + start))
        collect_add(collect, &s->view, start, pattern, len);
}

#endif
