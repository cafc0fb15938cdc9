/*
 * match/cuda/stage.cuh - the text on its way into shared memory, a tile at a time, the next one while a block of threads is busy with one.
 *
 * Each thread has a stretch of the tile, an odd number of words, so that threads that read the same word of theirs read from different
 * banks. What stands before the tile is there too, as far as its user needs it.
 *
 * A place is an index of the text, counted from the aligned address at or before it.
 */
#ifndef BURIN_MATCH_CUDA_STAGE_CUH
#define BURIN_MATCH_CUDA_STAGE_CUH

#include <cuda_pipeline_primitives.h>

extern "C" {
#include "match/cuda/search.h"
#include "match/cuda/stage.h"
}

/* BEFORE: bytes, a multiple of 16. */
template <uint32_t THREADS, uint32_t WORDS, uint32_t BEFORE> struct stage {
    static constexpr uint32_t stretch = WORDS * 4;
    static constexpr uint32_t tile = THREADS * stretch;
    static constexpr uint32_t chunks = (BEFORE + tile) / 16;
    static_assert(WORDS % 2 == 1, "no two threads share a bank");
    static_assert(BEFORE % 16 == 0 && tile % 16 == 0, "whole chunks");

    uint4 text[2][chunks];

    /* Where place `begin` of the tile is that was read into this half. */
    __device__ const uint8_t *at(uint32_t half) const
    {
        return reinterpret_cast<const uint8_t *>(text[half]) + BEFORE;
    }

    /* Starts to read the tile that begins at a place. What is not among places [0, end) is read as zeros. */
    __device__ void read(uint32_t half, const uint8_t *base, uint32_t begin, uint32_t end)
    {
        for (uint32_t i = threadIdx.x; i < chunks; i += THREADS) {
            const int64_t place = (int64_t)begin - BEFORE + i * 16;
            const bool there = place >= 0 && place < end;

            __pipeline_memcpy_async(&text[half][i], base + (there ? place : 0), 16, there ? 0 : 16);
        }
        __pipeline_commit();
    }

    /* Waits until all that this thread started to read is there. */
    __device__ static void wait()
    {
        __pipeline_wait_prior(0);
    }
};

/* The tiles of a search. */
struct stage_tiles {
    const uint8_t *base; /* of places */
    uint32_t skew;       /* place of the text's first byte */
    uint32_t first, end; /* places whose tiles are wanted, first a multiple of 16 */
    uint32_t count;
};

static inline struct stage_tiles stage_tiles_of(const struct search *s, uint32_t tile)
{
    const uint32_t skew = (uint32_t)((uintptr_t)s->view.text % 16);
    const uint32_t first = (search_first(s) + skew) / 16 * 16, end = s->view.to + skew;

    return { s->view.text - skew, skew, first, end, end > first ? (end - first + tile - 1) / tile : 0 };
}

/* Blocks of a kernel that go through the tiles: as many as there is room for on the device, if there are so many tiles. */
static inline uint32_t stage_blocks(const struct stage_device *device, uint32_t threads, size_t shared, uint32_t tiles)
{
    enum { OWN = 1024, THREADS = 2048 }; /* bytes that a block's shared memory costs besides; of a multiprocessor */
    const uint32_t room = (device->shared_max + OWN) / (uint32_t)(shared + OWN), most = THREADS / threads;
    const uint32_t each = room < 1 ? 1 : room < most ? room : most;

    return tiles < device->processors * each ? tiles : device->processors * each;
}

#endif
