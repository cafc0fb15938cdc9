/* SPDX-License-Identifier: Apache-2.0
 * match/papers/ac_steps/ac_steps.cuh - what the kernels of ac0 to ac5 share.
 *
 * A place is an index of the text, counted from the aligned address at or before it; so 16-byte
 * blocks begin at multiples of 16.
 *
 * A kernel is a struct with THREADS, SHARE and BYTES (of a thread and of a block), CARVEOUT
 * (percent of shared memory that it is best run with; 0: let the runtime choose) and walk(), what
 * one thread does, and dense(), see ac_steps_again. It is made for each kind of rows there is:
 * cells of 16 or of 32 bits, read as memory or by way of a texture; and for one of two outputs,
 * hits or states.
 */
#ifndef BURIN_MATCH_PAPERS_AC_STEPS_AC_STEPS_CUH
#define BURIN_MATCH_PAPERS_AC_STEPS_AC_STEPS_CUH

#include <cuda_runtime.h>

extern "C" {
#include "match/papers/ac_steps/ac_steps.h"
#include "match/papers/ac_steps/states.h"
}
#include "match/kernel/search.cuh"

struct ac_steps {
    struct search search;
    const uint8_t *base; /* of places */
    uint32_t skew;       /* place of the text's first byte */
    uint32_t first, end; /* places to report, first down to a multiple of 16 */
};

static inline struct ac_steps ac_steps_of(const struct search *s)
{
    const uint32_t skew = states_skew(s);

    return { *s, s->view.text - skew, skew, (search_first(s) + skew) / 16 * 16, s->view.to + skew };
}

template <class Cell>
static __device__ __forceinline__ const Cell *ac_steps_cells(const struct tables &tables)
{
    if constexpr (sizeof(Cell) == sizeof(uint16_t))
        return tables.narrow;
    else
        return tables.wide;
}

/* Transitions from device memory. */
template <class Entry> struct ac_steps_plain {
    using Cell = Entry;

    static __device__ __forceinline__ uint32_t step(const struct tables &tables, uint32_t state,
                                                    uint32_t byte)
    {
        return ac_steps_cells<Cell>(tables)[state * TABLES_ROW + byte];
    }

    /* By byte k of a word: one instruction makes the index. */
    static __device__ __forceinline__ uint32_t step(const struct tables &tables, uint32_t state,
                                                    uint32_t word, uint32_t k)
    {
        return ac_steps_cells<Cell>(tables)[__byte_perm(word, state, 0x6540 + k)];
    }
};

/* Transitions from the same memory, by way of the texture units. */
template <class Entry> struct ac_steps_texture {
    using Cell = Entry;

    static __device__ __forceinline__ uint32_t step(const struct tables &tables, uint32_t state,
                                                    uint32_t byte)
    {
        return tex1Dfetch<Cell>(tables.texture, (int)(state * TABLES_ROW + byte));
    }

    static __device__ __forceinline__ uint32_t step(const struct tables &tables, uint32_t state,
                                                    uint32_t word, uint32_t k)
    {
        return tex1Dfetch<Cell>(tables.texture, (int)__byte_perm(word, state, 0x6540 + k));
    }
};

/* The same with rows by class: a look-up more, of 256 bytes that stay in the first cache. */
template <class Entry> struct ac_steps_classes {
    using Cell = Entry;

    static __device__ __forceinline__ uint32_t step(const struct tables &tables, uint32_t state,
                                                    uint32_t byte)
    {
        return ac_steps_cells<Cell>(tables)[state * tables.width + __ldg(&tables.classes[byte])];
    }

    static __device__ __forceinline__ uint32_t step(const struct tables &tables, uint32_t state,
                                                    uint32_t word, uint32_t k)
    {
        return step(tables, state, __byte_perm(word, 0, 0x4440 + k));
    }
};

/* A state in which something is found, at a place. */
struct ac_steps_find {
    uint32_t state, place;
};

/* What a block of threads found, kept in shared memory until all of its text is walked. */
template <uint32_t THREADS> struct ac_steps_near {
    uint32_t count; /* of finds, also of those that there was no room for */
    struct ac_steps_find finds[THREADS];
    struct search_block_hits hits;
};

