/* SPDX-License-Identifier: Apache-2.0
 * match/shift_and/qgrams.cu - the kernel that searches by qgrams.h, in one pass.
 *
 * A warp takes tiles of rows, a row being 16 bytes for each lane, the next one when it is done with
 * one: files of words take ten times as long as others, and when tiles were assigned out beforehand
 * all waited for a few warps. The words of four bytes at all places of a lane's chunk, and of the
 * eight bytes before it, are made of its registers; two of them are a qgram, and one word of
 * shared memory says whether it may be one. Places that remain are queued for the warp, and looked
 * up 32 at a time while their text is still in the cache: a lane that finds something holds up none
 * that has nothing to do. Hits are queued likewise, and one atomic addition makes room for dozens.
 */
extern "C" {
#include "match/shift_and/qgrams_search.h"
}

enum {
    SCAN_THREADS = 1024, /* of the one block that a multiprocessor has room for */
    SCAN_WARPS = SCAN_THREADS / 32,
    SCAN_LANES = 32,
    SCAN_TILE_ROWS = 48,
    SCAN_TILE = SCAN_TILE_ROWS * SCAN_LANES,         /* chunks */
    SCAN_QUEUE = 2 * SCAN_LANES,                     /* places and hits that a warp collects */
    SCAN_WORDS = (QGRAMS_BEFORE + QGRAMS_CHUNK) / 4, /* of a chunk and of what is before it */
};

struct scan_shared {
    uint32_t bits[QGRAMS_WORDS];
    struct ring_hit hits[SCAN_WARPS][SCAN_QUEUE];
    uint32_t places[SCAN_WARPS][SCAN_QUEUE];
};

/* A warp's place in the work, the same in all lanes. */
struct scan_warp {
    const struct qgrams_search *s;
    uint32_t *places;
    struct ring_hit *hits;
    uint32_t place_count, hit_count;
    uint32_t looked_up;
};

static __device__ __forceinline__ uint32_t scan_lane()
{
    return threadIdx.x % SCAN_LANES;
}

/* In lane 0: the next tile of the text that no warp has taken. */
static __device__ __forceinline__ uint32_t scan_take(const struct qgrams_search *s)
{
    return scan_lane() == 0 ? atomicAdd(&s->search.view.found->taken[1], 1) : 0;
}

static __device__ __forceinline__ uint32_t scan_taken(uint32_t tile)
{
    return __shfl_sync(0xffffffff, tile, 0);
}

/* Of the lanes in mask, how many are before this one. */
static __device__ __forceinline__ uint32_t scan_before(uint32_t mask)
{
    return __popc(mask & ((1u << scan_lane()) - 1));
}

static __device__ __forceinline__ void scan_flush(const struct ring_view *view,
                                                  const struct ring_hit *hits, uint32_t count)
{
    uint32_t at = 0;

    __syncwarp();
    if (scan_lane() == 0)
        at = atomicAdd(&view->found->count, count);
    at = __shfl_sync(0xffffffff, at, 0);
    for (uint32_t i = scan_lane(); i < count; i += SCAN_LANES)
        if (at + i < view->hits_max)
            view->hits[at + i] = hits[i];
    __syncwarp();
}

/* Compares all that is behind the slots, an entry of each lane at a time. Answers with how many
 * hits are queued then. */
static __device__ __forceinline__ uint32_t scan_compare(const struct qgrams_search *s,
                                                        struct qgrams_slot slot,
                                                        const struct qgrams_around *text,
                                                        uint32_t at, struct ring_hit *hits,
                                                        uint32_t hit_count)
{
    while (__any_sync(0xffffffff, slot.count > 0)) {
        struct ring_hit hit = { 0, 0 };
        bool found = false;

        if (slot.count > 0) {
            const struct qgrams_entry *entry = &s->entries[slot.first];

            found = qgrams_match(s, entry, text, at);
            if (found)
                hit = { at - entry->at, entry->what };
            slot.first++;
            slot.count--;
        }
        const uint32_t mask = __ballot_sync(0xffffffff, found);
        if (mask == 0)
            continue;
        if (hit_count + SCAN_LANES > SCAN_QUEUE) {
            scan_flush(&s->search.view, hits, hit_count);
            hit_count = 0;
        }
        if (found)
            hits[hit_count + scan_before(mask)] = hit;
        hit_count += __popc(mask);
    }
    return hit_count;
}

/* Looks up `count` places, one for each lane. A call, for it takes registers. */
static __device__ __noinline__ uint32_t scan_look_up(const struct qgrams_search *s,
                                                     const uint32_t *places, uint32_t count,
                                                     struct ring_hit *hits, uint32_t hit_count)
{
    const uint32_t skew = qgrams_skew(s);
    struct qgrams_slot slot = { 0, 0, 0, 0 };
    struct qgrams_around text = { 0, 0 };
    uint32_t at = 0;

