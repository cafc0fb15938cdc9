/*
 * match/cuda/ac0.cu - Zha and Sahni, section 3.1, algorithm basic (Figure 2): text and automaton in device memory, read byte by
 * byte. The parameters are the paper's (section 5.1): 64 threads a block, 228 bytes a thread.
 */
#include "match/cuda/ladder.cuh"

enum { AC0_THREADS = 64, AC0_BYTES = 228 };

static __global__ void __launch_bounds__(AC0_THREADS) ac0_walk(const struct search s)
{
    const uint32_t first = search_first(&s);
    const uint64_t from = first + ((uint64_t)blockIdx.x * AC0_THREADS + threadIdx.x) * AC0_BYTES;

    if (from < s.view.to) {
        const uint64_t to = from + AC0_BYTES;

        search_walk(&s, (uint32_t)from, to < s.view.to ? (uint32_t)to : s.view.to);
    }
}

extern "C" int ac0_cuda(const void *args, void *stream)
{
    const struct search *s = static_cast<const struct search *>(args);
    const struct ladder l = ladder_of(s);
    const uint32_t blocks = ladder_blocks(&l, AC0_THREADS * AC0_BYTES);

    if (l.end > l.first)
        ac0_walk<<<blocks, AC0_THREADS, 0, static_cast<cudaStream_t>(stream)>>>(*s);
    return static_cast<int>(cudaPeekAtLastError());
}