/* Compacted hits: states that find are kept, and looked into when the block is done with walking.
 */
struct ac_steps_hits {
    static constexpr bool STATES = false;
    uint32_t *count;
    struct ac_steps_find *finds;
    uint32_t max;

    template <class Rows>
    __device__ __forceinline__ void put(const struct ac_steps &l, uint32_t state,
                                        uint32_t place) const
    {
        if (state < l.search.tables.finding)
            return;
        const uint32_t at = atomicAdd(count, 1);
        if (at < max)
            finds[at] = { state, place };
    }
};

/* The state after every byte. */
struct ac_steps_states {
    static constexpr bool STATES = true;

    template <class Rows>
    __device__ __forceinline__ void put(const struct ac_steps &l, uint32_t state,
                                        uint32_t place) const
    {
        if (place < l.end)
            reinterpret_cast<typename Rows::Cell *>(states_of(&l.search) + 1)[place] =
                (typename Rows::Cell)state;
    }
};

/* Writes the hits of a block in the middle of its work, when room for hits runs short. */
static __device__ __forceinline__ void ac_steps_flush_full(const struct ring_view &view,
                                                           struct search_near *near)
{
    __syncthreads();
    const bool full = near->count >= near->max / 2;
    __syncthreads();
    if (!full)
        return;
    search_flush(view, near);
    __syncthreads();
    if (threadIdx.x == 0)
        near->count = 0;
    __syncthreads();
}

/* What one of the states says that the block has kept. */
template <uint32_t THREADS>
static __device__ __forceinline__ void ac_steps_look(const struct ac_steps &l,
                                                     struct ac_steps_near<THREADS> *near)
{
    const struct ac_steps_find find = near->finds[threadIdx.x];

    if (find.place >= l.skew && find.place < l.end)
        search_report(&l.search, &near->hits.near, find.state, find.place + 1 - l.skew);
}

/*
 * Where a block has more finds than there is room for, as in text when all words are looked for,
 * its text is walked again, for hits. By kernels that have it nowhere else, in device memory.
 */
struct ac_steps_again {
    template <class Rows, uint32_t THREADS>
    static __device__ __noinline__ void dense(const struct ac_steps &l,
                                              struct ac_steps_near<THREADS> *near, uint64_t block,
                                              uint32_t share)
    {
        const uint64_t place = block + threadIdx.x * share;
        const uint64_t from = place < l.skew ? l.skew : place,
                       to = place + share < l.end ? place + share : l.end;

        if (from < to)
            search_walk(&l.search, &near->hits.near, (uint32_t)from - l.skew,
                        (uint32_t)to - l.skew);
    }
};

/*
 * From shared memory: word(i) is word i of the thread's share, which begins at a place, in a state.
 * By all threads together, a word of each at a time: then each looks into one of the finds, for a
 * thread that did so in the middle of its walk would hold up all others.
 */
template <class Rows, uint32_t WORDS, uint32_t THREADS, class Word>
static __device__ __forceinline__ void ac_steps_again_words(const struct ac_steps &l,
                                                            struct ac_steps_near<THREADS> *near,
                                                            uint32_t place, uint32_t state,
                                                            Word word)
{
#pragma unroll 1
    for (uint32_t i = 0; i < WORDS; i++) {
        const uint32_t bytes = word(i);

        __syncthreads();
        if (threadIdx.x == 0)
            near->count = 0;
        __syncthreads();
        for (uint32_t k = 0; k < 4; k++) {
            const uint32_t p = place + i * 4 + k;

            if (p < l.skew || p >= l.end)
                continue;
            state = Rows::step(l.search.tables, state, bytes, k);
            if (state < l.search.tables.finding)
                continue;
            const uint32_t at = atomicAdd(&near->count, 1);
            if (at < THREADS)
                near->finds[at] = { state, p };
            else
                search_report(&l.search, &near->hits.near, state, p + 1 - l.skew);
        }
        __syncthreads();
        if (threadIdx.x < near->count)
            ac_steps_look(l, near);
        ac_steps_flush_full(l.search.view, &near->hits.near);
    }
}

