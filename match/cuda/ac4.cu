/*
 * match/cuda/ac4.cu - Zha and Sahni, section 3.2.2 and AC4 of 5.1.1: AC3 with each thread's text moved on to registers, a word for
 * four bytes. There that makes room in shared memory for states to be written together; compacted hits need none of it.
 *
 * 57 words a thread, as in the paper, would be 228 unrolled steps and 90 registers, which is slower than AC0 on today's devices: here it
 * is 256 threads with 17 words each.
 */
#include "match/cuda/ladder_block.cuh"

enum { AC4_THREADS = 256, AC4_WORDS = 17 };

template <bool NARROW>
static __global__ void __launch_bounds__(AC4_THREADS) ac4_walk(const __grid_constant__ struct ladder l)
{
    __shared__ struct ladder_block<AC4_THREADS, AC4_WORDS> block;
    const uint32_t begin = l.first + blockIdx.x * AC4_THREADS * AC4_WORDS * 4,
                   place = begin + threadIdx.x * AC4_WORDS * 4;
    const uint8_t *text = reinterpret_cast<const uint8_t *>(block.text) + BLOCK_BEFORE;
    const uint32_t *words = reinterpret_cast<const uint32_t *>(text) + threadIdx.x * AC4_WORDS;
    uint32_t mine[AC4_WORDS];

    ladder_block_read(l, &block, begin);
    if (place >= l.end)
        return;
    uint32_t state = ladder_warm<NARROW>(l, place, [&](uint32_t p) { return text[(int32_t)(p - begin)]; });
#pragma unroll
    for (uint32_t i = 0; i < AC4_WORDS; i++)
        mine[i] = words[i];
#pragma unroll
    for (uint32_t i = 0; i < AC4_WORDS; i++)
#pragma unroll
        for (uint32_t k = 0; k < 4; k++) {
            const uint32_t p = place + i * 4 + k;

            if (p >= l.skew) /* before it nothing is text, and the state stays that of the start */
                state = ladder_step<NARROW>(l.search.tables, state, mine[i] >> k * 8 & 0xff);
            ladder_found(l, state, p);
        }
}

extern "C" int ac4_cuda(const void *args, void *stream)
{
    return ladder_launch(args, stream, ac4_walk<true>, ac4_walk<false>, AC4_THREADS, AC4_THREADS * AC4_WORDS * 4);
}
