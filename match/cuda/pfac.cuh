/*
 * match/cuda/pfac.cuh - the two kernels of pfac.c, for every form of table.
 *
 * Both take the text in tiles, staged in shared memory with what walks from the tile's last byte may need behind it, and collect a
 * tile's hits there, so that one atomic addition makes room for all of them.
 *
 * pfac_each: thread after thread takes a byte and walks (Chien et al., Figure 5). A warp is as slow as the longest of 32 walks.
 *
 * pfac_queued: the sieve looks at four bytes from each place, and what it lets through is queued in shared memory. Threads take walks
 * from the queue, and a thread whose walk has ended takes the next one while its neighbours go on with theirs. Blocks stay, and take
 * tile after tile, for the sieve has to be brought to shared memory once.
 *
 * A place is an index of the text, counted from the aligned address at or before it.
 */
#ifndef BURIN_MATCH_CUDA_PFAC_CUH
#define BURIN_MATCH_CUDA_PFAC_CUH

extern "C" {
#include "match/cuda/pfac.h"
}

enum {
    PFAC_BEHIND = 256, /* bytes that a walk may be longer than its tile */
    PFAC_EACH_THREADS = 256,
    PFAC_EACH_TILE = 2048, /* bytes */
    PFAC_EACH_HITS = 512,
    PFAC_QUEUED_THREADS = 512,
    PFAC_QUEUED_TILE = PFAC_QUEUED_THREADS * 16,
    PFAC_QUEUED_HITS = 1024,
    PFAC_QUEUED_BLOCKS = 4, /* of one multiprocessor, at most */
};

struct pfac_tiles {
    struct pfac_search s;
    const uint8_t *base; /* of places */
    uint32_t skew;       /* place of the text's first byte */
    uint32_t from, end;  /* places at which walks begin; none goes on to end */
    uint32_t first;      /* place of the first tile, a multiple of 16 */
    uint32_t count;      /* of tiles */
};

static inline struct pfac_tiles pfac_tiles_of(const struct pfac_search *s, uint32_t tile)
{
    const uint32_t skew = (uint32_t)((uintptr_t)s->search.view.text % 16);
    const uint32_t from = search_first(&s->search) + skew, end = s->search.view.to + skew, first = from / 16 * 16;

    return { *s, s->search.view.text - skew, skew, from, end, first, (end - first + tile - 1) / tile };
}

/* The hits of one tile. */
template <uint32_t MAX> struct pfac_batch {
    uint32_t count, at;
    struct ring_hit hits[MAX];
};

template <uint32_t MAX>
static __device__ __forceinline__ void pfac_emit(const struct ring_view &view, struct pfac_batch<MAX> *batch,
                                                 uint32_t start, const struct pfac_output &o)
{
    const uint32_t at = atomicAdd(&batch->count, 1);

    if (at < MAX)
        batch->hits[at] = { start, o.pattern << 8 | o.len };
    else
        search_emit(&view, start, o.pattern, o.len);
}

/* All threads of a block, with a barrier before it. */
template <uint32_t MAX>
static __device__ __forceinline__ void pfac_flush(const struct ring_view &view, struct pfac_batch<MAX> *batch)
{
    const uint32_t count = batch->count < MAX ? batch->count : MAX;

    if (count == 0)
        return;
    if (threadIdx.x == 0)
        batch->at = atomicAdd(&view.found->count, count);
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
        if (batch->at + i < view.hits_max)
            view.hits[batch->at + i] = batch->hits[i];
}

/* As pfac.c's; a call, for it is rare. */
template <uint32_t MAX>
static __device__ __noinline__ bool pfac_report(const struct pfac_search &s, struct pfac_batch<MAX> *batch,
                                                uint32_t index, uint32_t begin, bool emit)
{
    const struct pfac_found found = s.pfac.found[index];
    bool any = false;

    for (uint32_t i = found.first; i < found.first + found.count; i++) {
        const struct pfac_output o = s.pfac.outputs[i];

        if (!pfac_matches(&s, &o, begin))
            continue;
        any = true;
        if (emit)
            pfac_emit(s.search.view, batch, begin - o.at, o);
    }
    return any;
}

/* The text of a tile, and of what is behind it as far as there is any. */
template <uint32_t TILE, uint32_t THREADS>
static __device__ __forceinline__ void pfac_stage(const struct pfac_tiles &t, uint4 *text, uint32_t place)
{
    const uint4 *from = reinterpret_cast<const uint4 *>(t.base + place);

    for (uint32_t i = threadIdx.x; i < (TILE + PFAC_BEHIND) / 16; i += THREADS)
        text[i] = (uint64_t)place + i * 16 < t.end ? __ldcs(&from[i]) : uint4{ 0, 0, 0, 0 };
}

