/* SPDX-License-Identifier: Apache-2.0
 * match/papers/ac_steps/ac5.cu - the step that Zha and Sahni could not take: section 3.1 has the
 * automaton in texture memory since shared memory, though faster, is too small for it. With 227 KB
 * of it, it no longer is, for dictionaries of file signatures.
 *
 * A block stays: it brings the rows to shared memory once, and then each warp takes tiles of the
 * text, a stretch of 9 words (odd: Theorem 1) for each lane, copied past the registers. Rows are
 * one word longer than they need to be, so that lanes in different states that read the same byte
 * read from different banks. Up to 256 states a cell has 8 bits: then no more than two words of a
 * row share a bank. Where the rows do not fit, it is ac4; with more than 65,536 states, of which
 * rows of 256 cells are more than the second cache holds, it is ac4 with rows by class.
 */
#include <cuda_pipeline_primitives.h>

#include "match/papers/ac_steps/ac_steps.cuh"

enum {
    AC5_THREADS = 1024,
    AC5_WARPS = AC5_THREADS / 32,
    AC5_WORDS = 9,
    AC5_BEFORE = 16, /* bytes before a tile, to warm up */
    AC5_TILE = 32 * AC5_WORDS * 4,
    AC5_CHUNKS = (AC5_BEFORE + AC5_TILE) / 16,
    AC5_HITS = 30,    /* that a warp keeps */
    AC5_HITS_OUT = 8, /* and so many go to device memory between tiles */
    AC5_WARM = 8,     /* bytes that a state is made of, at most */
    AC5_TINY = 256,   /* up to so many states a cell has 8 bits */
};

struct ac5_warp {
    uint4 text[AC5_CHUNKS];
    struct search_near near;
    struct ring_hit hits[AC5_HITS];
};

/* Bytes of a row. */
template <class Cell> static constexpr uint32_t ac5_pitch = TABLES_ROW * sizeof(Cell) + 4;

template <class Cell>
static __device__ __forceinline__ uint32_t ac5_step(const uint8_t *rows, uint32_t state,
                                                    uint32_t word, uint32_t k)
{
    const uint32_t at = state * ac5_pitch<Cell> + __byte_perm(word, 0, 0x4440 + k) * sizeof(Cell);

    return *reinterpret_cast<const Cell *>(rows + at);
}

/* A warp's hits to device memory. */
static __device__ __forceinline__ void ac5_flush(const struct ring_view &view,
                                                 struct search_near *near, uint32_t lane)
{
    const uint32_t count = near->count < near->max ? near->count : near->max;

    if (lane == 0)
        near->at = atomicAdd(&view.found->count, count);
    __syncwarp();
    if (lane < count && near->at + lane < view.hits_max)
        view.hits[near->at + lane] = near->hits[lane];
    __syncwarp();
    if (lane == 0)
        near->count = 0;
    __syncwarp();
}

/* A lane's stretch at the beginning of the text, where some of the bytes before it, and of its own,
 * may not be text. */
template <class Cell>
static __device__ __noinline__ void ac5_begin(const struct ac_steps &l, const uint8_t *rows,
                                              struct search_near *near, const uint8_t *text,
                                              uint32_t place)
{
    uint32_t state = 0;

    for (uint32_t p = place > l.skew + AC5_BEFORE ? place - AC5_BEFORE : l.skew;
         p < place + AC5_WORDS * 4; p++) {
        state = ac5_step<Cell>(rows, state, text[(int32_t)(p - place)], 0);
        if (p >= place && p < l.end && state >= l.search.tables.finding)
            search_report(&l.search, near, state, p + 1 - l.skew);
    }
}

template <class Cell>
static __device__ __forceinline__ void ac5_stretch(const struct ac_steps &l, const uint8_t *rows,
                                                   struct search_near *near, const uint32_t *words,
                                                   uint32_t place)
{
    const uint32_t finding = l.search.tables.finding;
    uint32_t state = 0;

#pragma unroll
    for (uint32_t i = 0; i < AC5_WARM; i++)
        state = ac5_step<Cell>(rows, state, words[(int32_t)(i / 4) - AC5_WARM / 4], i % 4);
#pragma unroll 1
    for (uint32_t i = 0; i < AC5_WORDS; i++) {
        uint32_t after[4], most = 0;

#pragma unroll
        for (uint32_t k = 0; k < 4; k++) {
            state = after[k] = ac5_step<Cell>(rows, state, words[i], k);
            most = max(most, state);
        }
        if (most < finding)
            continue;
#pragma unroll
        for (uint32_t k = 0; k < 4; k++)
            if (after[k] >= finding && place + i * 4 + k < l.end)
                search_report(&l.search, near, after[k], place + i * 4 + k + 1 - l.skew);
    }
}