    __syncwarp();
    if (scan_lane() < count) {
        const uint32_t place = places[scan_lane()];

        at = place - skew;
        if (at < s->search.view.len) { /* in front of the text there is a huge index */
            text.behind = qgrams_load(s, place);
            slot = qgrams_find(s, text.behind);
        }
        if (slot.count > 0)
            text.before = qgrams_load_before(s, place);
    }
    hit_count = scan_compare(s, slot, &text, at, hits, hit_count);
    __syncwarp();
    return hit_count;
}

/* The last places of the queue, as many as there are lanes at most. */
static __device__ __forceinline__ void scan_empty(struct scan_warp *warp)
{
    const uint32_t count = warp->place_count < SCAN_LANES ? warp->place_count : SCAN_LANES;

    warp->place_count -= count;
    warp->looked_up += count;
    warp->hit_count =
        scan_look_up(warp->s, warp->places + warp->place_count, count, warp->hits, warp->hit_count);
}

/* Queues the places of all lanes: bit k of mask is the place k behind `first`. */
static __device__ __forceinline__ void scan_collect(struct scan_warp *warp, uint32_t mask,
                                                    uint32_t first)
{
    for (uint32_t ready = __ballot_sync(0xffffffff, mask != 0); ready != 0;
         ready = __ballot_sync(0xffffffff, mask != 0)) {
        if (warp->place_count + SCAN_LANES > SCAN_QUEUE)
            scan_empty(warp);
        if (mask != 0)
            warp->places[warp->place_count + scan_before(ready)] = first + __ffs((int)mask) - 1;
        warp->place_count += __popc(ready);
        mask &= mask - 1;
    }
}

/* The word of the table for a hash, by an address of 32 bits: pointers would take more instructions
 * than all the rest. */
static __device__ __forceinline__ uint32_t scan_word(uint32_t table, uint32_t hash)
{
    uint32_t word;

    asm("ld.shared.u32 %0, [%1];"
        : "=r"(word)
        : "r"(table + (hash >> (32 - QGRAMS_BITS - 2) & (QGRAMS_WORDS - 1) * 4)));
    return word;
}

/* Places of a chunk at which a qgram may begin, bit 0 being QGRAMS_BEFORE in front of it. */
template <uint32_t STRIDE, bool TWO>
static __device__ __forceinline__ uint32_t scan_row(uint32_t table, uint32_t multiplier,
                                                    const uint32_t (&words)[SCAN_WORDS])
{
    uint32_t mask = 0;

#pragma unroll
    for (uint32_t k = 0; k < QGRAMS_CHUNK; k += STRIDE) {
        const uint32_t first =
            k % 4 == 0 ? words[k / 4] : __funnelshift_r(words[k / 4], words[k / 4 + 1], k % 4 * 8);
        const uint32_t next = k % 4 == 0
                                  ? words[k / 4 + 1]
                                  : __funnelshift_r(words[k / 4 + 1], words[k / 4 + 2], k % 4 * 8);

        mask +=
            qgrams_test(scan_word(table, qgrams_hash(first, next, multiplier)), first, next, TWO) *
            (1u << k);
    }
    return mask;
}

/* One turn of a tile: ROWS rows, loaded together, from chunk `at` in this lane's first row; before:
 * how the row before ended. */
template <uint32_t STRIDE, bool TWO, uint32_t ROWS>
static __device__ __forceinline__ void scan_turn(struct scan_warp *warp, uint32_t table,
                                                 uint32_t multiplier, const uint4 *chunks,
                                                 uint32_t at, uint32_t end, uint32_t text_end,
                                                 uint32_t (&before)[2])
{
    const uint32_t left = (scan_lane() + SCAN_LANES - 1) % SCAN_LANES;
    uint4 rows[ROWS];

#pragma unroll
    for (uint32_t r = 0; r < ROWS; r++)
        rows[r] = at + r * SCAN_LANES < text_end ? __ldcs(&chunks[at + r * SCAN_LANES])
                                                 : uint4{ 0, 0, 0, 0 };
#pragma unroll
    for (uint32_t r = 0; r < ROWS; r++) {
        const uint32_t chunk = at + r * SCAN_LANES;
        uint32_t words[SCAN_WORDS] = { 0,
                                       0,
                                       qgrams_fold(rows[r].x),
                                       qgrams_fold(rows[r].y),
                                       qgrams_fold(rows[r].z),
                                       qgrams_fold(rows[r].w) };

#pragma unroll
        for (uint32_t i = 0; i < 2; i++) {
            const uint32_t last = __shfl_sync(0xffffffff, words[4 + i], left);

            words[i] = scan_lane() == 0 ? before[i] : last;
            before[i] = last; /* in lane 0, where alone it counts, that is how the row ended */
        }
        const uint32_t mask = scan_row<STRIDE, TWO>(table, multiplier, words);
        scan_collect(warp, chunk < end ? mask : 0, chunk * QGRAMS_CHUNK - QGRAMS_BEFORE);
    }
}

