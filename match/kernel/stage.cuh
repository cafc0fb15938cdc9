/* SPDX-License-Identifier: Apache-2.0
 * match/kernel/stage.cuh - the text on its way into shared memory, a tile at a time, the next ones
 * while a block of threads is busy with one.
 *
 * Each thread has a stretch of the tile, an odd number of words, so that threads that read the same
 * word of theirs read from different banks. What stands before the tile is there too, as far as its
 * user needs it.
 *
 * A place is an index of the text, counted from the aligned address at or before it.
 */
#ifndef BURIN_MATCH_KERNEL_STAGE_CUH
#define BURIN_MATCH_KERNEL_STAGE_CUH

#include <cuda_pipeline_primitives.h>

extern "C" {
#include "match/kernel/search.h"
#include "match/kernel/stage.h"
}

/* The tiles of a search. */
struct stage_tiles {
    const uint8_t *base; /* of places */
    uint32_t skew;       /* place of the text's first byte */
    uint32_t first, end; /* places whose tiles are wanted, first a multiple of 16 */
    uint32_t count;
};

/* BEFORE: bytes, a multiple of 16. SLOTS: tiles in shared memory, the one at work among them. */
template <uint32_t THREADS, uint32_t WORDS, uint32_t BEFORE, uint32_t SLOTS> struct stage {
    static constexpr uint32_t stretch = WORDS * 4;
    static constexpr uint32_t tile = THREADS * stretch;
    static constexpr uint32_t chunks = (BEFORE + tile) / 16;
    static_assert(WORDS % 2 == 1, "no two threads share a bank");
    static_assert(BEFORE % 16 == 0 && tile % 16 == 0, "whole chunks");
    static_assert(SLOTS >= 2, "one to work on, one to read into");

    uint4 text[SLOTS][chunks];

    /* Starts to read tile n of this block into its slot, or nothing when there is none. What is not
     * among places [0, end) is zeros. */
    __device__ __forceinline__ void read(const struct stage_tiles &tiles, uint32_t n)
    {
        const uint32_t number = blockIdx.x + n * gridDim.x, begin = tiles.first + number * tile;

        if (number < tiles.count) {
            if (begin >= BEFORE && tile <= tiles.end && begin <= tiles.end - tile)
                read_inside(text[n % SLOTS], tiles.base + (begin - BEFORE));
            else
                read_checked(text[n % SLOTS], tiles, begin);
        }
        __pipeline_commit();
    }

    __device__ static __forceinline__ void read_inside(uint4 *to, const uint8_t *from)
    {
#pragma unroll
        for (uint32_t i = 0; i < chunks; i += THREADS)
            if (i + THREADS <= chunks || threadIdx.x < chunks - i)
                __pipeline_memcpy_async(to + i + threadIdx.x, from + (i + threadIdx.x) * 16, 16);
    }

    __device__ static void read_checked(uint4 *to, const struct stage_tiles &tiles, uint32_t begin)
    {
        for (uint32_t i = threadIdx.x; i < chunks; i += THREADS) {
            const int64_t place = (int64_t)begin - BEFORE + i * 16;
            const bool there = place >= 0 && place < tiles.end;

            __pipeline_memcpy_async(to + i, tiles.base + (there ? place : 0), 16, there ? 0 : 16);
        }
    }

    /* All but one slot are on their way. */
    __device__ void begin(const struct stage_tiles &tiles)
    {
        for (uint32_t n = 0; n + 1 < SLOTS; n++)
            read(tiles, n);
    }

    /*
     * Tile n is there for all threads, and the slot of the one before it is read into. Answers with
     * whether any thread asked, for what only a barrier makes safe. The text: at(n)[0] is the first
     * byte of the tile.
     */
    __device__ bool next(const struct stage_tiles &tiles, uint32_t n, bool ask)
    {
        __pipeline_wait_prior(SLOTS - 2);
        const bool asked = __syncthreads_or(ask);
        read(tiles, n + SLOTS - 1);
        return asked;
    }

    __device__ const uint8_t *at(uint32_t n) const
    {
        return reinterpret_cast<const uint8_t *>(text[n % SLOTS]) + BEFORE;
    }
};

static inline struct stage_tiles stage_tiles_of(const struct search *s, uint32_t tile)
{
    const uint32_t skew = (uint32_t)((uintptr_t)s->view.text % 16);
    const uint32_t first = (search_first(s) + skew) / 16 * 16, end = s->view.to + skew;

    return { s->view.text - skew, skew, first, end,
             end > first ? (end - first + tile - 1) / tile : 0 };
}

/* Blocks of a kernel that go through the tiles: as many as there is room for on the device, if
 * there are so many tiles. */
static inline uint32_t stage_blocks(const struct stage_device *device, uint32_t threads,
                                    size_t shared, uint32_t tiles)
{
    enum {
        OWN = 1024,
        THREADS = 2048
    }; /* bytes that a block's shared memory costs besides; of a multiprocessor */
    const uint32_t room = (device->shared_max + OWN) / (uint32_t)(shared + OWN),
                   most = THREADS / threads;
    const uint32_t each = room < 1 ? 1 : room < most ? room : most;

    return tiles < device->processors * each ? tiles : device->processors * each;
}

#endif