/* One walk of a thread. */
struct pfac_walk {
    struct pfac_state state;
    uint32_t begin, at; /* in the tile */
    uint32_t longest;
};

static __device__ __forceinline__ struct pfac_walk pfac_begin(const struct pfac_view &p, uint32_t begin)
{
    return { pfac_start(&p), begin, begin, PFAC_EMPTY };
}

/* A step; false when the walk has ended. limit: bytes of the text in the tile and behind it. */
template <enum pfac_kind KIND, uint32_t MAX>
static __device__ __forceinline__ bool pfac_go(const struct pfac_tiles &t, struct pfac_batch<MAX> *batch,
                                               const uint8_t *text, uint32_t place, uint32_t limit,
                                               struct pfac_walk *walk)
{
    const struct pfac_view &p = t.s.pfac;
    bool on = walk->at < limit;

    if (on) {
        uint32_t byte = text[walk->at++];

        if (p.folds)
            byte = pfac_fold(byte);
        on = pfac_step(&p, KIND, &walk->state, byte);
    }
    if (on && pfac_finds(&p, KIND, &walk->state)) {
        const uint32_t index = pfac_index(&p, KIND, &walk->state);

        if (pfac_report(t.s, batch, index, place + walk->begin - t.skew, !p.longest) && p.longest)
            walk->longest = index;
        on = !pfac_ends(&p, KIND, &walk->state);
    }
    if (!on && walk->longest != PFAC_EMPTY)
        pfac_report(t.s, batch, walk->longest, place + walk->begin - t.skew, true);
    return on;
}

template <enum pfac_kind KIND>
static __global__ void __launch_bounds__(PFAC_EACH_THREADS) pfac_each(const __grid_constant__ struct pfac_tiles t)
{
    __shared__ uint4 text[(PFAC_EACH_TILE + PFAC_BEHIND) / 16];
    __shared__ struct pfac_batch<PFAC_EACH_HITS> batch;
    const uint8_t *bytes = reinterpret_cast<const uint8_t *>(text);
    const uint32_t place = t.first + blockIdx.x * PFAC_EACH_TILE, limit = t.end - place;

    if (threadIdx.x == 0)
        batch.count = 0;
    pfac_stage<PFAC_EACH_TILE, PFAC_EACH_THREADS>(t, text, place);
    __syncthreads();
    for (uint32_t begin = threadIdx.x; begin < PFAC_EACH_TILE && begin < limit; begin += PFAC_EACH_THREADS) {
        struct pfac_walk walk = pfac_begin(t.s.pfac, begin);

        if (place + begin >= t.from)
            while (pfac_go<KIND>(t, &batch, bytes, place, limit, &walk))
                ;
    }
    __syncthreads();
    pfac_flush(t.s.search.view, &batch);
}

struct pfac_queue {
    uint4 text[(PFAC_QUEUED_TILE + PFAC_BEHIND) / 16 + 1];
    struct pfac_batch<PFAC_QUEUED_HITS> batch;
    uint32_t count, taken; /* of begins */
    uint16_t begins[PFAC_QUEUED_TILE];
};
static_assert(sizeof(struct pfac_queue) % 16 == 0, "the sieve stands behind it");

/* Bit i: a walk begins at byte i of the thread's 16. */
static __device__ __forceinline__ uint32_t pfac_sift_all(const struct pfac_tiles &t, const struct pfac_queue *q,
                                                         const uint32_t *sieve, uint32_t place)
{
    const uint32_t *words = reinterpret_cast<const uint32_t *>(q->text) + threadIdx.x * 4;
    const uint4 bytes = q->text[threadIdx.x];
    const uint32_t window[5] = { bytes.x, bytes.y, bytes.z, bytes.w, words[4] };
    const int64_t at = (int64_t)place + threadIdx.x * 16;
    uint32_t begins = 0;

#pragma unroll
    for (uint32_t i = 0; i < 16; i++)
        if (pfac_sift(&t.s.pfac, sieve, __funnelshift_r(window[i / 4], window[i / 4 + 1], i % 4 * 8)))
            begins |= 1u << i;
    if (at < t.from)
        begins &= at + 16 <= t.from ? 0u : 0xffffu << (t.from - at);
    if (at + 16 > t.end)
        begins &= at >= t.end ? 0u : (1u << (t.end - at)) - 1;
    return begins;
}

