/* SPDX-License-Identifier: Apache-2.0
 * match/kernel/search.cuh - hits that a block of threads collects in shared memory. */
#ifndef BURIN_MATCH_KERNEL_SEARCH_CUH
#define BURIN_MATCH_KERNEL_SEARCH_CUH

#include <cuda_runtime.h>

extern "C" {
#include "match/kernel/search.h"
}

enum { SEARCH_BLOCK_HITS = 120 }; /* of a block, that have room in shared memory */

struct search_block_hits {
    struct search_near near;
    struct ring_hit hits[SEARCH_BLOCK_HITS];
};

/* By one thread of the block. */
static __device__ __forceinline__ void search_hits_open(struct search_block_hits *hits)
{
    hits->near.count = 0;
    hits->near.max = SEARCH_BLOCK_HITS;
    hits->near.hits = hits->hits;
}

/* All threads of the block are done: their hits go to device memory. */
static __device__ __forceinline__ void search_flush(const struct ring_view &view,
                                                    struct search_near *near)
{
    __syncthreads();
    const uint32_t count = near->count < near->max ? near->count : near->max;
    if (count == 0)
        return;
    if (threadIdx.x == 0)
        near->at = atomicAdd(&view.found->count, count);
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
        if (near->at + i < view.hits_max)
            view.hits[near->at + i] = near->hits[i];
}

#endif
