/* SPDX-License-Identifier: Apache-2.0
 * match/papers/ac_steps/ac2.cu - Zha and Sahni, section 3.2.1 and AC2 of 5.1.1: AC1 with each
 * thread reading 16 bytes of the text at a time into shared memory, and walking them from there.
 * 224 bytes a thread, so that its blocks of 16 are whole.
 */
#include "match/papers/ac_steps/ac_steps.cuh"

template <class Out> struct ac2 : ac_steps_again {
    using Output = Out;
    static constexpr uint32_t THREADS = 64, SHARE = 224, BYTES = THREADS * SHARE;
    static constexpr uint32_t CARVEOUT = 0;

    template <class Rows>
    static __device__ __forceinline__ void walk(const struct ac_steps &l, Output out)
    {
        __shared__ uint4 blocks[THREADS];
        const uint8_t *block = reinterpret_cast<const uint8_t *>(&blocks[threadIdx.x]);
        const uint64_t from = l.first + (uint64_t)blockIdx.x * BYTES + threadIdx.x * SHARE;

        if (from >= l.end)
            return;
        const uint32_t place = (uint32_t)from;
        uint32_t state = ac_steps_warm<Rows>(l, place, [&l](uint32_t p) { return l.base[p]; });
        for (uint32_t at = place; at < place + SHARE && at < l.end; at += 16) {
            blocks[threadIdx.x] = *reinterpret_cast<const uint4 *>(l.base + at);
            for (uint32_t i = at < l.skew ? l.skew - at : 0; i < 16; i++) {
                state = Rows::step(l.search.tables, state, block[i]);
                out.template put<Rows>(l, state, at + i);
            }
        }
    }
};

extern "C" int ac2_cuda(const void *args, void *stream)
{
    return ac_steps_launch<ac2<ac_steps_hits>, false>(args, stream);
}

extern "C" int ac2_states_cuda(const void *args, void *stream)
{
    return ac_steps_launch<ac2<ac_steps_states>, false>(args, stream);
}