/* What the states that the block has kept say. */
template <class Kernel, class Rows>
static __device__ __forceinline__ void ac_steps_report(const struct ac_steps &l,
                                                       struct ac_steps_near<Kernel::THREADS> *near,
                                                       uint64_t block)
{
    __syncthreads();
    if (near->count > Kernel::THREADS)
        Kernel::template dense<Rows>(l, near, block, Kernel::SHARE);
    else if (threadIdx.x < near->count)
        ac_steps_look(l, near);
    search_flush(l.search.view, &near->hits.near);
}

/* The state before a place: that of the bytes in front of it, as far as there are any in the text.
 */
template <class Rows, class Bytes>
static __device__ __forceinline__ uint32_t ac_steps_warm(const struct ac_steps &l, uint32_t place,
                                                         Bytes bytes)
{
    const uint32_t warm = l.search.tables.warm;
    uint32_t state = 0;

    for (uint32_t p = place > l.skew + warm ? place - warm : l.skew; p < place; p++)
        state = Rows::step(l.search.tables, state, bytes(p));
    return state;
}

template <class Kernel, class Rows>
static __global__ void __launch_bounds__(Kernel::THREADS)
    ac_steps_walk(const __grid_constant__ struct ac_steps l)
{
    if constexpr (Kernel::Output::STATES) {
        if (blockIdx.x == 0 && threadIdx.x == 0)
            *states_of(&l.search) = { l.skew, l.search.tables.narrow != nullptr, {} };
        Kernel::template walk<Rows>(l, {});
    } else {
        __shared__ struct ac_steps_near<Kernel::THREADS> near;

        if (threadIdx.x == 0) {
            near.count = 0;
            search_hits_open(&near.hits);
        }
        __syncthreads();
        Kernel::template walk<Rows>(l, { &near.count, near.finds, Kernel::THREADS });
        ac_steps_report<Kernel, Rows>(l, &near, l.first + (uint64_t)blockIdx.x * Kernel::BYTES);
    }
}

template <class Kernel, class Rows>
static void ac_steps_start(const struct ac_steps &l, void *stream)
{
    const uint32_t blocks = (l.end - l.first + Kernel::BYTES - 1) / Kernel::BYTES;

    if constexpr (Kernel::CARVEOUT != 0) /* a hint: without it, the first cache gets too little */
        (void)cudaFuncSetAttribute(ac_steps_walk<Kernel, Rows>,
                                   cudaFuncAttributePreferredSharedMemoryCarveout,
                                   (int)Kernel::CARVEOUT);
    ac_steps_walk<Kernel, Rows>
        <<<blocks, Kernel::THREADS, 0, static_cast<cudaStream_t>(stream)>>>(l);
}

/* Texture: the kernel's rows come by way of one, as long as they fit in it. Classes: they may be by
 * class. */
template <class Kernel, bool Texture, bool Classes = false>
static int ac_steps_launch(const void *args, void *stream)
{
    const struct ac_steps l = ac_steps_of(static_cast<const struct search *>(args));
    const bool narrow = l.search.tables.narrow != nullptr;

    if (l.end <= l.first)
        return 0;
    if constexpr (Classes)
        if (l.search.tables.classes != nullptr) {
            ac_steps_start<Kernel, ac_steps_classes<uint32_t>>(l, stream);
            return static_cast<int>(cudaPeekAtLastError());
        }
    if (!Texture || l.search.tables.texture == 0)
        narrow ? ac_steps_start<Kernel, ac_steps_plain<uint16_t>>(l, stream)
               : ac_steps_start<Kernel, ac_steps_plain<uint32_t>>(l, stream);
    else if constexpr (Texture)
        narrow ? ac_steps_start<Kernel, ac_steps_texture<uint16_t>>(l, stream)
               : ac_steps_start<Kernel, ac_steps_texture<uint32_t>>(l, stream);
    return static_cast<int>(cudaPeekAtLastError());
}

/* In a function with args and stream: the kernel in a launch. */
#define AC_STEPS_SHAPE(threads_, words_)                                                           \
    if (launch.threads == (threads_) && launch.words == (words_))                                  \
        return ac_steps_launch<Kernel<threads_, words_>, Texture>(args, stream);

#endif
