/* SPDX-License-Identifier: Apache-2.0
 * match/papers/pfac/pfac.cuh - what the two kernels of pfac.c share: tiles of text, and hits, which
 * a warp collects in shared memory, so that one atomic addition makes room for many of them. A
 * place is an index of the text, counted from the aligned address at or before it.
 */
#ifndef BURIN_MATCH_PAPERS_PFAC_PFAC_CUH
#define BURIN_MATCH_PAPERS_PFAC_PFAC_CUH

extern "C" {
#include "match/papers/pfac/pfac_gpu.h"
}

enum {
    PFAC_LANES = 32,
    PFAC_HITS =
        96, /* that a warp collects; as many as lanes have one each must fit behind others */
};

struct pfac_tiles {
    struct pfac_search s;
    const uint8_t *base; /* of places */
    uint32_t skew;       /* place of the text's first byte */
    uint32_t from, end;  /* places at which walks begin; none goes on to end */
    uint32_t first;      /* place of the first tile or row, a multiple of 16 */
    uint32_t count;      /* of tiles or rows */
};

static inline struct pfac_tiles pfac_tiles_of(const struct pfac_search *s, uint32_t tile)
{
    const uint32_t skew = (uint32_t)((uintptr_t)s->search.view.text % 16);
    const uint32_t from = search_first(&s->search) + skew, end = s->search.view.to + skew,
                   first = from / 16 * 16;

    return {
        *s, s->search.view.text - skew, skew, from, end, first, (end - first + tile - 1) / tile
    };
}

static __device__ __forceinline__ uint4 pfac_load(const struct pfac_tiles &t, uint64_t place)
{
    return place < t.end ? __ldg(reinterpret_cast<const uint4 *>(t.base + place))
                         : uint4{ 0, 0, 0, 0 };
}

/* Hits of a warp; the same in all lanes, but for `lane`. */
struct pfac_hits {
    struct ring_hit *items; /* [PFAC_HITS], shared */
    uint32_t count, lane;
};

/* All lanes together, as everything below: makes room in device memory for the hits collected, and
 * writes them there. */
static __device__ __forceinline__ void pfac_flush(const struct ring_view &view,
                                                  struct pfac_hits *hits)
{
    uint32_t at = 0;

    __syncwarp();
    if (hits->lane == 0 && hits->count > 0)
        at = atomicAdd(&view.found->count, hits->count);
    at = __shfl_sync(0xffffffff, at, 0);
    for (uint32_t i = hits->lane; i < hits->count; i += PFAC_LANES)
        if (at + i < view.hits_max)
            view.hits[at + i] = hits->items[i];
    hits->count = 0;
    __syncwarp();
}

/* Collects what each lane has found of walks that began at text index `begin`. */
static __device__ __forceinline__ void pfac_collect(const struct pfac_search &s,
                                                    struct pfac_hits *hits, struct pfac_found found,
                                                    uint32_t begin)
{
    uint32_t next = found.first;
    const uint32_t end = next + found.count;

    while (__any_sync(0xffffffff, next < end)) {
        struct pfac_output o = {};
        bool hit = false;

        if (next < end) {
            o = s.pfac.outputs[next++];
            hit = pfac_matches(&s, &o, begin);
        }
        const uint32_t who = __ballot_sync(0xffffffff, hit);
        if (hits->count + __popc(who) > PFAC_HITS)
            pfac_flush(s.search.view, hits);
        if (hit)
            hits->items[hits->count + __popc(who & ((1u << hits->lane) - 1))] = {
                begin - o.at, o.pattern << 8 | o.len
            };
        hits->count += __popc(who);
    }
}

/* Whether anything that is found there is a match, where that is not certain. */
static __device__ __noinline__ bool pfac_any(const struct pfac_search &s, uint32_t index,
                                             uint32_t begin)
{
    const struct pfac_found found = s.pfac.found[index];

    for (uint32_t i = found.first; i < found.first + found.count; i++)
        if (pfac_matches(&s, &s.pfac.outputs[i], begin))
            return true;
    return false;
}

#endif
