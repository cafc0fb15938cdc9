/* SPDX-License-Identifier: Apache-2.0
 * match/papers/rabin_karp/rk_scan.cu - the kernels of rk_scan.c, each a thread an item; blocks and
 * threads are the paper's (section 5), but as many as fit. */
/* Marks for profilers take a sixth of the time to compile, and load what the environment names. */
#define CCCL_DISABLE_NVTX
/* Its flows: to set them up loads all of the library of C++ in each start of the program. */
#include <ostream>
#define _GLIBCXX_IOSTREAM 1
#include <cub/device/device_scan.cuh>

#include "match/kernel/collect.cuh"

extern "C" {
#include "match/papers/rabin_karp/rk_scan.h"
}

enum { SCAN_THREADS = 256, SCAN_BLOCKS = 2048 };

struct scan_add {
    __host__ __device__ __forceinline__ uint32_t operator()(uint32_t a, uint32_t b) const
    {
        return rk_prime_add(a, b);
    }
};

static __global__ void __launch_bounds__(SCAN_THREADS)
    rk_scan_insert_all(const __grid_constant__ struct rk_pass p)
{
    const uint32_t i = blockIdx.x * SCAN_THREADS + threadIdx.x;

    if (i < p.count)
        rk_scan_insert(&p, i);
}

static __global__ void __launch_bounds__(SCAN_THREADS)
    rk_scan_terms_all(const __grid_constant__ struct rk_pass p, uint32_t n)
{
    for (uint64_t i = blockIdx.x * SCAN_THREADS + threadIdx.x; i < n; i += gridDim.x * SCAN_THREADS)
        rk_scan_term(&p, n, (uint32_t)i);
}

static __global__ void __launch_bounds__(SCAN_THREADS)
    rk_scan_windows_all(const __grid_constant__ struct rk_pass p, uint32_t n)
{
    __shared__ struct collect_room<COLLECT_BLOCK> room;
    const uint32_t windows = n - p.len + 1;

    if (threadIdx.x == 0)
        room.open();
    __syncthreads();
    for (uint64_t j = blockIdx.x * SCAN_THREADS; j < windows; j += gridDim.x * SCAN_THREADS) {
        if (j + threadIdx.x < windows)
            rk_scan_window(&p, n, (uint32_t)j + threadIdx.x, &room.collect);
        if (__syncthreads_or(threadIdx.x == 0 && room.half_full()))
            collect_flush(&room.collect, &p.search.view);
    }
    collect_flush(&room.collect, &p.search.view);
}

static uint32_t scan_blocks(uint32_t items)
{
    const uint32_t blocks = (items + SCAN_THREADS - 1) / SCAN_THREADS;

    return blocks < SCAN_BLOCKS ? blocks : (uint32_t)SCAN_BLOCKS;
}

extern "C" size_t rk_scan_temporary_cuda(uint32_t n)
{
    size_t size = 0;

    /* Where there is no device, nobody will scan on it. */
    if (cub::DeviceScan::InclusiveScan(nullptr, size, static_cast<uint32_t *>(nullptr),
                                       static_cast<uint32_t *>(nullptr), scan_add(),
                                       n) != cudaSuccess)
        (void)cudaGetLastError();
    return size;
}

extern "C" int rk_scan_insert_cuda(const void *args, void *stream)
{
    const struct rk_pass *p = static_cast<const struct rk_pass *>(args);

    rk_scan_insert_all<<<(p->count + SCAN_THREADS - 1) / SCAN_THREADS, SCAN_THREADS, 0,
                         static_cast<cudaStream_t>(stream)>>>(*p);
    return static_cast<int>(cudaPeekAtLastError());
}

extern "C" int rk_scan_terms_cuda(const void *args, void *stream)
{
    const struct rk_pass *p = static_cast<const struct rk_pass *>(args);
    const uint32_t n = rk_pass_n(p);

    rk_scan_terms_all<<<scan_blocks(n), SCAN_THREADS, 0, static_cast<cudaStream_t>(stream)>>>(*p,
                                                                                              n);
    return static_cast<int>(cudaPeekAtLastError());
}

extern "C" int rk_scan_sums_cuda(const void *args, void *stream)
{
    const struct rk_pass *p = static_cast<const struct rk_pass *>(args);
    size_t size = p->temporary_size;

    return static_cast<int>(cub::DeviceScan::InclusiveScan(p->temporary, size, p->sums, p->sums,
                                                           scan_add(), rk_pass_n(p),
                                                           static_cast<cudaStream_t>(stream)));
}

extern "C" int rk_scan_windows_cuda(const void *args, void *stream)
{
    const struct rk_pass *p = static_cast<const struct rk_pass *>(args);
    const uint32_t n = rk_pass_n(p);

    rk_scan_windows_all<<<scan_blocks(n - p->len + 1), SCAN_THREADS, 0,
                          static_cast<cudaStream_t>(stream)>>>(*p, n);
    return static_cast<int>(cudaPeekAtLastError());
}
