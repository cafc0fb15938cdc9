/* SPDX-License-Identifier: Apache-2.0
 * match/papers/quick_search/quick_search_gpu.cu - the kernel of quick_search_gpu.c.
 *
 * A block of threads takes tiles of the text in shared memory (stage.cuh); a thread searches the
 * windows that end in its stretch. Words come in batches, whose shifts are in shared memory: one
 * batch stays there, more of them come again for each tile.
 */
#include "match/kernel/collect.cuh"
#include "match/kernel/stage.cuh"

extern "C" {
#include "match/papers/quick_search/quick_search_gpu.h"
}

enum {
    QUICK_THREADS = 256,
    QUICK_WORDS = 33,   /* of a stretch */
    QUICK_BEFORE = 256, /* bytes before a tile: what a window that ends in it may begin with */
    QUICK_BATCH = 32,
    QUICK_SLOTS = 2,
};

typedef struct stage<QUICK_THREADS, QUICK_WORDS, QUICK_BEFORE, QUICK_SLOTS> quick_stage;
static_assert((int)QUICK_BEFORE >= (int)LIMIT_PATTERN_LEN, "windows are there");

struct quick_shared {
    quick_stage stage;
    uint8_t shifts[QUICK_BATCH][QUICK_SEARCH_SHIFTS];
    struct quick_search_word words[QUICK_BATCH];
    struct collect_room<COLLECT_BLOCK> room;
};

/* Windows that end behind one of the places [begin, end) are a thread's. */
struct quick_part {
    uint32_t skew, begin, end;
};

/* text: such that text[place] is there. */
static __device__ __forceinline__ void quick_word(const struct quick_search_args &a,
                                                  struct quick_shared *shared, const uint8_t *text,
                                                  struct quick_part part, uint32_t k)
{
    const struct quick_search_word word = shared->words[k];
    const uint8_t *shifts = shared->shifts[k], *bytes = quick_search_bytes(a.head) + word.at;
    const uint32_t len = word.what & 0xff, least = part.skew + len, past = part.begin + 1;
    uint32_t at = past > least ? past : least;

    while ((at = quick_search_next(&word, bytes, shifts, text, at, part.end)) <= part.end) {
        collect_add(&shared->room.collect, &a.search.view, at - len - part.skew, word.what >> 8,
                    len);
        at = quick_search_shift(shifts, text, at, part.end);
    }
}

/* All threads: words [first, first + QUICK_BATCH), those that there are. */
static __device__ __forceinline__ void quick_load(const struct quick_search_args *a,
                                                  struct quick_shared *shared, uint32_t first)
{
    const uint32_t count =
        a->count - first < QUICK_BATCH ? a->count - first : (uint32_t)QUICK_BATCH;
    const uint32_t *shifts = reinterpret_cast<const uint32_t *>(
        quick_search_bytes(a->head) + a->head->shifts_at + (size_t)first * QUICK_SEARCH_SHIFTS);

    for (uint32_t i = threadIdx.x; i < count * QUICK_SEARCH_SHIFTS / 4; i += QUICK_THREADS)
        reinterpret_cast<uint32_t *>(shared->shifts)[i] = shifts[i];
    for (uint32_t i = threadIdx.x; i < count; i += QUICK_THREADS)
        shared->words[i] = quick_search_words(a->head)[first + i];
}

static __device__ __forceinline__ void quick_tile(const struct quick_search_args &a,
                                                  struct quick_shared *shared, const uint8_t *text,
                                                  struct quick_part part)
{
    for (uint32_t first = 0; first < a.count; first += QUICK_BATCH) {
        if (a.count > QUICK_BATCH) {
            __syncthreads();
            quick_load(&a, shared, first);
            __syncthreads();
        }
        for (uint32_t k = 0; k < QUICK_BATCH && first + k < a.count; k++)
            quick_word(a, shared, text, part, k);
    }
}

static __global__ void __launch_bounds__(QUICK_THREADS)
    quick_search_walk(const __grid_constant__ struct quick_search_args a,
                      const __grid_constant__ struct stage_tiles tiles)
{
    extern __shared__ uint4 memory[];
    struct quick_shared *shared = reinterpret_cast<struct quick_shared *>(memory);
    const uint32_t from = a.search.view.from + tiles.skew;

    shared->stage.begin(tiles);
    if (threadIdx.x == 0)
        shared->room.open();
    if (a.count <= QUICK_BATCH)
        quick_load(&a, shared, 0);
    for (uint32_t n = 0, tile = blockIdx.x; tile < tiles.count; tile += gridDim.x, n++) {
        const uint32_t at = tiles.first + tile * quick_stage::tile,
                       begin = at + threadIdx.x * quick_stage::stretch;
        const uint32_t end = begin + quick_stage::stretch;

        if (shared->stage.next(tiles, n, n > 0 && threadIdx.x == 0 && shared->room.half_full()))
            collect_flush(&shared->room.collect, &a.search.view);
        quick_tile(a, shared, shared->stage.at(n) - at,
                   { tiles.skew, begin > from ? begin : from, end < tiles.end ? end : tiles.end });
    }
    collect_flush(&shared->room.collect, &a.search.view);
}

extern "C" int quick_search_cuda(const void *args, void *stream)
{
    const struct quick_search_args *a = static_cast<const struct quick_search_args *>(args);
    const struct stage_tiles tiles = stage_tiles_of(&a->search, quick_stage::tile);
    const size_t shared = sizeof(struct quick_shared);
    const uint32_t blocks = stage_blocks(&a->device, QUICK_THREADS, shared, tiles.count);

    if (blocks == 0)
        return cudaSuccess;
    const cudaError_t status = cudaFuncSetAttribute(
        quick_search_walk, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    if (status != cudaSuccess)
        return static_cast<int>(status);
    quick_search_walk<<<blocks, QUICK_THREADS, shared, static_cast<cudaStream_t>(stream)>>>(*a,
                                                                                            tiles);
    return static_cast<int>(cudaPeekAtLastError());
}
