/* SPDX-License-Identifier: Apache-2.0
 * match/papers/mbm/mbm_gpu.cu - Zha and Sahni, section 5.1.2: mBM0, with the reverse trie in device
 * memory, and mBM1, with it in texture memory. In both the bad character function, shift1 and
 * shift2 are in shared memory, and the text is read byte by byte from device memory; 64 threads a
 * block, 228 bytes a thread, as in AC0.
 */
#include "match/kernel/search.cuh"

extern "C" {
#include "match/papers/mbm/mbm_gpu.h"
}

enum { MBM_THREADS = 64, MBM_BYTES = 228 };

/* Shifts follow. */
struct mbm_gpu_shared {
    struct mbm_gpu_fixed fixed;
    struct search_block_hits hits;
};

template <bool Narrow, bool Texture>
static __global__ void __launch_bounds__(MBM_THREADS)
    mbm_gpu_walk(const __grid_constant__ struct mbm_gpu m, uint32_t first, uint32_t count)
{
    extern __shared__ struct mbm_gpu_shared mbm_room[];
    uint16_t *shifts = reinterpret_cast<uint16_t *>(mbm_room + 1);
    uint32_t *words = reinterpret_cast<uint32_t *>(&mbm_room->fixed);
    const uint64_t from = first + ((uint64_t)blockIdx.x * MBM_THREADS + threadIdx.x) * MBM_BYTES;

    for (uint32_t i = threadIdx.x; i < sizeof mbm_room->fixed / 4; i += MBM_THREADS)
        words[i] = reinterpret_cast<const uint32_t *>(m.fixed)[i];
    for (uint32_t i = threadIdx.x; i < count; i += MBM_THREADS)
        shifts[i] = m.shifts[i];
    if (threadIdx.x == 0)
        search_hits_open(&mbm_room->hits);
    __syncthreads();
    if (from < m.search.view.to) {
        const struct mbm_gpu_fast fast = { &mbm_room->fixed, shifts, count, &mbm_room->hits.near };
        const uint32_t left = m.search.view.to - (uint32_t)from;

        mbm_gpu_slide(&m, &fast, (uint32_t)from,
                      (uint32_t)from + (left < MBM_BYTES ? left : MBM_BYTES), Narrow, Texture);
    }
    search_flush(m.search.view, &mbm_room->hits.near);
}

extern "C" int mbm_gpu_cuda(const void *args, void *stream)
{
    const struct mbm_gpu *m = static_cast<const struct mbm_gpu *>(args);
    const uint32_t first = mbm_gpu_first(m), bytes = MBM_THREADS * MBM_BYTES;
    const uint32_t count = m->nodes < MBM_GPU_SHIFTS ? m->nodes : (uint32_t)MBM_GPU_SHIFTS;
    const size_t shared = sizeof(struct mbm_gpu_shared) + count * sizeof(uint16_t);
    const auto walk = m->texture != 0
                          ? (m->narrow ? mbm_gpu_walk<true, true> : mbm_gpu_walk<false, true>)
                          : (m->narrow ? mbm_gpu_walk<true, false> : mbm_gpu_walk<false, false>);

    if (m->search.view.to > first)
        walk<<<(m->search.view.to - first + bytes - 1) / bytes, MBM_THREADS, shared,
               static_cast<cudaStream_t>(stream)>>>(*m, first, count);
    return static_cast<int>(cudaPeekAtLastError());
}
