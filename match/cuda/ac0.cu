/* match/cuda/ac0.cu - the kernel of ac0.c. The paper's parameters: 64 threads a block, 228 bytes a thread. */
extern "C" {
#include "match/cuda/ac0.h"
}

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
    const uint32_t block = AC0_THREADS * AC0_BYTES;
    const uint32_t blocks = (s->view.to - search_first(s) + block - 1) / block;

    if (blocks == 0)
        return 0;
    ac0_walk<<<blocks, AC0_THREADS, 0, static_cast<cudaStream_t>(stream)>>>(*s);
    return static_cast<int>(cudaPeekAtLastError());
}
