/* SPDX-License-Identifier: Apache-2.0
 * match/papers/ac_steps/ac_steps_block.cuh - a block's text in shared memory, read by all its
 * threads together; for ac3, ac4. */
#ifndef BURIN_MATCH_PAPERS_AC_STEPS_AC_STEPS_BLOCK_CUH
#define BURIN_MATCH_PAPERS_AC_STEPS_AC_STEPS_BLOCK_CUH

#include <cuda_pipeline_primitives.h>

#include "match/papers/ac_steps/ac_steps.cuh"

/*
 * The paper's 64 threads of 57 words are too few a block for today's devices; and 57 words a thread
 * would be 228 unrolled steps and 90 registers of ac4, which is slower than ac0.
 */
enum {
    BLOCK_THREADS = 128,
    BLOCK_WORDS = 17,
    BLOCK_BEFORE = 16, /* bytes before the block that are there too: enough to warm up */
};

/*
 * So many threads, so many words of 4 bytes for each. The number of words is odd, so that threads
 * which read the same word of their stretches read from different banks: Theorem 1, which holds for
 * 32 banks as for 16.
 */
template <uint32_t THREADS, uint32_t WORDS> struct ac_steps_block {
    static constexpr uint32_t blocks = (BLOCK_BEFORE + THREADS * WORDS * 4) / 16;
    static_assert(WORDS % 2 == 1, "Theorem 1");
    static_assert(THREADS % 4 == 0, "whole blocks of 16 bytes");

    uint4 text[blocks];
};

/*
 * Percent of a multiprocessor's shared memory that is enough for 1,024 threads, which are enough:
 * what is left is cache, and the automaton lives in it. 0 where such blocks take most of it.
 */
static constexpr uint32_t ac_steps_block_carveout(uint32_t threads, uint32_t words)
{
    const uint32_t all = 228 << 10, block = 2048 + threads * (words * 4 + 8),
                   percent = 1024 / threads * block * 100 / all;

    return percent < 60 ? percent + 1 : 0;
}

/* Figure 3: thread after thread, 16 bytes each. What is not in the text is left as zeros. */
template <uint32_t THREADS, uint32_t WORDS>
static __device__ __forceinline__ void ac_steps_block_read(
    const struct ac_steps &l, struct ac_steps_block<THREADS, WORDS> *block, uint32_t place)
{
    const uint4 *from = reinterpret_cast<const uint4 *>(l.base);

    for (uint32_t i = threadIdx.x; i < block->blocks; i += THREADS) {
        const int64_t at = (int64_t)place / 16 - BLOCK_BEFORE / 16 + i;

        if (at >= 0 && at * 16 < l.end) /* past the first cache, which belongs to the automaton */
            __pipeline_memcpy_async(&block->text[i], from + at, sizeof(uint4));
        else
            block->text[i] = uint4{ 0, 0, 0, 0 };
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
}

/* Again by all threads together, from where the text is. */
template <uint32_t THREADS, uint32_t WORDS> struct ac_steps_block_again {
    static __device__ __forceinline__ ac_steps_block<THREADS, WORDS> &room()
    {
        __shared__ struct ac_steps_block<THREADS, WORDS> block;
        return block;
    }

    template <class Rows>
    static __device__ __noinline__ void dense(const struct ac_steps &l,
                                              struct ac_steps_near<THREADS> *near, uint64_t block,
                                              uint32_t share)
    {
        const uint32_t begin = (uint32_t)block, place = begin + threadIdx.x * share;
        const uint8_t *text = reinterpret_cast<const uint8_t *>(room().text) + BLOCK_BEFORE;
        const uint32_t *words = reinterpret_cast<const uint32_t *>(text) + threadIdx.x * WORDS;
        const uint32_t state =
            ac_steps_warm<Rows>(l, place, [&](uint32_t p) { return text[(int32_t)(p - begin)]; });

        ac_steps_again_words<Rows, WORDS>(l, near, place, state,
                                          [words](uint32_t i) { return words[i]; });
    }
};

/* A kernel in the launch that is asked for, if there is that one. */
template <template <uint32_t, uint32_t> class Kernel>
static int ac_steps_launch_block(const void *args, void *stream)
{
    constexpr bool Texture = false;
    const struct match_launch launch = static_cast<const struct search *>(args)->view.launch;

    AC_STEPS_BLOCK_SHAPES(AC_STEPS_SHAPE)
    return ac_steps_launch<Kernel<BLOCK_THREADS, BLOCK_WORDS>, Texture>(args, stream);
}

#endif
