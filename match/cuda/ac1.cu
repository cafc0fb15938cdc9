/*
 * match/cuda/ac1.cu - Zha and Sahni, section 5.1.1, AC1: AC0 with the automaton in texture memory. On today's devices that is the
 * read-only path through the first cache, which plain loads go through as well.
 */
#include "match/cuda/ladder.cuh"

enum { AC1_THREADS = 64, AC1_BYTES = 228 };

template <bool NARROW>
static __global__ void __launch_bounds__(AC1_THREADS) ac1_walk(const __grid_constant__ struct ladder l)
{
    const uint64_t from = l.first + ((uint64_t)blockIdx.x * AC1_THREADS + threadIdx.x) * AC1_BYTES;
    const auto bytes = [&l](uint32_t place) { return l.base[place]; };

    if (from >= l.end)
        return;
    const uint32_t place = (uint32_t)from, to = l.end - place < AC1_BYTES ? l.end : place + AC1_BYTES;
    uint32_t state = ladder_warm<NARROW>(l, place, bytes);
    for (uint32_t p = place > l.skew ? place : l.skew; p < to; p++) {
        state = ladder_step<NARROW>(l.search.tables, state, bytes(p));
        ladder_found(l, state, p);
    }
}

extern "C" int ac1_cuda(const void *args, void *stream)
{
    return ladder_launch(args, stream, ac1_walk<true>, ac1_walk<false>, AC1_THREADS, AC1_THREADS * AC1_BYTES);
}
