/* SPDX-License-Identifier: Apache-2.0
 * match/papers/ac_steps/ac0.cu - Zha and Sahni, section 3.1, algorithm basic (Figure 2): text and
 * automaton in device memory, read byte by byte. The parameters are the paper's (section 5.1): 64
 * threads a block, 228 bytes a thread. The same kernel makes ac1 and ac-zero-copy, which differ in
 * where the automaton and the text are.
 */
#include "match/papers/ac_steps/ac_steps.cuh"

template <class Out, uint32_t Threads, uint32_t Words> struct ac0 : ac_steps_again {
    using Output = Out;
    static constexpr uint32_t THREADS = Threads, SHARE = Words * 4, BYTES = THREADS * SHARE;
    static constexpr uint32_t CARVEOUT = 0;

    template <class Rows>
    static __device__ __forceinline__ void walk(const struct ac_steps &l, Output out)
    {
        const uint64_t from = l.first + (uint64_t)blockIdx.x * BYTES + threadIdx.x * SHARE;
        const auto bytes = [&l](uint32_t place) { return l.base[place]; };

        if (from >= l.end)
            return;
        const uint32_t place = (uint32_t)from, to = l.end - place < SHARE ? l.end : place + SHARE;
        uint32_t state = ac_steps_warm<Rows>(l, place, bytes);
        for (uint32_t p = place > l.skew ? place : l.skew; p < to; p++) {
            state = Rows::step(l.search.tables, state, bytes(p));
            out.template put<Rows>(l, state, p);
        }
    }
};

template <class Out> using ac0_paper = ac0<Out, 64, 57>;

extern "C" int ac0_cuda(const void *args, void *stream)
{
    return ac_steps_launch<ac0_paper<ac_steps_hits>, false>(args, stream);
}

extern "C" int ac0_states_cuda(const void *args, void *stream)
{
    return ac_steps_launch<ac0_paper<ac_steps_states>, false>(args, stream);
}

/* AC1 of 5.1.1: the same with the automaton in texture memory. */
extern "C" int ac1_cuda(const void *args, void *stream)
{
    return ac_steps_launch<ac0_paper<ac_steps_hits>, true>(args, stream);
}

extern "C" int ac1_states_cuda(const void *args, void *stream)
{
    return ac_steps_launch<ac0_paper<ac_steps_states>, true>(args, stream);
}

template <template <uint32_t, uint32_t> class Kernel>
static int ac_zero_copy_launch(const void *args, void *stream)
{
    constexpr bool Texture = true;
    const struct match_launch launch = static_cast<const struct search *>(args)->view.launch;

    AC_STEPS_PLACE_SHAPES(AC_STEPS_SHAPE)
    return ac_steps_launch<Kernel<64, 57>, Texture>(args, stream);
}

template <uint32_t Threads, uint32_t Words> using ac0_place = ac0<ac_steps_hits, Threads, Words>;

/* Tran et al., section V-A, P-1: the automaton in texture memory, and the text in memory of the
 * host, read over the bus. */
extern "C" int ac_zero_copy_cuda(const void *args, void *stream)
{
    return ac_zero_copy_launch<ac0_place>(args, stream);
}
