/* SPDX-License-Identifier: Apache-2.0
 * match/papers/pfac/pfac_queued.cuh - the kernel of PFAC_QUEUED: a warp reads rows of 16 bytes a
 * lane. The sieve looks at the four bytes from each place, and what it lets through is queued in
 * shared memory. A lane whose walk has ended takes the next from the queue while its neighbours go
 * on with theirs; when the queue is empty and hardly half of the lanes are walking, the warp turns
 * to the next row, and they go on with what comes from that. So nobody waits for the longest walk,
 * and no barrier is needed. Blocks stay for the whole text, for the sieve has to be brought to
 * shared memory once.
 */
#ifndef BURIN_MATCH_PAPERS_PFAC_PFAC_QUEUED_CUH
#define BURIN_MATCH_PAPERS_PFAC_PFAC_QUEUED_CUH

#include "match/papers/pfac/pfac.cuh"

enum {
    PFAC_QUEUED_THREADS = 512,
    PFAC_QUEUED_WARPS = PFAC_QUEUED_THREADS / PFAC_LANES,
    PFAC_QUEUED_BLOCKS = 2, /* of one multiprocessor, at most */
    PFAC_ROW = PFAC_LANES * 16,
    PFAC_ROWS = 4,     /* in a row for the same warp */
    PFAC_WALKING = 16, /* lanes that make it worth to walk on without a queue */
    PFAC_STEPS = 2,    /* between looks at who walks */
};

/* What a warp has in shared memory. */
struct pfac_queue {
    struct ring_hit hits[PFAC_HITS];
    uint16_t begins[PFAC_ROW]; /* in the row */
};

/* A warp at work. */
struct pfac_warp {
    struct pfac_queue *queue;
    struct pfac_hits hits;

    /* The lane's walk. */
    bool on;
    struct pfac_state state;
    uint32_t begin, at; /* places */
    uint32_t found;     /* index of what it has found and not reported; PFAC_EMPTY: nothing */
};

static __device__ __forceinline__ void pfac_begin(const struct pfac_view &p, struct pfac_warp *warp,
                                                  uint32_t begin)
{
    warp->on = true;
    warp->state = pfac_start(&p);
    warp->begin = warp->at = begin;
}

/* Reports what lanes have found: of many, only where their walks have ended when the longest match
 * is wanted. */
static __device__ __forceinline__ void pfac_report(const struct pfac_search &s,
                                                   struct pfac_warp *warp, uint32_t skew)
{
    struct pfac_found found = {};

    if (warp->found != PFAC_EMPTY && (!s.pfac.longest || !warp->on)) {
        found = s.pfac.found[warp->found];
        warp->found = PFAC_EMPTY;
    }
    pfac_collect(s, &warp->hits, found, warp->begin - skew);
}

/*
 * Steps of one lane, up to something found or to the end of its walk, and PFAC_STEPS at most. The
 * loop is what all the time goes into, so there is nothing else in it. bytes(place): of the text,
 * folded.
 */
template <enum pfac_kind KIND, class Bytes>
static __device__ __forceinline__ void pfac_go(const struct pfac_tiles &t, struct pfac_warp *warp,
                                               Bytes bytes)
{
    const struct pfac_view &p = t.s.pfac;
    const uint32_t end = t.end;
    struct pfac_state state = warp->state;
    uint32_t at = warp->at, steps = 0;
    bool on, finds;

    do {
        on = pfac_step(&p, KIND, &state, bytes(at));
        finds = on && pfac_finds(&p, KIND, &state);
        at++;
    } while (on && !finds && at < end && ++steps < PFAC_STEPS);
    if (finds) {
        const uint32_t index = pfac_index(&p, KIND, &state);

        if (!p.longest || p.certain || pfac_any(t.s, index, warp->begin - t.skew))
            warp->found = index;
        on = !pfac_ends(&p, KIND, &state);
    }
    warp->state = state;
    warp->at = at;
    warp->on = on && at < end;
}

/* A lane that has found something goes no further before that is reported, unless something longer
 * may come. */
static __device__ __forceinline__ bool pfac_goes(const struct pfac_tiles &t,
                                                 const struct pfac_warp *warp)
{
    return warp->on && (warp->found == PFAC_EMPTY || t.s.pfac.longest);
}

