/*
 * match/cuda/ac3.cu - Zha and Sahni, section 3.2.1 and AC3 of 5.1.1: AC2 with the text of a block read by its threads together,
 * so that reads are coalesced, and walked from shared memory without bank conflicts. The parameters are the paper's (section 5.1): 64
 * threads, 57 words each.
 */
#include "match/cuda/ladder_block.cuh"

enum { AC3_THREADS = 64, AC3_WORDS = 57 };

template <bool NARROW>
static __global__ void __launch_bounds__(AC3_THREADS) ac3_walk(const __grid_constant__ struct ladder l)
{
    __shared__ struct ladder_block<AC3_THREADS, AC3_WORDS> block;
    const uint32_t begin = l.first + blockIdx.x * AC3_THREADS * AC3_WORDS * 4,
                   place = begin + threadIdx.x * AC3_WORDS * 4;
    const uint8_t *text = reinterpret_cast<const uint8_t *>(block.text) + BLOCK_BEFORE;
    const auto bytes = [&](uint32_t p) { return text[(int32_t)(p - begin)]; };

    ladder_block_read(l, &block, begin);
    if (place >= l.end)
        return;
    uint32_t state = ladder_warm<NARROW>(l, place, bytes);
    for (uint32_t p = place > l.skew ? place : l.skew; p < place + AC3_WORDS * 4; p++) {
        state = ladder_step<NARROW>(l.search.tables, state, bytes(p));
        ladder_found(l, state, p);
    }
}

extern "C" int ac3_cuda(const void *args, void *stream)
{
    return ladder_launch(args, stream, ac3_walk<true>, ac3_walk<false>, AC3_THREADS, AC3_THREADS * AC3_WORDS * 4);
}
