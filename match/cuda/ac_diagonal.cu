/*
 * match/cuda/ac_diagonal.cu - Tran, Lee, Hong and Bae, section V, P-2: the text of a block comes to shared memory word by word,
 * coalesced, and each thread's words are stored one bank further than those of the thread before (Figures 9 and 10). So neither
 * the stores nor the reads of a warp meet in a bank, whatever the size of a stretch. 64 threads a block, 256 bytes a thread, and the bytes
 * before a block, to warm up, from device memory.
 */
#include "match/cuda/ladder.cuh"

enum { DIAGONAL_THREADS = 64, DIAGONAL_WORDS = 64, DIAGONAL_BYTES = DIAGONAL_WORDS * 4 };
static_assert(DIAGONAL_WORDS % 32 == 0, "every stretch begins in bank 0, so that the shift alone parts the threads");

/* Where word `word` of thread `thread` stands. */
static __device__ __forceinline__ uint32_t diagonal_at(uint32_t thread, uint32_t word)
{
    return thread * DIAGONAL_WORDS + (word + thread) % DIAGONAL_WORDS;
}

template <bool NARROW>
static __global__ void __launch_bounds__(DIAGONAL_THREADS) ac_diagonal_walk(const __grid_constant__ struct ladder l)
{
    __shared__ uint32_t words[DIAGONAL_THREADS * DIAGONAL_WORDS];
    const uint32_t begin = l.first + blockIdx.x * (DIAGONAL_THREADS * DIAGONAL_BYTES);
    const uint32_t place = begin + threadIdx.x * DIAGONAL_BYTES;
    const uint32_t *from = reinterpret_cast<const uint32_t *>(l.base + begin);

    for (uint32_t i = threadIdx.x; i < DIAGONAL_THREADS * DIAGONAL_WORDS; i += DIAGONAL_THREADS)
        words[diagonal_at(i / DIAGONAL_WORDS, i % DIAGONAL_WORDS)] = begin + i * 4 < l.end ? from[i] : 0;
    __syncthreads();
    if (place >= l.end)
        return;
    uint32_t state = ladder_warm<NARROW>(l, place, [&l](uint32_t p) { return l.base[p]; });
    for (uint32_t i = 0; i < DIAGONAL_WORDS; i++) {
        const uint32_t word = words[diagonal_at(threadIdx.x, i)];

#pragma unroll
        for (uint32_t k = 0; k < 4; k++) {
            const uint32_t p = place + i * 4 + k;

            if (p >= l.skew)
                state = ladder_step<NARROW>(l.search.tables, state, word >> k * 8 & 0xff);
            ladder_found(l, state, p);
        }
    }
}

extern "C" int ac_diagonal_cuda(const void *args, void *stream)
{
    return ladder_launch(args, stream, ac_diagonal_walk<true>, ac_diagonal_walk<false>, DIAGONAL_THREADS,
                         DIAGONAL_THREADS * DIAGONAL_BYTES);
}
