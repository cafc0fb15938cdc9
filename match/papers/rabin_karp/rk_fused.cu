/* SPDX-License-Identifier: Apache-2.0
 * match/papers/rabin_karp/rk_fused.cu - the kernel of rk_fused.c.
 *
 * A block of threads takes tiles of the text in shared memory (stage.cuh), and goes through each
 * once for every group of patterns; each thread rolls the hash over its stretch. The byte or word
 * that leaves a window is read from the tile once more. What a step answers is one bit; some of
 * them are gathered, so that there is one branch for all. Windows that pass are listed by each
 * warp, and as soon as there are as many as it has lanes, each lane verifies one.
 */
#include "match/kernel/collect.cuh"
#include "match/kernel/stage.cuh"

extern "C" {
#include "match/papers/rabin_karp/rk_fused.h"
}

enum {
    FUSED_GATHER_BYTES = 3, /* words whose answers are gathered, where every byte has an answer */
    FUSED_LANES = 32,
    FUSED_LIST = 2 * FUSED_LANES, /* of a warp */
};

/* Threads of a block, words of a stretch, words whose answers are gathered where a word has one,
 * and tiles in shared memory. */
template <uint32_t THREADS, uint32_t WORDS, uint32_t GATHER, uint32_t SLOTS> struct fused_layout {
    static constexpr uint32_t threads = THREADS, words = WORDS, gather = GATHER,
                              warps = THREADS / FUSED_LANES;
    static_assert(WORDS % GATHER == 0 && WORDS % FUSED_GATHER_BYTES == 0, "whole steps");
    typedef struct stage<THREADS, WORDS, RK_FUSED_WINDOW, SLOTS> stage;
};
static_assert(RK_FUSED_WINDOW % 16 == 0, "whole chunks");

/* A warp's own. */
struct fused_warp {
    struct collect_room<COLLECT_WARP> room;
    uint2 list[FUSED_LIST]; /* place behind a window, group */
};

template <class SHAPE> struct fused_shared {
    typename SHAPE::stage stage;
    struct rk_fused_group groups[RK_FUSED_GROUPS];
    struct fused_warp warps[SHAPE::warps];
    uint32_t filters[];
};

/* Where a thread is. */
struct fused_walk {
    const struct rk_fused *a;
    const struct rk_fused_group *groups;
    struct fused_warp *warp;
    uint32_t listed; /* in the list: the same in all lanes */
    uint32_t group, skew;
    uint32_t place; /* of the first byte of its stretch */
};

/* A lane takes a window. */
static __device__ __noinline__ void fused_verify(const struct rk_fused *a,
                                                 const struct rk_fused_group *groups, uint2 found,
                                                 uint32_t skew, struct collect *collect)
{
    if (found.x >= skew)
        rk_fused_verify(a, &groups[found.y], found.x - skew, collect);
}

/* The warp takes what is listed from `first` on, no more than it has lanes. */
static __device__ __forceinline__ void fused_take(struct fused_walk &w, uint32_t first)
{
    const uint32_t at = first + threadIdx.x % FUSED_LANES;

    __syncwarp();
    if (at < w.listed)
        fused_verify(w.a, w.groups, w.warp->list[at], w.skew, &w.warp->room.collect);
    __syncwarp();
    w.listed = first;
    if (w.warp->room.half_full())
        collect_flush_warp(&w.warp->room.collect, &w.a->search.view);
}

/* The windows that passed: of `count`, each of which ends `each` bytes behind the one before, the
 * last is bit 0. All lanes of the warp. */
static __device__ __forceinline__ void fused_found(struct fused_walk &w, uint32_t found,
                                                   uint32_t first, uint32_t count, uint32_t each)
{
    const uint32_t before = (1u << threadIdx.x % FUSED_LANES) - 1;

    for (uint32_t lanes; (lanes = __ballot_sync(0xffffffff, found != 0)) != 0; found &= found - 1) {
        if (found != 0)
            w.warp->list[w.listed + __popc(lanes & before)] =
                uint2{ w.place + first + (count - (uint32_t)__ffs((int)found)) * each, w.group };
        w.listed += __popc(lanes);
        if (w.listed >= FUSED_LANES)
            fused_take(w, w.listed - FUSED_LANES);
    }
}

