/* SPDX-License-Identifier: Apache-2.0
 * match/shift_and/shift_and.cu - the kernels of shift_and.c.
 *
 * Filter. A warp takes a tile of rows, a row being 16 bytes for each lane. The table stands in
 * shared memory 32 times, word [byte][lane], so that lane l reads from bank l whatever its byte: no
 * look-up waits for another. Each lane begins its 16 bytes as if anything might stand before them;
 * the three places at which that matters are mended by the state in which the lane before ended,
 * for a state is made by the last four bytes alone. Counting instructions a byte: one to take it
 * out of its word, one for the address, one look-up, one shift, one AND, and one OR that is shared
 * with the test of the row. Multiplications stand where shifts could, for they go through another
 * pipe.
 *
 * Candidates are collected in shared memory for each warp, and one atomic addition makes room for a
 * batch of them.
 *
 * Verification: a thread takes a candidate, finds the places in its 16 bytes, and looks each up.
 * Hits are collected in shared memory for each block.
 */
extern "C" {
#include "match/shift_and/filter.h"
#include "match/shift_and/shift_and.h"
}

enum {
    FILTER_THREADS = 1024,
    FILTER_BLOCKS = 1, /* of one multiprocessor */
    FILTER_WARPS = FILTER_THREADS / 32,
    FILTER_LANES = 32,
    FILTER_TILE_ROWS = 48,
    FILTER_TILE = FILTER_TILE_ROWS * FILTER_LANES, /* chunks */
    FILTER_BATCH = 64,                             /* candidates that a warp collects */

    VERIFY_THREADS = 256,
    VERIFY_BLOCKS = 5, /* of one multiprocessor */
    VERIFY_HITS = 1024,
};

struct filter_shared {
    uint32_t table[256][FILTER_LANES];
    uint32_t batch[FILTER_WARPS][FILTER_BATCH];
};

/* A warp's place in the work, the same in all lanes but `lane`. */
struct filter_warp {
    uint32_t *batch;
    uint32_t count; /* in batch */
    uint32_t lane;
    uint32_t *candidates, *total;
};

static __device__ __forceinline__ void filter_flush(struct filter_warp *warp)
{
    uint32_t at = 0;

    __syncwarp();
    if (warp->lane == 0)
        at = atomicAdd(warp->total, warp->count);
    at = __shfl_sync(0xffffffff, at, 0);
    for (uint32_t i = warp->lane; i < warp->count; i += FILTER_LANES)
        warp->candidates[at + i] = warp->batch[i];
    warp->count = 0;
    __syncwarp();
}

/* Adds the chunks of the lanes in mask. */
static __device__ __forceinline__ void filter_collect(struct filter_warp *warp, uint32_t mask,
                                                      uint32_t chunk)
{
    if (warp->count + FILTER_LANES > FILTER_BATCH)
        filter_flush(warp);
    if (mask >> warp->lane & 1)
        warp->batch[warp->count + __popc(mask & ((1u << warp->lane) - 1))] = chunk;
    warp->count += __popc(mask);
}

/* The look-up of byte k of word. `stride` is 128, from where the compiler cannot see it and make a
 * shift of it. */
static __device__ __forceinline__ uint32_t filter_look(const uint8_t *column, uint32_t word,
                                                       uint32_t k, uint32_t stride)
{
    return *reinterpret_cast<const uint32_t *>(column + __byte_perm(word, 0, 0x4440 + k) * stride);
}

/* Runs the filter over a lane's 16 bytes; before: the state before them. Answers with the top byte
 * set where a run may end. */
static __device__ __forceinline__ uint32_t filter_row(const uint8_t *column, const uint4 bytes,
                                                      uint32_t stride, uint32_t radix,
                                                      uint32_t lane, uint32_t *before)
{
    const uint32_t words[4] = { bytes.x, bytes.y, bytes.z, bytes.w };
    uint32_t state = 0, found = 0, early[FILTER_DEPTH - 1];

#pragma unroll
    for (uint32_t i = 0; i < SHIFT_AND_CHUNK; i++) {
        const uint32_t answer = filter_look(column, words[i / 4], i % 4, stride);

        state = i == 0 ? answer : (state * radix + 0xff) & answer;
        if (i < FILTER_DEPTH - 1)
            early[i] = state;
        else
            found |= state;
    }
    const uint32_t end = __shfl_sync(0xffffffff, state, (lane + FILTER_LANES - 1) % FILTER_LANES);
    const uint32_t was = lane == 0 ? *before : end;
    *before = end; /* in lane 0 that is how the row ended */
    return found | (early[0] & was << 8) | (early[1] & was << 16) | (early[2] & was << 24);
}

