/*
 * match/cuda/ac2.cu - Zha and Sahni, section 3.2.1 and AC2 of 5.1.1: AC1 with each thread reading 16 bytes of the text at a time
 * into shared memory, and walking them from there. 224 bytes a thread, so that its blocks of 16 are whole.
 */
#include "match/cuda/ladder.cuh"

enum { AC2_THREADS = 64, AC2_BYTES = 224 };

template <bool NARROW>
static __global__ void __launch_bounds__(AC2_THREADS) ac2_walk(const __grid_constant__ struct ladder l)
{
    __shared__ uint4 blocks[AC2_THREADS];
    const uint8_t *block = reinterpret_cast<const uint8_t *>(&blocks[threadIdx.x]);
    const uint64_t from = l.first + ((uint64_t)blockIdx.x * AC2_THREADS + threadIdx.x) * AC2_BYTES;

    if (from >= l.end)
        return;
    const uint32_t place = (uint32_t)from;
    uint32_t state = ladder_warm<NARROW>(l, place, [&l](uint32_t p) { return l.base[p]; });
    for (uint32_t at = place; at < place + AC2_BYTES && at < l.end; at += 16) {
        blocks[threadIdx.x] = *reinterpret_cast<const uint4 *>(l.base + at);
        for (uint32_t i = at < l.skew ? l.skew - at : 0; i < 16; i++) {
            state = ladder_step<NARROW>(l.search.tables, state, block[i]);
            ladder_found(l, state, at + i);
        }
    }
}

extern "C" int ac2_cuda(const void *args, void *stream)
{
    return ladder_launch(args, stream, ac2_walk<true>, ac2_walk<false>, AC2_THREADS, AC2_THREADS * AC2_BYTES);
}