/* The answers so far, and one more. FAR: the filter is in device memory, else in shared memory. */
template <bool FAR>
static __device__ __forceinline__ uint32_t fused_ask(uint32_t way, const uint32_t *filter,
                                                     uint32_t bits, uint32_t sum, uint32_t found)
{
    const struct rk_fused_probe probe = rk_fused_probe_of(way, bits, sum);
    const uint32_t word = FAR ? __ldg(filter + probe.word) : filter[probe.word];

    return __funnelshift_l(rk_fused_passes(way, word, &probe), found, 1);
}

/* FOLD: letters may have either case. */
template <class SHAPE, bool FAR, bool FOLD>
static __device__ __forceinline__ void fused_words(struct fused_walk &w,
                                                   const struct rk_fused_group &g,
                                                   const uint32_t *filter, const uint32_t *mine)
{
    const uint32_t base = g.base, drop = g.drop, fold = FOLD ? g.fold : 0, bits = g.filter_bits;
    const uint32_t letters = g.window / RK_FUSED_LETTER, *old = mine - letters;
    uint32_t sum = 0;

#pragma unroll
    for (uint32_t k = 0; k < RK_FUSED_WINDOW / RK_FUSED_LETTER; k++)
        if (k < letters)
            sum = rk_fused_roll(RK_FUSED_WORDS, base, drop, sum, old[k] | fold, 0);
    for (uint32_t i = 0; i < SHAPE::words; i += SHAPE::gather) {
        uint32_t found = 0;

#pragma unroll
        for (uint32_t k = 0; k < SHAPE::gather; k++) {
            sum = rk_fused_roll(RK_FUSED_WORDS, base, drop, sum, mine[i + k] | fold,
                                old[i + k] | fold);
            found = fused_ask<FAR>(RK_FUSED_WORDS, filter, bits, sum, found);
        }
        if (__any_sync(0xffffffff, found != 0))
            fused_found(w, found, (i + 1) * RK_FUSED_LETTER, SHAPE::gather, RK_FUSED_LETTER);
    }
}

template <class SHAPE, bool FAR, uint32_t WAY>
static __device__ __forceinline__ void fused_bytes(struct fused_walk &w,
                                                   const struct rk_fused_group &g,
                                                   const uint32_t *filter, const uint32_t *mine)
{
    const uint32_t base = g.base, drop = g.drop, fold = g.fold, bits = g.filter_bits;
    const uint32_t shift = (0u - g.window) % RK_FUSED_LETTER * 8;
    const uint32_t *old = mine - (g.window + RK_FUSED_LETTER - 1) / RK_FUSED_LETTER;
    uint32_t sum = 0, low = *old | fold;

#pragma unroll
    for (uint32_t k = 0; k < RK_FUSED_WINDOW / RK_FUSED_LETTER; k++) {
        const uint32_t in = __funnelshift_r(old[k], old[k + 1], shift) | fold;

#pragma unroll
        for (uint32_t b = 0; b < RK_FUSED_LETTER; b++)
            if (k * RK_FUSED_LETTER + b < g.window)
                sum = rk_fused_roll(WAY, base, drop, sum, __byte_perm(in, 0, 0x4440 + b), 0);
    }
    for (uint32_t i = 0; i < SHAPE::words; i += FUSED_GATHER_BYTES) {
        uint32_t found = 0;

#pragma unroll
        for (uint32_t k = 0; k < FUSED_GATHER_BYTES; k++) {
            const uint32_t high = old[i + k + 1] | fold, in = mine[i + k] | fold;
            const uint32_t out = __funnelshift_r(low, high, shift);

#pragma unroll
            for (uint32_t b = 0; b < RK_FUSED_LETTER; b++) {
                sum = rk_fused_roll(WAY, base, drop, sum, __byte_perm(in, 0, 0x4440 + b),
                                    __byte_perm(out, 0, 0x4440 + b));
                found = fused_ask<FAR>(WAY, filter, bits, sum, found);
            }
            low = high;
        }
        if (__any_sync(0xffffffff, found != 0))
            fused_found(w, found, i * RK_FUSED_LETTER + 1, FUSED_GATHER_BYTES * RK_FUSED_LETTER, 1);
    }
}