/* One turn of a tile: ROWS rows, loaded together, from chunk `at`, where this lane's chunk of the
 * first row is. */
template <bool WHOLE, uint32_t ROWS>
static __device__ __forceinline__ void filter_turn(struct filter_warp *warp, const uint8_t *column,
                                                   const uint4 *chunks, uint32_t at, uint32_t end,
                                                   uint32_t stride, uint32_t radix,
                                                   uint32_t *before)
{
    uint4 rows[ROWS];

#pragma unroll
    for (uint32_t r = 0; r < ROWS; r++)
        rows[r] = WHOLE || at + r * FILTER_LANES < end ? __ldcs(&chunks[r * FILTER_LANES])
                                                       : uint4{ 0, 0, 0, 0 };
#pragma unroll
    for (uint32_t r = 0; r < ROWS; r++) {
        const uint32_t found = filter_row(column, rows[r], stride, radix, warp->lane, before);
        const uint32_t mask =
            __ballot_sync(0xffffffff, found >= 1u << 24 && (WHOLE || at + r * FILTER_LANES < end));

        if (mask != 0)
            filter_collect(warp, mask, at + r * FILTER_LANES);
    }
}

/* In lane 0: the next tile of the text that no warp has taken. */
static __device__ __forceinline__ uint32_t filter_take(const struct shift_and *a, uint32_t lane)
{
    return lane == 0 ? atomicAdd(&a->search.view.found->taken[0], 1) : 0;
}

static __device__ __forceinline__ uint32_t filter_taken(uint32_t tile)
{
    return __shfl_sync(0xffffffff, tile, 0);
}

template <uint32_t ROWS>
static __global__ void __launch_bounds__(FILTER_THREADS, FILTER_BLOCKS)
    shift_and_filter(const struct shift_and a, uint32_t first, uint32_t end, uint32_t stride,
                     uint32_t radix)
{
    extern __shared__ struct filter_shared filter_room[];
    const uint4 *chunks = reinterpret_cast<const uint4 *>(a.search.view.text - shift_and_skew(&a));
    const uint32_t lane = threadIdx.x % FILTER_LANES,
                   tiles = (end - first + FILTER_TILE - 1) / FILTER_TILE;
    const uint8_t *column = reinterpret_cast<const uint8_t *>(&filter_room->table[0][lane]);
    struct filter_warp warp = { filter_room->batch[threadIdx.x / FILTER_LANES], 0, lane,
                                static_cast<uint32_t *>(a.search.view.scratch),
                                &a.search.view.found->candidates };

    for (uint32_t i = threadIdx.x; i < 256 * FILTER_LANES; i += FILTER_THREADS)
        filter_room->table[i / FILTER_LANES][i % FILTER_LANES] = a.filter->table[i / FILTER_LANES];
    __syncthreads();
    for (uint32_t next = 0, tile = filter_taken(filter_take(&a, lane)); tile < tiles;
         tile = filter_taken(next)) {
        const uint32_t tile_end = first + (tile + 1) * FILTER_TILE;
        uint32_t at = first + tile * FILTER_TILE + lane, before = 0xffffffff;

        next = filter_take(&a, lane); /* nobody waits for the answer until this tile is done */
        if (tile_end <= end)
            for (uint32_t turn = 0; turn < FILTER_TILE_ROWS / ROWS;
                 turn++, at += ROWS * FILTER_LANES)
                filter_turn<true, ROWS>(&warp, column, chunks + at, at, end, stride, radix,
                                        &before);
        else
            for (uint32_t turn = 0; turn < FILTER_TILE_ROWS / ROWS;
                 turn++, at += ROWS * FILTER_LANES)
                filter_turn<false, ROWS>(&warp, column, chunks + at, at, end, stride, radix,
                                         &before);
    }
    filter_flush(&warp);
}

