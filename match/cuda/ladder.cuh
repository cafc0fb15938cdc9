/*
 * match/cuda/ladder.cuh - what the kernels of the ladder share.
 *
 * A place is an index of the text, counted from the aligned address at or before it; so 16-byte blocks begin at multiples of 16.
 *
 * A kernel is a struct with THREADS, BYTES (of a block) and walk(), what one thread does. It is made for each kind of rows there is:
 * cells of 16 or of 32 bits, read as memory or by way of a texture; and for one of two outputs, hits or states.
 */
#ifndef BURIN_MATCH_CUDA_LADDER_CUH
#define BURIN_MATCH_CUDA_LADDER_CUH

#include <cuda_runtime.h>

extern "C" {
#include "match/cuda/ladder.h"
#include "match/cuda/states.h"
}

struct ladder {
    struct search search;
    const uint8_t *base; /* of places */
    uint32_t skew;       /* place of the text's first byte */
    uint32_t first, end; /* places to report, first down to a multiple of 16 */
};

static inline struct ladder ladder_of(const struct search *s)
{
    const uint32_t skew = states_skew(s);

    return { *s, s->view.text - skew, skew, (search_first(s) + skew) / 16 * 16, s->view.to + skew };
}

template <class Cell> static __device__ __forceinline__ const Cell *ladder_cells(const struct tables &tables)
{
    if constexpr (sizeof(Cell) == sizeof(uint16_t))
        return tables.narrow;
    else
        return tables.wide;
}

/* Transitions from device memory. */
template <class Entry> struct ladder_plain {
    using Cell = Entry;

    static __device__ __forceinline__ uint32_t step(const struct tables &tables, uint32_t state, uint32_t byte)
    {
        return ladder_cells<Cell>(tables)[state * TABLES_ROW + byte];
    }
};

/* Transitions from the same memory, by way of the texture units. */
template <class Entry> struct ladder_texture {
    using Cell = Entry;

    static __device__ __forceinline__ uint32_t step(const struct tables &tables, uint32_t state, uint32_t byte)
    {
        return tex1Dfetch<Cell>(tables.texture, (int)(state * TABLES_ROW + byte));
    }
};

/* A call, for unrolled loops ask it of every byte. */
static __device__ __noinline__ void ladder_report(const struct ladder &l, uint32_t state, uint32_t place)
{
    if (place >= l.skew && place < l.end)
        search_report(&l.search, state, place + 1 - l.skew);
}

/* Compacted hits. */
struct ladder_hits {
    static constexpr bool STATES = false;

    template <class Rows>
    static __device__ __forceinline__ void put(const struct ladder &l, uint32_t state, uint32_t place)
    {
        if (state >= l.search.tables.finding)
            ladder_report(l, state, place);
    }
};

/* The state after every byte. */
struct ladder_states {
    static constexpr bool STATES = true;

    template <class Rows>
    static __device__ __forceinline__ void put(const struct ladder &l, uint32_t state, uint32_t place)
    {
        if (place < l.end)
            reinterpret_cast<typename Rows::Cell *>(states_of(&l.search) + 1)[place] = (typename Rows::Cell)state;
    }
};

/* The state before a place: that of the bytes in front of it, as far as there are any in the text. */
template <class Rows, class Bytes>
static __device__ __forceinline__ uint32_t ladder_warm(const struct ladder &l, uint32_t place, Bytes bytes)
{
    const uint32_t warm = l.search.tables.warm;
    uint32_t state = 0;

    for (uint32_t p = place > l.skew + warm ? place - warm : l.skew; p < place; p++)
        state = Rows::step(l.search.tables, state, bytes(p));
    return state;
}

template <class Kernel, class Rows>
static __global__ void __launch_bounds__(Kernel::THREADS) ladder_walk(const __grid_constant__ struct ladder l)
{
    if (Kernel::Output::STATES && blockIdx.x == 0 && threadIdx.x == 0)
        *states_of(&l.search) = { l.skew, l.search.tables.narrow != nullptr, {} };
    Kernel::template walk<Rows>(l);
}

template <class Kernel, class Rows> static void ladder_start(const struct ladder &l, void *stream)
{
    const uint32_t blocks = (l.end - l.first + Kernel::BYTES - 1) / Kernel::BYTES;

    ladder_walk<Kernel, Rows><<<blocks, Kernel::THREADS, 0, static_cast<cudaStream_t>(stream)>>>(l);
}

/* Texture: the kernel's rows come by way of one, as long as they fit in it. */
template <class Kernel, bool Texture> static int ladder_launch(const void *args, void *stream)
{
    const struct ladder l = ladder_of(static_cast<const struct search *>(args));
    const bool narrow = l.search.tables.narrow != nullptr;

    if (l.end <= l.first)
        return 0;
    if (!Texture || l.search.tables.texture == 0)
        narrow ? ladder_start<Kernel, ladder_plain<uint16_t>>(l, stream)
               : ladder_start<Kernel, ladder_plain<uint32_t>>(l, stream);
    else if constexpr (Texture)
        narrow ? ladder_start<Kernel, ladder_texture<uint16_t>>(l, stream)
               : ladder_start<Kernel, ladder_texture<uint32_t>>(l, stream);
    return static_cast<int>(cudaPeekAtLastError());
}

#endif