static __device__ __forceinline__ void pfac_enqueue(struct pfac_queue *q, uint32_t begins)
{
    const uint32_t lane = threadIdx.x % 32, mine = __popc(begins);
    uint32_t sum = mine, at = 0;

#pragma unroll
    for (uint32_t step = 1; step < 32; step *= 2) {
        const uint32_t before = __shfl_up_sync(0xffffffff, sum, step);

        if (lane >= step)
            sum += before;
    }
    if (lane == 31 && sum > 0)
        at = atomicAdd(&q->count, sum);
    at = __shfl_sync(0xffffffff, at, 31) + sum - mine;
    for (; begins != 0; begins &= begins - 1)
        q->begins[at++] = (uint16_t)(threadIdx.x * 16 + __ffs((int)begins) - 1);
}

/* Walks until the queue is empty. Lanes whose walks end together go to the queue together. */
template <enum pfac_kind KIND>
static __device__ __forceinline__ void pfac_dequeue(const struct pfac_tiles &t, struct pfac_queue *q, uint32_t place)
{
    const uint8_t *text = reinterpret_cast<const uint8_t *>(q->text);
    const uint32_t limit = t.end - place, count = q->count;
    struct pfac_walk walk;
    bool on = false;

    for (;;) {
        if (!on) {
            const uint32_t i = atomicAdd(&q->taken, 1);

            if (i >= count)
                return;
            walk = pfac_begin(t.s.pfac, q->begins[i]);
        }
        on = pfac_go<KIND>(t, &q->batch, text, place, limit, &walk);
    }
}

template <enum pfac_kind KIND>
static __global__ void __launch_bounds__(PFAC_QUEUED_THREADS) pfac_queued(const __grid_constant__ struct pfac_tiles t)
{
    extern __shared__ uint4 shared[];
    struct pfac_queue *q = reinterpret_cast<struct pfac_queue *>(shared);

    uint32_t *sieve = reinterpret_cast<uint32_t *>(q + 1);

    for (uint32_t i = threadIdx.x; i < t.s.pfac.sieve.words; i += PFAC_QUEUED_THREADS)
        sieve[i] = t.s.pfac.sieve_bits[i];
    for (uint32_t tile = blockIdx.x; tile < t.count; tile += gridDim.x) {
        const uint32_t place = t.first + tile * PFAC_QUEUED_TILE;

        if (threadIdx.x == 0)
            q->count = q->taken = q->batch.count = 0;
        pfac_stage<PFAC_QUEUED_TILE, PFAC_QUEUED_THREADS>(t, q->text, place);
        __syncthreads();
        pfac_enqueue(q, pfac_sift_all(t, q, sieve, place));
        __syncthreads();
        pfac_dequeue<KIND>(t, q, place);
        __syncthreads();
        pfac_flush(t.s.search.view, &q->batch);
        __syncthreads();
    }
}

template <enum pfac_kind KIND> static int pfac_each_launch(const void *args, void *stream)
{
    const struct pfac_tiles t = pfac_tiles_of(static_cast<const struct pfac_search *>(args), PFAC_EACH_TILE);

    if (t.end > t.from)
        pfac_each<KIND><<<t.count, PFAC_EACH_THREADS, 0, static_cast<cudaStream_t>(stream)>>>(t);
    return static_cast<int>(cudaPeekAtLastError());
}

template <enum pfac_kind KIND> static int pfac_queued_launch(const void *args, void *stream)
{
    const struct pfac_tiles t = pfac_tiles_of(static_cast<const struct pfac_search *>(args), PFAC_QUEUED_TILE);
    const int size = (int)(sizeof(struct pfac_queue) + t.s.pfac.sieve.words * sizeof(uint32_t));
    int device = 0, processors = 0, shared = 0;

    if (t.end <= t.from)
        return 0;
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
    if (status == cudaSuccess)
        status = cudaFuncSetAttribute(pfac_queued<KIND>, cudaFuncAttributeMaxDynamicSharedMemorySize, size);
    if (status != cudaSuccess)
        return static_cast<int>(status);
    const int fit = shared / (size + 1024), each = fit < PFAC_QUEUED_BLOCKS ? fit : PFAC_QUEUED_BLOCKS;
    const uint32_t most = (uint32_t)(processors * (each > 0 ? each : 1)), blocks = t.count < most ? t.count : most;
    const auto kernel = pfac_queued<KIND>;
    kernel<<<blocks, PFAC_QUEUED_THREADS, (size_t)size, static_cast<cudaStream_t>(stream)>>>(t);
    return static_cast<int>(cudaPeekAtLastError());
}

#define PFAC_LAUNCH(id, kind)                                                                                          \
    extern "C" int pfac_##id##_each_cuda(const void *args, void *stream)                                               \
    {                                                                                                                  \
        return pfac_each_launch<kind>(args, stream);                                                                   \
    }                                                                                                                  \
    extern "C" int pfac_##id##_queued_cuda(const void *args, void *stream)                                             \
    {                                                                                                                  \
        return pfac_queued_launch<kind>(args, stream);                                                                 \
    }

#endif
