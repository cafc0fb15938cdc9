/* SPDX-License-Identifier: Apache-2.0
 * match/papers/ac_steps/ac_diagonal.cu - Tran, Lee, Hong and Bae, section V, P-2: the text of a
 * block comes to shared memory word by word, coalesced, and each thread's words are stored one bank
 * further than those of the thread before (Figures 9 and 10). So neither the stores nor the reads
 * of a warp meet in a bank, whatever the size of a stretch. The bytes before a block, to warm up,
 * from device memory.
 *
 * Beside it, for their Figure 22, the same with the words stored as they stand in the text; and
 * with each thread loading its own stretch, one word after the other (section V-B).
 */
#include "match/papers/ac_steps/ac_steps.cuh"

enum diagonal_store { STORE_NAIVE, STORE_COALESCED, STORE_DIAGONAL };

template <enum diagonal_store Store, uint32_t Threads, uint32_t Words> struct diagonal {
    using Output = ac_steps_hits;
    static constexpr uint32_t THREADS = Threads, WORDS = Words, SHARE = WORDS * 4,
                              BYTES = THREADS * SHARE;
    static constexpr uint32_t CARVEOUT = 0;
    static_assert(WORDS % 32 == 0,
                  "every stretch begins in bank 0, so that the shift alone parts the threads");

    /* Where word `word` of thread `thread` stands. */
    static __device__ __forceinline__ uint32_t at(uint32_t thread, uint32_t word)
    {
        return thread * WORDS + (Store == STORE_DIAGONAL ? (word + thread) % WORDS : word);
    }

    static __device__ __forceinline__ void load(const struct ac_steps &l, uint32_t *words,
                                                uint32_t begin)
    {
        const uint32_t *from = reinterpret_cast<const uint32_t *>(l.base + begin);

        for (uint32_t i = 0; i < WORDS; i++) {
            const uint32_t k =
                Store == STORE_NAIVE ? threadIdx.x * WORDS + i : i * THREADS + threadIdx.x;

            words[at(k / WORDS, k % WORDS)] = begin + k * 4 < l.end ? from[k] : 0;
        }
        __syncthreads();
    }

    static __device__ __forceinline__ uint32_t *room()
    {
        __shared__ uint32_t words[THREADS * WORDS];
        return words;
    }

    template <class Rows>
    static __device__ __noinline__ void dense(const struct ac_steps &l,
                                              struct ac_steps_near<THREADS> *near, uint64_t block,
                                              uint32_t share)
    {
        const uint32_t *words = room(), place = (uint32_t)block + threadIdx.x * share;
        const uint32_t state =
            place < l.end ? ac_steps_warm<Rows>(l, place, [&l](uint32_t p) { return l.base[p]; })
                          : 0;

        ac_steps_again_words<Rows, WORDS>(
            l, near, place, state, [words](uint32_t i) { return words[at(threadIdx.x, i)]; });
    }

    template <class Rows>
    static __device__ __forceinline__ void walk(const struct ac_steps &l, Output out)
    {
        uint32_t *words = room();
        const uint32_t begin = l.first + blockIdx.x * BYTES, place = begin + threadIdx.x * SHARE;

        load(l, words, begin);
        if (place >= l.end)
            return;
        uint32_t state = ac_steps_warm<Rows>(l, place, [&l](uint32_t p) { return l.base[p]; });
        for (uint32_t i = 0; i < WORDS; i++) {
            const uint32_t word = words[at(threadIdx.x, i)];

#pragma unroll
            for (uint32_t k = 0; k < 4; k++) {
                const uint32_t p = place + i * 4 + k;

                if (p >= l.skew)
                    state = Rows::step(l.search.tables, state, word, k);
                out.put<Rows>(l, state, p);
            }
        }
    }
};

template <template <uint32_t, uint32_t> class Kernel>
static int diagonal_launch(const void *args, void *stream)
{
    constexpr bool Texture = true;
    const struct match_launch launch = static_cast<const struct search *>(args)->view.launch;

    AC_STEPS_DIAGONAL_SHAPES(AC_STEPS_SHAPE)
    return ac_steps_launch<Kernel<64, 64>, Texture>(args, stream);
}

template <uint32_t Threads, uint32_t Words>
using diagonal_store_diagonal = diagonal<STORE_DIAGONAL, Threads, Words>;
template <uint32_t Threads, uint32_t Words>
using diagonal_store_coalesced = diagonal<STORE_COALESCED, Threads, Words>;
template <uint32_t Threads, uint32_t Words>
using diagonal_store_naive = diagonal<STORE_NAIVE, Threads, Words>;

extern "C" int ac_diagonal_cuda(const void *args, void *stream)
{
    return diagonal_launch<diagonal_store_diagonal>(args, stream);
}

extern "C" int ac_diagonal_coalesced_cuda(const void *args, void *stream)
{
    return diagonal_launch<diagonal_store_coalesced>(args, stream);
}

extern "C" int ac_diagonal_naive_cuda(const void *args, void *stream)
{
    return diagonal_launch<diagonal_store_naive>(args, stream);
}
