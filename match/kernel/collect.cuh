/* SPDX-License-Identifier: Apache-2.0
 * match/kernel/collect.cuh - what a block of threads, or a warp, does with collected hits. */
#ifndef BURIN_MATCH_KERNEL_COLLECT_CUH
#define BURIN_MATCH_KERNEL_COLLECT_CUH

extern "C" {
#include "match/kernel/collect.h"
}

enum {
    COLLECT_LANES = 32,
    COLLECT_BLOCK = 512, /* hits, a good room for a block */
    COLLECT_WARP = 128,  /* for a warp */
};

/* In shared memory; one thread opens it. */
template <uint32_t ROOM> struct collect_room {
    struct collect collect;
    struct ring_hit hits[ROOM];

    __device__ void open()
    {
        collect = { 0, 0, ROOM, hits };
    }

    __device__ bool half_full() const
    {
        return collect.count > ROOM / 2;
    }
};

/* The hits go out: by threads 0 to `threads`, of which this is one. */
static __device__ __forceinline__ void collect_write(const struct collect *collect,
                                                     const struct ring_view *view, uint32_t count,
                                                     uint32_t thread, uint32_t threads)
{
    for (uint32_t i = thread; i < count; i += threads)
        if (collect->at + i < view->hits_max)
            view->hits[collect->at + i] = collect->hits[i];
}

static __device__ __forceinline__ uint32_t collect_count(const struct collect *collect)
{
    return collect->count < collect->room ? collect->count : collect->room;
}

/* All threads of the block; none adds hits until all are back. */
static __device__ __forceinline__ void collect_flush(struct collect *collect,
                                                     const struct ring_view *view)
{
    __syncthreads();
    const uint32_t count = collect_count(collect);
    if (threadIdx.x == 0 && count > 0)
        collect->at = atomicAdd(&view->found->count, count);
    __syncthreads();
    collect_write(collect, view, count, threadIdx.x, blockDim.x);
    if (threadIdx.x == 0)
        collect->count = 0;
    __syncthreads();
}

/* All lanes of the warp whose hits they are. */
static __device__ __forceinline__ void collect_flush_warp(struct collect *collect,
                                                          const struct ring_view *view)
{
    const uint32_t lane = threadIdx.x % COLLECT_LANES;

    __syncwarp();
    const uint32_t count = collect_count(collect);
    if (lane == 0 && count > 0)
        collect->at = atomicAdd(&view->found->count, count);
    __syncwarp();
    collect_write(collect, view, count, lane, COLLECT_LANES);
    __syncwarp();
    if (lane == 0)
        collect->count = 0;
    __syncwarp();
}

#endif