/* Bit i: the sieve lets byte i of the lane's 16 through. window: these and the four behind them. */
static __device__ __forceinline__ uint32_t pfac_sift_row(const struct pfac_view &p,
                                                         const uint32_t *bits,
                                                         const uint32_t *window)
{
    const uint32_t letters = p.folds ? PFAC_SMALL_LETTERS : 0;
    uint32_t begins = 0;

    if (p.sieve.two)
#pragma unroll
        for (uint32_t i = 0; i < 16; i++)
            begins |=
                pfac_sieve_two(bits, __funnelshift_r(window[i / 4], window[i / 4 + 1], i % 4 * 8) |
                                         letters)
                << i;
    if (p.sieve.three)
#pragma unroll
        for (uint32_t i = 0; i < 16; i++)
            begins |= pfac_sieve_three(
                          &p.sieve, bits,
                          __funnelshift_r(window[i / 4], window[i / 4 + 1], i % 4 * 8) | letters)
                      << i;
    if (p.sieve.four)
#pragma unroll
        for (uint32_t i = 0; i < 16; i++)
            begins |= pfac_sieve_four(&p.sieve, bits,
                                      __funnelshift_r(window[i / 4], window[i / 4 + 1], i % 4 * 8) |
                                          letters)
                      << i;
    return begins;
}

/* Of the 16 places from `at`, those at which walks begin. */
static __device__ __forceinline__ uint32_t pfac_places(const struct pfac_tiles &t, uint64_t at)
{
    uint32_t places = 0xffff;

    if (at < t.from)
        places &= at + 16 <= t.from ? 0u : 0xffffu << (t.from - (uint32_t)at);
    if (at + 16 > t.end)
        places &= at >= t.end ? 0u : (1u << (t.end - (uint32_t)at)) - 1;
    return places;
}

/* Puts all lanes' begins into the queue; how many there are. */
static __device__ __forceinline__ uint32_t pfac_enqueue(struct pfac_warp *warp, uint32_t begins)
{
    const uint32_t mine = __popc(begins);
    uint32_t sum = mine;

    if (__ballot_sync(0xffffffff, begins != 0) == 0)
        return 0;
#pragma unroll
    for (uint32_t step = 1; step < PFAC_LANES; step *= 2) {
        const uint32_t before = __shfl_up_sync(0xffffffff, sum, step);

        if (warp->hits.lane >= step)
            sum += before;
    }
    for (uint32_t at = sum - mine; begins != 0; begins &= begins - 1)
        warp->queue->begins[at++] = (uint16_t)(warp->hits.lane * 16 + __ffs((int)begins) - 1);
    __syncwarp();
    return __shfl_sync(0xffffffff, sum, PFAC_LANES - 1);
}

/* Takes the queue of `count` begins in the row at `place`, and walks on as long as so many lanes
 * do. */
template <enum pfac_kind KIND>
static __device__ __forceinline__ void pfac_dequeue(const struct pfac_tiles &t,
                                                    struct pfac_warp *warp, uint32_t place,
                                                    uint32_t count, uint32_t least)
{
    for (uint32_t head = 0;;) {
        if (head < count) {
            const uint32_t idle = __ballot_sync(0xffffffff, !warp->on);
            const uint32_t i = head + __popc(idle & ((1u << warp->hits.lane) - 1));

            if (!warp->on && i < count)
                pfac_begin(t.s.pfac, warp, place + warp->queue->begins[i]);
            head += __popc(idle);
        }
        if (head >= count && __popc(__ballot_sync(0xffffffff, warp->on)) < (int)least)
            return;
        if (pfac_goes(t, warp))
            pfac_go<KIND>(t, warp, [&](uint32_t at) {
                const uint32_t byte = __ldg(t.base + at);

                return t.s.pfac.folds ? pfac_fold(byte) : byte;
            });
        if (__any_sync(0xffffffff, warp->found != PFAC_EMPTY && !pfac_goes(t, warp)))
            pfac_report(t.s, warp, t.skew);
    }
}

/* The row behind one of the same warp. */
static __device__ __forceinline__ uint32_t pfac_next_row(uint32_t row)
{
    return row % PFAC_ROWS != PFAC_ROWS - 1
               ? row + 1
               : row + 1 + (gridDim.x * PFAC_QUEUED_WARPS - 1) * PFAC_ROWS;
}