/* The tile's text, and AC5_BEFORE bytes. What is not in the text is left as zeros. */
static __device__ __forceinline__ void ac5_read(const struct ac_steps &l, uint4 *text,
                                                uint32_t place, uint32_t lane)
{
    const uint4 *from = reinterpret_cast<const uint4 *>(l.base);

    for (uint32_t i = lane; i < AC5_CHUNKS; i += 32) {
        const int64_t at = (int64_t)place / 16 - AC5_BEFORE / 16 + i;

        if (at >= 0 && at * 16 < l.end)
            __pipeline_memcpy_async(&text[i], from + at, sizeof(uint4));
        else
            text[i] = uint4{ 0, 0, 0, 0 };
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
}

template <class Cell>
static __global__ void __launch_bounds__(AC5_THREADS, sizeof(Cell) == 1 ? 2 : 1)
    ac5_walk(const __grid_constant__ struct ac_steps l)
{
    extern __shared__ struct ac5_warp shared[];
    struct ac5_warp *warp = &shared[threadIdx.x / 32];
    uint8_t *rows = reinterpret_cast<uint8_t *>(&shared[AC5_WARPS]);
    const uint8_t *text = reinterpret_cast<const uint8_t *>(warp->text) + AC5_BEFORE;
    const uint32_t lane = threadIdx.x % 32, tiles = (l.end - l.first + AC5_TILE - 1) / AC5_TILE;

    for (uint32_t i = threadIdx.x; i < l.search.tables.states * TABLES_ROW; i += AC5_THREADS)
        *reinterpret_cast<Cell *>(rows + i / TABLES_ROW * ac5_pitch<Cell> +
                                  i % TABLES_ROW * sizeof(Cell)) = (Cell)l.search.tables.narrow[i];
    if (lane == 0) {
        warp->near.count = 0;
        warp->near.max = AC5_HITS;
        warp->near.hits = warp->hits;
    }
    __syncthreads();
    for (uint32_t tile = blockIdx.x * AC5_WARPS + threadIdx.x / 32; tile < tiles;
         tile += gridDim.x * AC5_WARPS) {
        const uint32_t begin = l.first + tile * AC5_TILE, place = begin + lane * AC5_WORDS * 4;
        const uint8_t *mine = text + lane * AC5_WORDS * 4;

        ac5_read(l, warp->text, begin, lane);
        if (place >= l.skew + AC5_BEFORE)
            ac5_stretch<Cell>(l, rows, &warp->near, reinterpret_cast<const uint32_t *>(mine),
                              place);
        else
            ac5_begin<Cell>(l, rows, &warp->near, mine, place);
        __syncwarp();
        if (warp->near.count >= AC5_HITS_OUT)
            ac5_flush(l.search.view, &warp->near, lane);
    }
    if (warp->near.count > 0)
        ac5_flush(l.search.view, &warp->near, lane);
}

template <class Cell>
static cudaError_t ac5_start(const struct ac_steps &l, size_t shared, int processors, void *stream)
{
    const uint32_t most = (uint32_t)processors * (sizeof(Cell) == 1 ? 2 : 1);
    const uint32_t wanted = (l.end - l.first + AC5_TILE * AC5_WARPS - 1) / (AC5_TILE * AC5_WARPS);
    const uint32_t blocks = wanted < most ? wanted : most;
    const cudaError_t status = cudaFuncSetAttribute(
        ac5_walk<Cell>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);

    if (status != cudaSuccess)
        return status;
    ac5_walk<Cell><<<blocks, AC5_THREADS, shared, static_cast<cudaStream_t>(stream)>>>(l);
    return cudaPeekAtLastError();
}

extern "C" int ac5_cuda(const void *args, void *stream)
{
    const struct ac_steps l = ac_steps_of(static_cast<const struct search *>(args));
    const bool tiny = l.search.tables.states <= AC5_TINY;
    const size_t row = tiny ? ac5_pitch<uint8_t> : ac5_pitch<uint16_t>;
    const size_t shared = sizeof(struct ac5_warp) * AC5_WARPS + l.search.tables.states * row;
    int device = 0, processors = 0, most = 0;
    cudaError_t status = cudaGetDevice(&device);

    if (l.end <= l.first)
        return 0;
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (status != cudaSuccess)
        return static_cast<int>(status);
    if (l.search.tables.narrow == nullptr || l.search.tables.warm > AC5_WARM ||
        shared > (size_t)most)
        return ac4_classes_cuda(args, stream);
    return static_cast<int>(tiny ? ac5_start<uint8_t>(l, shared, processors, stream)
                                 : ac5_start<uint16_t>(l, shared, processors, stream));
}
