/* SPDX-License-Identifier: Apache-2.0
 * match/papers/pfac/pfac_each.cuh - the kernel of PFAC_EACH: thread after thread takes a byte and
 * walks (Chien et al., Figure 5), in tiles of text that are staged in shared memory. A warp is as
 * slow as the longest of its 32 walks.
 *
 * Instructions are what the time goes into, so the loop over the steps of a walk has nothing in it
 * but the step. What lanes find is put on a list of the warp's, to be looked into by all of them
 * together. No walk asks whether it has come to the end of the text: what it finds behind that is
 * no match, and it is no longer than what is staged. The first step begins in the same state
 * everywhere; with MFPH the row of that one is read once, for there a row belongs to a state.
 */
#ifndef BURIN_MATCH_PAPERS_PFAC_PFAC_EACH_CUH
#define BURIN_MATCH_PAPERS_PFAC_PFAC_EACH_CUH

#include "match/papers/pfac/pfac.cuh"

enum {
    PFAC_BEHIND = 256, /* bytes that a walk may be longer than its tile */
    PFAC_EACH_THREADS = 256,
    PFAC_EACH_WARPS = PFAC_EACH_THREADS / PFAC_LANES,
    PFAC_EACH_BLOCKS = 6,  /* of one multiprocessor */
    PFAC_EACH_TILE = 2048, /* bytes */
    PFAC_FINDS = 48,       /* that a warp has on its list */
};

static_assert((int)PFAC_BEHIND > (int)LIMIT_PATTERN_LEN, "no walk leaves what is staged");
static_assert(LIMIT_PAPER_PATTERNS < UINT32_MAX / PFAC_EACH_TILE,
              "a find is a number below PFAC_EACH_TILE and one of a state that finds");

/* What a warp has in shared memory. */
struct pfac_each_warp {
    struct ring_hit hits[PFAC_HITS];
    uint32_t finds[PFAC_FINDS]; /* pfac_index * PFAC_EACH_TILE + place in the tile */
};

/* A warp at work: the same in all lanes. */
struct pfac_each_list {
    struct pfac_each_warp *shared;
    uint32_t tile;        /* place of its first byte */
    uint32_t count, hits; /* of what is in shared */
};

/* Four bytes with capitals as small letters. */
static __device__ __forceinline__ uint32_t pfac_fold_word(uint32_t word)
{
    return word |
           (__vcmpgeu4(word, 0x41414141) & __vcmpleu4(word, 0x5a5a5a5a) & PFAC_SMALL_LETTERS);
}

static __device__ __forceinline__ uint32_t pfac_lane(void)
{
    return threadIdx.x % PFAC_LANES;
}

/* All lanes together, as everything below: turns the finds on the list into hits, which are
 * counted. Rare, so not in the way of the rest. */
static __device__ __noinline__ uint32_t pfac_look(const struct pfac_tiles &t,
                                                  struct pfac_each_list list)
{
    struct pfac_hits hits = { list.shared->hits, list.hits, pfac_lane() };

    __syncwarp();
    for (uint32_t i = 0; i < list.count; i += PFAC_LANES) {
        struct pfac_found found = {};
        uint32_t begin = 0;

        if (i + hits.lane < list.count) {
            const uint32_t find = list.shared->finds[i + hits.lane];

            found = t.s.pfac.found[find / PFAC_EACH_TILE];
            begin = list.tile + find % PFAC_EACH_TILE - t.skew;
        }
        pfac_collect(t.s, &hits, found, begin);
    }
    __syncwarp();
    return hits.count;
}

/* Puts the finds of those lanes that have one on the list. */
static __device__ __forceinline__ void pfac_list(const struct pfac_tiles &t,
                                                 struct pfac_each_list *list, bool finds,
                                                 uint32_t find)
{
    const uint32_t who = __ballot_sync(0xffffffff, finds);

    if (list->count + __popc(who) > PFAC_FINDS) {
        list->hits = pfac_look(t, *list);
        list->count = 0;
    }
    if (finds)
        list->shared->finds[list->count + __popc(who & ((1u << pfac_lane()) - 1))] = find;
    list->count += __popc(who);
}

/* A byte of the tile; the address is one of shared memory, kept in a register: made of the array's,
 * it would be made anew each time. */
static __device__ __forceinline__ uint32_t pfac_byte(uint32_t address)
{
    uint32_t byte;

    asm volatile("ld.shared.u8 %0, [%1];" : "=r"(byte) : "r"(address));
    return byte;
}