template <class SHAPE, bool FAR>
static __device__ __forceinline__ void fused_group(struct fused_walk &w,
                                                   const struct rk_fused_group &g,
                                                   const uint32_t *filter, const uint32_t *mine)
{
    if (g.way == RK_FUSED_WORDS && g.fold != 0)
        fused_words<SHAPE, FAR, true>(w, g, filter, mine);
    else if (g.way == RK_FUSED_WORDS)
        fused_words<SHAPE, FAR, false>(w, g, filter, mine);
    else if (g.way == RK_FUSED_BYTES)
        fused_bytes<SHAPE, FAR, RK_FUSED_BYTES>(w, g, filter, mine);
    else
        fused_bytes<SHAPE, FAR, RK_FUSED_PRIME>(w, g, filter, mine);
}

template <class SHAPE>
static __device__ __forceinline__ void fused_open(const struct rk_fused *a,
                                                  struct fused_shared<SHAPE> *shared)
{
    const uint32_t *words = rk_fused_words(a->head);
    const uint32_t *groups = reinterpret_cast<const uint32_t *>(a->head->groups);

    if (threadIdx.x < SHAPE::warps)
        shared->warps[threadIdx.x].room.open();
    for (uint32_t i = threadIdx.x; i < a->group_count * sizeof(struct rk_fused_group) / 4;
         i += SHAPE::threads)
        reinterpret_cast<uint32_t *>(shared->groups)[i] = groups[i];
    for (uint32_t i = threadIdx.x; i < a->near_words; i += SHAPE::threads)
        shared->filters[i] = words[i];
}

template <class SHAPE>
static __global__ void __launch_bounds__(SHAPE::threads)
    rk_fused_walk(const __grid_constant__ struct rk_fused a,
                  const __grid_constant__ struct stage_tiles tiles)
{
    extern __shared__ uint4 memory[];
    struct fused_shared<SHAPE> *shared = reinterpret_cast<struct fused_shared<SHAPE> *>(memory);
    const uint32_t *far = rk_fused_words(a.head);
    struct fused_walk w = {
        &a, shared->groups, &shared->warps[threadIdx.x / FUSED_LANES], 0, 0, tiles.skew, 0
    };

    shared->stage.begin(tiles);
    fused_open(&a, shared);
    for (uint32_t n = 0, tile = blockIdx.x; tile < tiles.count; tile += gridDim.x, n++) {
        (void)shared->stage.next(tiles, n, false);
        const uint32_t *mine =
            reinterpret_cast<const uint32_t *>(shared->stage.at(n)) + threadIdx.x * SHAPE::words;

        w.place = tiles.first + tile * SHAPE::stage::tile + threadIdx.x * SHAPE::stage::stretch;
        for (w.group = 0; w.group < a.group_count; w.group++) {
            const struct rk_fused_group &g = shared->groups[w.group];

            if (g.filter_far)
                fused_group<SHAPE, true>(w, g, far + g.filter_at, mine);
            else
                fused_group<SHAPE, false>(w, g, shared->filters + g.filter_at, mine);
        }
    }
    fused_take(w, 0);
    collect_flush_warp(&w.warp->room.collect, &a.search.view);
}

template <class SHAPE> static int fused_launch(const struct rk_fused *a, void *stream)
{
    const struct stage_tiles tiles = stage_tiles_of(&a->search, SHAPE::stage::tile);
    const size_t shared = sizeof(struct fused_shared<SHAPE>) + a->near_words * sizeof(uint32_t);
    const uint32_t blocks = stage_blocks(&a->device, SHAPE::threads, shared, tiles.count);

    if (blocks == 0)
        return cudaSuccess;
    const cudaError_t status = cudaFuncSetAttribute(
        rk_fused_walk<SHAPE>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    if (status != cudaSuccess)
        return static_cast<int>(status);
    rk_fused_walk<SHAPE>
        <<<blocks, SHAPE::threads, shared, static_cast<cudaStream_t>(stream)>>>(*a, tiles);
    return static_cast<int>(cudaPeekAtLastError());
}

extern "C" int rk_fused_cuda(const void *args, void *stream)
{
    const struct rk_fused *a = static_cast<const struct rk_fused *>(args);
    const struct match_launch launch = a->search.view.launch;

#define FUSED_LAYOUT(threads_of, words_of, gather_of, slots_of)                                    \
    if (launch.threads == (threads_of) && launch.words == (words_of))                              \
        return fused_launch<fused_layout<threads_of, words_of, gather_of, slots_of>>(a, stream);
    RK_FUSED_SHAPES(FUSED_LAYOUT)
#undef FUSED_LAYOUT
    return fused_launch<fused_layout<RK_FUSED_DEFAULT>>(a, stream);
}