template <uint32_t STRIDE, bool TWO, uint32_t ROWS>
static __global__ void __launch_bounds__(SCAN_THREADS, 1)
    qgrams_scan(const __grid_constant__ struct qgrams_search s, uint32_t first, uint32_t end,
                uint32_t text_end)
{
    extern __shared__ struct scan_shared scan_room[];
    const uint4 *chunks = reinterpret_cast<const uint4 *>(s.search.view.text - qgrams_skew(&s));
    const uint32_t *words = reinterpret_cast<const uint32_t *>(chunks);
    const uint32_t lane = scan_lane(), number = threadIdx.x / SCAN_LANES,
                   multiplier = s.qgrams->multiplier;
    const uint32_t tiles = (end - first + SCAN_TILE - 1) / SCAN_TILE;
    const uint32_t table = (uint32_t)__cvta_generic_to_shared(scan_room->bits);
    struct scan_warp warp = { &s, scan_room->places[number], scan_room->hits[number], 0, 0, 0 };

    for (uint32_t i = threadIdx.x; i < QGRAMS_WORDS; i += SCAN_THREADS)
        scan_room->bits[i] = s.qgrams->bits[i];
    __syncthreads();
    for (uint32_t next = 0, tile = scan_taken(scan_take(&s)); tile < tiles;
         tile = scan_taken(next)) {
        const uint32_t begin = first + tile * SCAN_TILE;
        uint32_t before[2] = { 0, 0 };

        next = scan_take(&s); /* nobody waits for the answer until this tile is done */
        if (lane == 0 && begin > 0 && begin <= text_end)
            for (uint32_t i = 0; i < 2; i++)
                before[i] = qgrams_fold(words[begin * 4 - 2 + i]);
#pragma unroll 1
        for (uint32_t turn = 0; turn < SCAN_TILE_ROWS / ROWS; turn++)
            scan_turn<STRIDE, TWO, ROWS>(&warp, table, multiplier, chunks,
                                         begin + turn * ROWS * SCAN_LANES + lane, end, text_end,
                                         before);
    }
    while (warp.place_count > 0)
        scan_empty(&warp);
    scan_flush(&s.search.view, warp.hits, warp.hit_count);
    if (lane == 0 && warp.looked_up > 0)
        atomicAdd(&s.search.view.found->candidates, warp.looked_up);
}

typedef void qgrams_kernel(const struct qgrams_search, uint32_t, uint32_t, uint32_t);

static cudaError_t qgrams_launch(const struct qgrams_search *s, qgrams_kernel *kernel,
                                 cudaStream_t stream)
{
    const uint32_t first = qgrams_first(s), end = qgrams_end(s), text_end = qgrams_text_end(s);
    const uint32_t wanted = (end - first + SCAN_TILE * SCAN_WARPS - 1) / (SCAN_TILE * SCAN_WARPS);
    int device = 0, processors = 0;
    cudaError_t status = cudaGetDevice(&device);

    if (end <= first)
        return cudaSuccess;
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (status == cudaSuccess)
        status = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      (int)sizeof(struct scan_shared));
    if (status != cudaSuccess)
        return status;
    const uint32_t blocks = wanted < (uint32_t)processors ? wanted : (uint32_t)processors;
    kernel<<<blocks, SCAN_THREADS, sizeof(struct scan_shared), stream>>>(*s, first, end, text_end);
    return cudaPeekAtLastError();
}

template <uint32_t ROWS>
static cudaError_t qgrams_start(const struct qgrams_search *s, cudaStream_t stream)
{
    qgrams_kernel *const kernels[] = { qgrams_scan<1, false, ROWS>, qgrams_scan<1, true, ROWS>,
                                       qgrams_scan<2, false, ROWS>, qgrams_scan<2, true, ROWS> };

    return qgrams_launch(s, kernels[(s->stride == 2 ? 2 : 0) + (s->qgram > QGRAMS_LEAST ? 1 : 0)],
                         stream);
}

/* Shapes as in shift_and.c: a row is four words of each thread. */
extern "C" int qgrams_cuda(const void *args, void *stream)
{
    const struct qgrams_search *s = static_cast<const struct qgrams_search *>(args);
    const auto there = static_cast<cudaStream_t>(stream);

    switch (s->search.view.launch.words) {
    case 4:
        return static_cast<int>(qgrams_start<1>(s, there));
    case 12:
        return static_cast<int>(qgrams_start<3>(s, there));
    default:
        return static_cast<int>(qgrams_start<2>(s, there));
    }
}