template <enum pfac_kind KIND>
static __global__ void __launch_bounds__(PFAC_QUEUED_THREADS, PFAC_QUEUED_BLOCKS)
    pfac_queued(const __grid_constant__ struct pfac_tiles t)
{
    extern __shared__ uint4 shared[];
    struct pfac_queue *queues = reinterpret_cast<struct pfac_queue *>(shared);
    uint32_t *sieve = reinterpret_cast<uint32_t *>(queues + PFAC_QUEUED_WARPS);
    struct pfac_queue *queue = queues + threadIdx.x / PFAC_LANES;
    struct pfac_warp warp = {
        queue, { queue->hits, 0, threadIdx.x % PFAC_LANES }, false, {}, 0, 0, PFAC_EMPTY
    };
    uint32_t row = (blockIdx.x * PFAC_QUEUED_WARPS + threadIdx.x / PFAC_LANES) * PFAC_ROWS;
    uint64_t place = t.first + (uint64_t)row * PFAC_ROW + warp.hits.lane * 16;
    uint4 bytes = pfac_load(t, place);

    for (uint32_t i = threadIdx.x; i < t.s.pfac.sieve.words; i += PFAC_QUEUED_THREADS)
        sieve[i] = t.s.pfac.sieve_bits[i];
    __syncthreads();
    while (row < t.count) {
        const uint32_t next = pfac_next_row(row), here = t.first + row * PFAC_ROW;
        const uint32_t after = warp.hits.lane == PFAC_LANES - 1 && place + 16 < t.end
                                   ? __ldg(reinterpret_cast<const uint32_t *>(t.base + place + 16))
                                   : 0;
        const uint32_t beside = __shfl_down_sync(0xffffffff, bytes.x, 1);
        const uint32_t window[5] = { bytes.x, bytes.y, bytes.z, bytes.w,
                                     warp.hits.lane == PFAC_LANES - 1 ? after : beside };
        const uint64_t at = place;

        place = t.first + (uint64_t)next * PFAC_ROW + warp.hits.lane * 16;
        bytes = pfac_load(t, place);
        const uint32_t begins = pfac_sift_row(t.s.pfac, sieve, window) & pfac_places(t, at);
        pfac_dequeue<KIND>(t, &warp, here, pfac_enqueue(&warp, begins), PFAC_WALKING);
        row = next;
    }
    pfac_dequeue<KIND>(t, &warp, 0, 0, 1);
    pfac_flush(t.s.search.view, &warp.hits);
}

template <enum pfac_kind KIND> static int pfac_queued_launch(const void *args, void *stream)
{
    const struct pfac_tiles t =
        pfac_tiles_of(static_cast<const struct pfac_search *>(args), PFAC_ROW);
    const int size = (int)(PFAC_QUEUED_WARPS * sizeof(struct pfac_queue) +
                           t.s.pfac.sieve.words * sizeof(uint32_t));
    int device = 0, processors = 0, shared = 0;

    if (t.end <= t.from)
        return 0;
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (status == cudaSuccess)
        status =
            cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
    if (status == cudaSuccess)
        status = cudaFuncSetAttribute(pfac_queued<KIND>,
                                      cudaFuncAttributeMaxDynamicSharedMemorySize, size);
    if (status != cudaSuccess)
        return static_cast<int>(status);
    const int fit = shared / (size + 1024),
              each = fit < PFAC_QUEUED_BLOCKS ? fit : PFAC_QUEUED_BLOCKS;
    const uint32_t most = (uint32_t)(processors * (each > 0 ? each : 1));
    const uint32_t wanted =
        (t.count + PFAC_ROWS * PFAC_QUEUED_WARPS - 1) / (PFAC_ROWS * PFAC_QUEUED_WARPS);
    const uint32_t blocks = wanted < most ? wanted : most;
    const auto kernel = pfac_queued<KIND>;
    kernel<<<blocks, PFAC_QUEUED_THREADS, (size_t)size, static_cast<cudaStream_t>(stream)>>>(t);
    return static_cast<int>(cudaPeekAtLastError());
}

#endif