/* Where the hits of one block go first: with many of them, making room one by one in device memory
 * would take the time. */
struct verify_shared {
    struct filter filter; /* without what is behind it */
    struct ring_found found;
    struct ring_hit hits[VERIFY_HITS];
    uint32_t at; /* of them among all hits */
};

static __global__ void __launch_bounds__(VERIFY_THREADS)
    shift_and_verify_all(const struct shift_and a)
{
    __shared__ struct verify_shared shared;
    const uint32_t *candidates = static_cast<const uint32_t *>(a.search.view.scratch);
    const uint32_t count = a.search.view.found->candidates;
    struct shift_and b = a;

    for (uint32_t i = threadIdx.x; i < sizeof(struct filter) / 4; i += VERIFY_THREADS)
        reinterpret_cast<uint32_t *>(&shared.filter)[i] =
            reinterpret_cast<const uint32_t *>(a.filter)[i];
    b.filter = &shared.filter;
    b.search.view.found = &shared.found;
    b.search.view.hits = shared.hits;
    b.search.view.hits_max = VERIFY_HITS;
    for (uint32_t base = blockIdx.x * VERIFY_THREADS; base < count;
         base += gridDim.x * VERIFY_THREADS) {
        const uint32_t i = base + threadIdx.x;

        if (threadIdx.x == 0)
            shared.found.count = 0;
        __syncthreads();
        if (i < count)
            shift_and_verify(&b, candidates[i]);
        __syncthreads();
        const uint32_t hits = shared.found.count;
        if (hits > VERIFY_HITS) { /* denser than any disk: once more, into device memory */
            if (i < count)
                shift_and_verify(&a, candidates[i]);
        } else {
            if (threadIdx.x == 0 && hits > 0)
                shared.at = atomicAdd(&a.search.view.found->count, hits);
            __syncthreads();
            for (uint32_t k = threadIdx.x; k < hits; k += VERIFY_THREADS)
                if (shared.at + k < a.search.view.hits_max)
                    a.search.view.hits[shared.at + k] = shared.hits[k];
        }
        __syncthreads();
    }
}

static int shift_and_processors(void)
{
    int device = 0, processors = 0;

    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) != cudaSuccess)
        return 1;
    return processors;
}

template <uint32_t ROWS>
static cudaError_t shift_and_filter_start(const struct shift_and *a, cudaStream_t stream)
{
    const uint32_t first = shift_and_first(a), end = shift_and_end(a);
    const uint32_t tiles = (end - first + FILTER_TILE - 1) / FILTER_TILE;
    const uint32_t most = (uint32_t)shift_and_processors() * FILTER_BLOCKS;
    const uint32_t wanted = (tiles + FILTER_WARPS - 1) / FILTER_WARPS,
                   blocks = wanted < most ? wanted : most;

    if (blocks == 0)
        return cudaSuccess;
    const cudaError_t status =
        cudaFuncSetAttribute(shift_and_filter<ROWS>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             sizeof(struct filter_shared));
    if (status != cudaSuccess)
        return status;
    shift_and_filter<ROWS><<<blocks, FILTER_THREADS, sizeof(struct filter_shared), stream>>>(
        *a, first, end, FILTER_LANES * sizeof(uint32_t), 1u << FILTER_BUCKETS);
    return cudaPeekAtLastError();
}

/* Shapes as in shift_and.c: a row is four words of each thread. */
extern "C" int shift_and_filter_cuda(const void *args, void *stream)
{
    const struct shift_and *a = static_cast<const struct shift_and *>(args);
    const auto there = static_cast<cudaStream_t>(stream);

    switch (a->search.view.launch.words) {
    case 16:
        return static_cast<int>(shift_and_filter_start<4>(a, there));
    case 32:
        return static_cast<int>(shift_and_filter_start<8>(a, there));
    default:
        return static_cast<int>(shift_and_filter_start<6>(a, there));
    }
}

extern "C" int shift_and_verify_cuda(const void *args, void *stream)
{
    const struct shift_and *a = static_cast<const struct shift_and *>(args);

    shift_and_verify_all<<<shift_and_processors() * VERIFY_BLOCKS, VERIFY_THREADS, 0,
                           static_cast<cudaStream_t>(stream)>>>(*a);
    return static_cast<int>(cudaPeekAtLastError());
}
