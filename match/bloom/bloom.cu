/* SPDX-License-Identifier: Apache-2.0
 * match/bloom/bloom.cu - the kernels of bloom_parts.h.
 *
 * The thesis (section 5.1.2) takes a block of 500 threads for a key, each with a hash of its own,
 * and copies batches of 50,000 keys. Here a thread takes a key and sets its k bits one after the
 * other: nothing waits for what an atomic OR finds, so many are under way at a time. With hundreds
 * of hashes a key (BLOOM_SALTED) a warp takes a key, each lane every 32nd hash, and a query ends
 * with the first 32 that are not all set.
 */
extern "C" {
#include "match/bloom/bloom_parts.h"
}

enum { BLOOM_THREADS = 256, BLOOM_LANES = 32, BLOOM_GRID_MAX = 1 << 20 };

static __device__ __forceinline__ void bloom_set_bit(uint32_t *words, uint64_t bit)
{
    atomicOr(words + bit / 32, 1u << bit % 32);
}

static __global__ void __launch_bounds__(BLOOM_THREADS)
    bloom_insert_all(const struct bloom_work work)
{
    const uint64_t step = (uint64_t)gridDim.x * BLOOM_THREADS;

    for (uint64_t n = blockIdx.x * (uint64_t)BLOOM_THREADS + threadIdx.x; n < work.keys.count;
         n += step) {
        uint32_t len;
        const uint8_t *key = bloom_key(&work.keys, n, &len);
        struct bloom_walk walk = bloom_first(&work.view.shape, bloom_hash_key(key, len));

        for (uint32_t i = 0; i < work.view.shape.k; i++)
            bloom_set_bit(work.view.words, bloom_next(&work.view.shape, &walk));
    }
}

static __global__ void __launch_bounds__(BLOOM_THREADS)
    bloom_query_all(const struct bloom_work work)
{
    const uint64_t step = (uint64_t)gridDim.x * BLOOM_THREADS;

    for (uint64_t n = blockIdx.x * (uint64_t)BLOOM_THREADS + threadIdx.x; n < work.keys.count;
         n += step) {
        uint32_t len, i = 0;
        const uint8_t *key = bloom_key(&work.keys, n, &len);
        struct bloom_walk walk = bloom_first(&work.view.shape, bloom_hash_key(key, len));

        while (i < work.view.shape.k &&
               bloom_is_set(&work.view, bloom_next(&work.view.shape, &walk)))
            i++;
        work.answers[n] = i == work.view.shape.k;
    }
}

static __global__ void __launch_bounds__(BLOOM_THREADS)
    bloom_insert_salted(const struct bloom_work work)
{
    const uint64_t step = (uint64_t)gridDim.x * (BLOOM_THREADS / BLOOM_LANES);
    const uint32_t lane = threadIdx.x % BLOOM_LANES;

    for (uint64_t n =
             blockIdx.x * (uint64_t)(BLOOM_THREADS / BLOOM_LANES) + threadIdx.x / BLOOM_LANES;
         n < work.keys.count; n += step) {
        uint32_t len;
        const uint8_t *key = bloom_key(&work.keys, n, &len);

        for (uint32_t i = lane; i < work.view.shape.k; i += BLOOM_LANES)
            bloom_set_bit(work.view.words, bloom_salted(&work.view, key, len, i));
    }
}

static __global__ void __launch_bounds__(BLOOM_THREADS)
    bloom_query_salted(const struct bloom_work work)
{
    const uint64_t step = (uint64_t)gridDim.x * (BLOOM_THREADS / BLOOM_LANES);
    const uint32_t lane = threadIdx.x % BLOOM_LANES;

    for (uint64_t n =
             blockIdx.x * (uint64_t)(BLOOM_THREADS / BLOOM_LANES) + threadIdx.x / BLOOM_LANES;
         n < work.keys.count; n += step) {
        uint32_t len;
        const uint8_t *key = bloom_key(&work.keys, n, &len);
        bool all = true;

        for (uint32_t i = 0; all && i < work.view.shape.k; i += BLOOM_LANES) {
            const bool set = i + lane >= work.view.shape.k ||
                             bloom_is_set(&work.view, bloom_salted(&work.view, key, len, i + lane));

            all = __all_sync(0xffffffff, set);
        }
        if (lane == 0)
            work.answers[n] = all;
    }
}

static int bloom_launch(const struct bloom_work *work, void *stream, bool insert)
{
    const bool salted = work->view.shape.kind == BLOOM_SALTED;
    const uint64_t a_block = salted ? BLOOM_THREADS / BLOOM_LANES : BLOOM_THREADS;
    const uint64_t blocks = (work->keys.count + a_block - 1) / a_block;
    const unsigned grid = static_cast<unsigned>(blocks < BLOOM_GRID_MAX ? blocks : BLOOM_GRID_MAX);

    if (grid > 0)
        (salted   ? insert ? bloom_insert_salted : bloom_query_salted
         : insert ? bloom_insert_all
                  : bloom_query_all)<<<grid, BLOOM_THREADS, 0, static_cast<cudaStream_t>(stream)>>>(
            *work);
    return static_cast<int>(cudaPeekAtLastError());
}

extern "C" int bloom_insert_cuda(const void *args, void *stream)
{
    return bloom_launch(static_cast<const struct bloom_work *>(args), stream, true);
}

extern "C" int bloom_query_cuda(const void *args, void *stream)
{
    return bloom_launch(static_cast<const struct bloom_work *>(args), stream, false);
}
