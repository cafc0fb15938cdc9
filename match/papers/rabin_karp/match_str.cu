/* SPDX-License-Identifier: Apache-2.0
 * match/papers/rabin_karp/match_str.cu - the kernel of match_str.c. */
#include "match/kernel/collect.cuh"

extern "C" {
#include "match/papers/rabin_karp/match_str.h"
}

enum { MATCH_STR_THREADS = 256, MATCH_STR_PLACES = 16 /* of a thread */ };

static __global__ void __launch_bounds__(MATCH_STR_THREADS)
    match_str_walk(const __grid_constant__ struct match_str a, uint32_t first)
{
    __shared__ struct collect_room<COLLECT_BLOCK> room;
    const uint32_t begin = first + blockIdx.x * MATCH_STR_THREADS * MATCH_STR_PLACES;

    if (threadIdx.x == 0)
        room.open();
    __syncthreads();
    for (uint32_t i = 0; i < MATCH_STR_PLACES; i++) {
        const uint32_t start = begin + i * MATCH_STR_THREADS + threadIdx.x;

        if (start < a.search.view.to)
            match_str_at(&a, start, &room.collect);
    }
    collect_flush(&room.collect, &a.search.view);
}

extern "C" int match_str_cuda(const void *args, void *stream)
{
    const struct match_str *a = static_cast<const struct match_str *>(args);
    const uint32_t first = match_str_first(a), each = MATCH_STR_THREADS * MATCH_STR_PLACES;

    if (a->search.view.to > first)
        match_str_walk<<<(a->search.view.to - first + each - 1) / each, MATCH_STR_THREADS, 0,
                         static_cast<cudaStream_t>(stream)>>>(*a, first);
    return static_cast<int>(cudaPeekAtLastError());
}
