/* match/cuda/collect.cuh - what a block of threads does with collected hits. */
#ifndef BURIN_MATCH_CUDA_COLLECT_CUH
#define BURIN_MATCH_CUDA_COLLECT_CUH

extern "C" {
#include "match/cuda/collect.h"
}

/* All threads of the block; none adds hits until all are back. */
static __device__ __forceinline__ void collect_flush(struct collect *collect, const struct ring_view *view)
{
    __syncthreads();
    const uint32_t count = collect->count < COLLECT_ROOM ? collect->count : (uint32_t)COLLECT_ROOM;
    if (threadIdx.x == 0 && count > 0)
        collect->at = atomicAdd(&view->found->count, count);
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
        if (collect->at + i < view->hits_max)
            view->hits[collect->at + i] = collect->hits[i];
    if (threadIdx.x == 0)
        collect->count = 0;
    __syncthreads();
}

#endif
