/* SPDX-License-Identifier: Apache-2.0
 * match/papers/ac_steps/ac3.cu - Zha and Sahni, section 3.2.1 and AC3 of 5.1.1: AC2 with the text
 * of a block read by its threads together, so that reads are coalesced, and walked from shared
 * memory without bank conflicts.
 */
#include "match/papers/ac_steps/ac_steps_block.cuh"

template <class Out, uint32_t Threads, uint32_t Words>
struct ac3 : ac_steps_block_again<Threads, Words> {
    using Output = Out;
    static constexpr uint32_t THREADS = Threads, SHARE = Words * 4, BYTES = THREADS * SHARE;
    static constexpr uint32_t CARVEOUT = ac_steps_block_carveout(THREADS, Words);

    template <class Rows>
    static __device__ __forceinline__ void walk(const struct ac_steps &l, Output out)
    {
        struct ac_steps_block<THREADS, Words> &block = ac3::room();
        const uint32_t begin = l.first + blockIdx.x * BYTES, place = begin + threadIdx.x * SHARE;
        const uint8_t *text = reinterpret_cast<const uint8_t *>(block.text) + BLOCK_BEFORE;
        const auto bytes = [&](uint32_t p) { return text[(int32_t)(p - begin)]; };

        ac_steps_block_read(l, &block, begin);
        if (place >= l.end)
            return;
        uint32_t state = ac_steps_warm<Rows>(l, place, bytes);
        for (uint32_t p = place > l.skew ? place : l.skew; p < place + SHARE; p++) {
            state = Rows::step(l.search.tables, state, bytes(p));
            out.template put<Rows>(l, state, p);
        }
    }
};

template <uint32_t Threads, uint32_t Words> using ac3_hits = ac3<ac_steps_hits, Threads, Words>;
template <uint32_t Threads, uint32_t Words> using ac3_states = ac3<ac_steps_states, Threads, Words>;

extern "C" int ac3_cuda(const void *args, void *stream)
{
    return ac_steps_launch_block<ac3_hits>(args, stream);
}

extern "C" int ac3_states_cuda(const void *args, void *stream)
{
    return ac_steps_launch_block<ac3_states>(args, stream);
}
