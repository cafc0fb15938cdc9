/* SPDX-License-Identifier: Apache-2.0
 * match/papers/rabin_karp/match_str.h - patterns compared at every place of a text, for the engine
 * of that name and for what others leave over. */
#ifndef BURIN_MATCH_PAPERS_RABIN_KARP_MATCH_STR_H
#define BURIN_MATCH_PAPERS_RABIN_KARP_MATCH_STR_H

#include "match/device/device.h"
#include "match/kernel/collect.h"

struct match_str {
    struct search search;
    const uint32_t *what; /* on the device: as ring_hit.what */
    uint32_t count;
};

/* Places [match_str_first, view.to) are those at which matches begin that are asked for. */
HOST_DEVICE uint32_t match_str_first(const struct match_str *a)
{
    return search_first(&a->search);
}

HOST_DEVICE void match_str_at(const struct match_str *a, uint32_t start, struct collect *collect)
{
    for (uint32_t i = 0; i < a->count; i++)
        collect_try(collect, &a->search, start, a->what[i] >> 8, a->what[i] & 0xff);
}

/* Enqueues it for some patterns; none is no error. */
ERR_MUST_CHECK enum err_code match_str_enqueue(const struct tables *tables,
                                               const struct ring_view *view, const uint32_t *what,
                                               uint32_t count, struct device_stream *stream,
                                               struct err *err);

#ifdef BURIN_HAVE_CUDA
int match_str_cuda(const void *args, void *stream);
#define MATCH_STR_CUDA match_str_cuda
#else
#define MATCH_STR_CUDA NULL
#endif

#endif