static __device__ __forceinline__ void pfac_stage(const struct pfac_tiles &t, uint32_t tile,
                                                  uint4 *text)
{
    for (uint32_t i = threadIdx.x; i < (PFAC_EACH_TILE + PFAC_BEHIND) / 16;
         i += PFAC_EACH_THREADS) {
        uint4 block = pfac_load(t, (uint64_t)tile + i * 16);

        if (t.s.pfac.folds)
            block = { pfac_fold_word(block.x), pfac_fold_word(block.y), pfac_fold_word(block.z),
                      pfac_fold_word(block.w) };
        text[i] = block;
    }
}

/*
 * The walks from one byte for each lane, the one at `begin` in the tile and `address` in shared
 * memory, where `on` is set. Lanes leave the loop over the steps with a find: a branch in it would
 * cost all of them more at every step than waiting for each other does.
 */
template <enum pfac_kind KIND, bool LONGEST>
static __device__ __forceinline__ void pfac_each_walk(const struct pfac_tiles &t,
                                                      struct pfac_each_list *list,
                                                      struct pfac_mfph_row root, bool on,
                                                      uint32_t begin, uint32_t address)
{
    const struct pfac_view &p = t.s.pfac;
    struct pfac_state state = pfac_start(&p);
    uint32_t longest = PFAC_EMPTY;

    if (on) {
        const uint32_t byte = pfac_byte(address);

        on = KIND == PFAC_MFPH ? pfac_step_row(&p, root, &state, byte)
                               : pfac_step(&p, KIND, &state, byte);
    }
    bool finds = on && pfac_finds(&p, KIND, &state), walks = on && !finds;
    for (uint32_t at = address + 1;;) {
        while (walks) {
            on = pfac_step(&p, KIND, &state, pfac_byte(at++));
            finds = on && pfac_finds(&p, KIND, &state);
            walks = on && !finds;
        }
        __syncwarp();
        if (!__any_sync(0xffffffff, finds))
            break;
        uint32_t index = finds ? pfac_index(&p, KIND, &state) : 0;
        if (!LONGEST)
            pfac_list(t, list, finds, index * PFAC_EACH_TILE + begin);
        else if (finds && list->tile + begin + (at - address) <= t.end &&
                 (p.certain || pfac_any(t.s, index, list->tile + begin - t.skew)))
            longest = index * PFAC_EACH_TILE + begin;
        walks = finds && !pfac_ends(&p, KIND, &state);
        finds = false;
    }
    if (LONGEST)
        pfac_list(t, list, longest != PFAC_EMPTY, longest);
}

template <enum pfac_kind KIND, bool LONGEST>
static __global__ void __launch_bounds__(PFAC_EACH_THREADS, PFAC_EACH_BLOCKS)
    pfac_each(const __grid_constant__ struct pfac_tiles t)
{
    __shared__ uint4 text[(PFAC_EACH_TILE + PFAC_BEHIND) / 16];
    __shared__ struct pfac_each_warp warps[PFAC_EACH_WARPS];
    const uint32_t tile = t.first + blockIdx.x * PFAC_EACH_TILE;
    struct pfac_each_list list = { &warps[threadIdx.x / PFAC_LANES], tile, 0, 0 };
    uint32_t address = (uint32_t)__cvta_generic_to_shared(text),
             from = t.from > tile ? t.from - tile : 0;
    uint32_t span = (t.end - tile < PFAC_EACH_TILE ? t.end - tile : PFAC_EACH_TILE) - from;
    struct pfac_mfph_row root = {};

    if (KIND == PFAC_MFPH)
        root = *static_cast<const struct pfac_mfph_row *>(t.s.pfac.rows);
    pfac_stage(t, tile, text);
    __syncthreads();
    asm volatile(""
                 : "+r"(address), "+r"(from),
                   "+r"(span)); /* keep them, and do not make them anew for each byte */
    for (uint32_t i = threadIdx.x; i < PFAC_EACH_TILE; i += PFAC_EACH_THREADS)
        pfac_each_walk<KIND, LONGEST>(t, &list, root, i - from < span, i, address + i);
    struct pfac_hits hits = { list.shared->hits, pfac_look(t, list), pfac_lane() };
    pfac_flush(t.s.search.view, &hits);
}

template <enum pfac_kind KIND> static int pfac_each_launch(const void *args, void *stream)
{
    const struct pfac_tiles t =
        pfac_tiles_of(static_cast<const struct pfac_search *>(args), PFAC_EACH_TILE);
    const auto kernel = t.s.pfac.longest ? pfac_each<KIND, true> : pfac_each<KIND, false>;

    if (t.end > t.from)
        kernel<<<t.count, PFAC_EACH_THREADS, 0, static_cast<cudaStream_t>(stream)>>>(t);
    return static_cast<int>(cudaPeekAtLastError());
}

#endif
