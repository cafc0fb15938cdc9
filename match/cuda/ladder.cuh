/*
 * match/cuda/ladder.cuh - what the kernels of the ladder share.
 *
 * A place is an index of the text, counted from the aligned address at or before it; so 16-byte blocks begin at multiples of 16.
 */
#ifndef BURIN_MATCH_CUDA_LADDER_CUH
#define BURIN_MATCH_CUDA_LADDER_CUH

extern "C" {
#include "match/cuda/ladder.h"
}

struct ladder {
    struct search search;
    const uint8_t *base; /* of places */
    uint32_t skew;       /* place of the text's first byte */
    uint32_t first, end; /* places to report, first down to a multiple of 16 */
};

static inline struct ladder ladder_of(const struct search *s)
{
    const uint32_t skew = (uint32_t)((uintptr_t)s->view.text % 16);

    return { *s, s->view.text - skew, skew, (search_first(s) + skew) / 16 * 16, s->view.to + skew };
}

/* Blocks of a grid in which each thread of a block has so many bytes. */
static inline uint32_t ladder_blocks(const struct ladder *l, uint32_t block_bytes)
{
    return (l->end - l->first + block_bytes - 1) / block_bytes;
}

/* A kernel with cells of 16 or of 32 bits. */
template <class Kernel>
static int ladder_launch(const void *args, void *stream, Kernel narrow, Kernel wide, uint32_t threads,
                         uint32_t block_bytes)
{
    const struct ladder l = ladder_of(static_cast<const struct search *>(args));

    if (l.end > l.first)
        (l.search.tables.narrow != nullptr
             ? narrow
             : wide)<<<ladder_blocks(&l, block_bytes), threads, 0, static_cast<cudaStream_t>(stream)>>>(l);
    return static_cast<int>(cudaPeekAtLastError());
}

/* A transition by way of the read-only cache, which on these devices is what texture memory is read through. */
template <bool NARROW>
static __device__ __forceinline__ uint32_t ladder_step(const struct tables &tables, uint32_t state, uint32_t byte)
{
    const uint32_t cell = state * TABLES_ROW + byte;

    return NARROW ? __ldg(tables.narrow + cell) : __ldg(tables.wide + cell);
}

/* A call, for unrolled loops ask it of every byte. */
static __device__ __noinline__ void ladder_report(const struct ladder &l, uint32_t state, uint32_t place)
{
    if (place >= l.skew && place < l.end)
        search_report(&l.search, state, place + 1 - l.skew);
}

static __device__ __forceinline__ void ladder_found(const struct ladder &l, uint32_t state, uint32_t place)
{
    if (state >= l.search.tables.finding)
        ladder_report(l, state, place);
}

/* The state before a place: that of the bytes in front of it, as far as there are any in the text. */
template <bool NARROW, class Bytes>
static __device__ __forceinline__ uint32_t ladder_warm(const struct ladder &l, uint32_t place, Bytes bytes)
{
    const uint32_t warm = l.search.tables.warm;
    uint32_t state = 0;

    for (uint32_t p = place > l.skew + warm ? place - warm : l.skew; p < place; p++)
        state = ladder_step<NARROW>(l.search.tables, state, bytes(p));
    return state;
}

#endif
