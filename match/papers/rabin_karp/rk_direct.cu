/* SPDX-License-Identifier: Apache-2.0
 * match/papers/rabin_karp/rk_direct.cu - the kernels of rk_direct.c; 1024 blocks of 256 threads
 * search, as in the paper (section 5). */
#include "match/kernel/collect.cuh"

extern "C" {
#include "match/papers/rabin_karp/rk_direct.h"
}

enum { DIRECT_THREADS = 256, DIRECT_BLOCKS = 1024 };

static __global__ void __launch_bounds__(DIRECT_THREADS)
    rk_direct_hash_all(const __grid_constant__ struct rk_pass p)
{
    const uint32_t i = blockIdx.x * DIRECT_THREADS + threadIdx.x;

    if (i < p.count)
        p.hashes[i] = rk_pass_pattern(&p, i);
}

static __global__ void __launch_bounds__(DIRECT_THREADS)
    rk_direct_find_all(const __grid_constant__ struct rk_pass p, uint32_t n, uint32_t part)
{
    __shared__ struct collect_room<COLLECT_BLOCK> room;
    const uint64_t start = (uint64_t)(blockIdx.x * DIRECT_THREADS + threadIdx.x) * part;

    if (threadIdx.x == 0)
        room.open();
    __syncthreads();
    if (start < n)
        rk_direct_find(&p, n, (uint32_t)start, (uint32_t)(start + part < n ? start + part : n),
                       &room.collect);
    collect_flush(&room.collect, &p.search.view);
}

extern "C" int rk_direct_hash_cuda(const void *args, void *stream)
{
    const struct rk_pass *p = static_cast<const struct rk_pass *>(args);

    rk_direct_hash_all<<<(p->count + DIRECT_THREADS - 1) / DIRECT_THREADS, DIRECT_THREADS, 0,
                         static_cast<cudaStream_t>(stream)>>>(*p);
    return static_cast<int>(cudaPeekAtLastError());
}

extern "C" int rk_direct_find_cuda(const void *args, void *stream)
{
    const struct rk_pass *p = static_cast<const struct rk_pass *>(args);
    const uint32_t n = rk_pass_n(p), threads = DIRECT_THREADS * DIRECT_BLOCKS;

    rk_direct_find_all<<<DIRECT_BLOCKS, DIRECT_THREADS, 0, static_cast<cudaStream_t>(stream)>>>(
        *p, n, (n + threads - 1) / threads);
    return static_cast<int>(cudaPeekAtLastError());
}
