/* SPDX-License-Identifier: Apache-2.0
 * match/papers/ac_steps/ac4.cu - Zha and Sahni, section 3.2.2 and AC4 of 5.1.1: AC3 with each
 * thread's text moved on to registers, a word for four bytes. That makes room in shared memory for
 * states to be written together, a round of 64 bytes or less for each thread at a time; compacted
 * hits need none of it.
 */
#include "match/papers/ac_steps/ac_steps_block.cuh"

template <class Out, uint32_t Threads, uint32_t Words>
struct ac4 : ac_steps_block_again<Threads, Words> {
    using Output = Out;
    static constexpr uint32_t THREADS = Threads, SHARE = Words * 4, BYTES = THREADS * SHARE;
    static constexpr uint32_t CARVEOUT = ac_steps_block_carveout(THREADS, Words);
    static constexpr uint32_t AC4_ROUND = Words > 16 ? 16 : 8, /* words of states for each thread */
        AC4_PITCH = AC4_ROUND + 1;                             /* odd, as in Theorem 1 */
    static_assert(Words >= AC4_PITCH, "the room of the text is enough for a round of states");

    template <class Rows>
    static __device__ __forceinline__ void walk(const struct ac_steps &l, Output out)
    {
        struct ac_steps_block<THREADS, Words> &block = ac4::room();
        const uint32_t begin = l.first + blockIdx.x * BYTES, place = begin + threadIdx.x * SHARE;
        const uint8_t *text = reinterpret_cast<const uint8_t *>(block.text) + BLOCK_BEFORE;
        const uint32_t *words = reinterpret_cast<const uint32_t *>(text) + threadIdx.x * Words;
        uint32_t mine[Words];

        ac_steps_block_read(l, &block, begin);
        if (!Out::STATES && place >= l.end)
            return;
        uint32_t state =
            ac_steps_warm<Rows>(l, place, [&](uint32_t p) { return text[(int32_t)(p - begin)]; });
#pragma unroll
        for (uint32_t i = 0; i < Words; i++)
            mine[i] = words[i];
        if constexpr (Out::STATES)
            states<Rows>(l, mine, begin, state, reinterpret_cast<uint32_t *>(block.text));
        else if (place >= l.skew)
            hits<Rows>(l, mine, place, state, out);
        else /* the first thread of all: some of its bytes are not text */
            for (uint32_t p = l.skew; p < place + SHARE; p++) {
                state = Rows::step(l.search.tables, state, text[p - begin]);
                out.template put<Rows>(l, state, p);
            }
    }

    template <class Rows>
    static __device__ __forceinline__ void hits(const struct ac_steps &l,
                                                const uint32_t (&mine)[Words], uint32_t place,
                                                uint32_t state, Output out)
    {
#pragma unroll
        for (uint32_t i = 0; i < Words; i++) {
            uint32_t after[4], most = 0;

#pragma unroll
            for (uint32_t k = 0; k < 4; k++) {
                state = after[k] = Rows::step(l.search.tables, state, mine[i], k);
                most = max(most, state);
            }
            if (most >= l.search.tables.finding)
#pragma unroll
                for (uint32_t k = 0; k < 4; k++)
                    out.template put<Rows>(l, after[k], place + i * 4 + k);
        }
    }

    /* room: where the text was. */
    template <class Rows>
    static __device__ __forceinline__ void states(const struct ac_steps &l,
                                                  const uint32_t (&mine)[Words], uint32_t begin,
                                                  uint32_t state, uint32_t *room)
    {
        constexpr uint32_t PER = 4 / sizeof(typename Rows::Cell); /* states in a word */
        constexpr uint32_t ROUND = AC4_ROUND * PER / 4;           /* words of text */
        uint32_t *out = reinterpret_cast<uint32_t *>(states_of(&l.search) + 1), packed = 0;

#pragma unroll
        for (uint32_t r = 0; r < Words; r += ROUND) {
            const uint32_t count = Words - r < ROUND ? Words - r : ROUND, row = count * 4 / PER;

            __syncthreads();
#pragma unroll
            for (uint32_t i = 0; i < count; i++)
#pragma unroll
                for (uint32_t k = 0; k < 4; k++) {
                    /* Before the text the state stays that of the start. */
                    if (begin + threadIdx.x * SHARE + (r + i) * 4 + k >= l.skew)
                        state = Rows::step(l.search.tables, state, mine[r + i], k);
                    packed = k % PER == 0 ? state : packed | state << 16;
                    if (k % PER == PER - 1)
                        room[threadIdx.x * AC4_PITCH + (i * 4 + k) / PER] = packed;
                }
            __syncthreads();
            for (uint32_t j = threadIdx.x; j < THREADS * row; j += THREADS) {
                const uint32_t p = begin + j / row * SHARE + r * 4 + j % row * PER;

                if (p < l.end)
                    out[p / PER] = room[j / row * AC4_PITCH + j % row];
            }
        }
    }
};

template <uint32_t Threads, uint32_t Words> using ac4_hits = ac4<ac_steps_hits, Threads, Words>;
template <uint32_t Threads, uint32_t Words> using ac4_states = ac4<ac_steps_states, Threads, Words>;

extern "C" int ac4_cuda(const void *args, void *stream)
{
    return ac_steps_launch_block<ac4_hits>(args, stream);
}

/* For ac5.cu: rows may be by class. */
extern "C" int ac4_classes_cuda(const void *args, void *stream)
{
    return ac_steps_launch<ac4_hits<BLOCK_THREADS, BLOCK_WORDS>, false, true>(args, stream);
}

extern "C" int ac4_states_cuda(const void *args, void *stream)
{
    return ac_steps_launch_block<ac4_states>(args, stream);
}
