/* SPDX-License-Identifier: Apache-2.0
 * match/bloom/bloom.c - see bloom_parts.h: the serial form and the one for OpenMP.
 *
 * A table is larger than the caches, so most of the time goes by in waiting for memory: keys are
 * taken a batch at a time, first all their places are asked for, then the bits are set. OpenMP's
 * threads share the table, as in the thesis (section 4.1.1), and set bits atomically, but only
 * those that are not set yet.
 */
#include <stdlib.h>

#include "match/bloom.h"

enum { BLOOM_BATCH = 32, BLOOM_CHUNK = 1 << 14, BLOOM_TOGETHER = 4 };

struct bloom {
    struct bloom_shape shape;
    uint32_t *words;
    uint32_t *salts;
};

enum err_code bloom_open(const struct bloom_shape *shape, uint64_t seed, struct bloom **out,
                         struct err *err)
{
    struct bloom *bloom = calloc(1, sizeof *bloom);

    *out = NULL;
    if (bloom == NULL)
        return ERR_NO_MEMORY(err, sizeof *bloom);
    bloom->shape = *shape;
    bloom->words = aligned_alloc(BLOOM_ALIGN, bloom_size(shape));
    bloom->salts = calloc(shape->k, sizeof *bloom->salts);
    if (bloom->words == NULL || bloom->salts == NULL) {
        bloom_close(bloom);
        return ERR_NO_MEMORY(err, bloom_size(shape));
    }
    memset(bloom->words, 0, bloom_size(shape));
    for (uint32_t i = 0; i < shape->k; i++)
        bloom->salts[i] = (uint32_t)(bloom_mix(seed + i + 1) >> 16);
    *out = bloom;
    return ERR_OK;
}

void bloom_close(struct bloom *bloom)
{
    if (bloom == NULL)
        return;
    free(bloom->words);
    free(bloom->salts);
    free(bloom);
}

struct bloom_view bloom_view(const struct bloom *bloom)
{
    return (
        struct bloom_view){ .shape = bloom->shape, .words = bloom->words, .salts = bloom->salts };
}

bool bloom_threads(void)
{
#ifdef _OPENMP
    return true;
#else
    return false;
#endif
}

static inline void bloom_set(uint32_t *words, uint64_t bit, bool shared)
{
    const uint32_t mask = 1u << bit % 32;
    uint32_t *word = &words[bit / 32];

    if (!shared)
        *word |= mask;
    else if ((__atomic_load_n(word, __ATOMIC_RELAXED) & mask) == 0)
        __atomic_fetch_or(word, mask, __ATOMIC_RELAXED);
}

static void bloom_insert_salted(const struct bloom_view *view, const struct bloom_keys *keys,
                                uint64_t from, uint64_t to, bool shared)
{
    for (uint64_t n = from; n < to; n++) {
        uint32_t len;
        const uint8_t *key = bloom_key(keys, n, &len);

        for (uint32_t i = 0; i < view->shape.k; i++)
            bloom_set(view->words, bloom_salted(view, key, len, i), shared);
    }
}

/* Asks memory for the places of up to BLOOM_BATCH keys from `from` on, and hands out how to walk
 * them. */
static uint32_t bloom_fetch(const struct bloom_view *view, const struct bloom_keys *keys,
                            uint64_t from, uint64_t to, bool write,
                            struct bloom_walk walks[BLOOM_BATCH])
{
    const uint32_t count = to - from < BLOOM_BATCH ? (uint32_t)(to - from) : BLOOM_BATCH;
    const uint32_t some = view->shape.k < BLOOM_TOGETHER ? view->shape.k : BLOOM_TOGETHER;
    const uint32_t places = view->shape.kind == BLOOM_BLOCKED ? 1 : write ? view->shape.k : some;

    for (uint32_t n = 0; n < count; n++) {
        uint32_t len;
        const uint8_t *key = bloom_key(keys, from + n, &len);

        walks[n] = bloom_first(&view->shape, bloom_hash_key(key, len));
        struct bloom_walk ahead = walks[n];
        for (uint32_t i = 0; i < places; i++)
            __builtin_prefetch(&view->words[bloom_next(&view->shape, &ahead) / 32], 1);
    }
    return count;
}

static void bloom_insert_range(const struct bloom_view *view, const struct bloom_keys *keys,
                               uint64_t from, uint64_t to, bool shared)
{
    struct bloom_walk walks[BLOOM_BATCH];

    if (view->shape.kind == BLOOM_SALTED) {
        bloom_insert_salted(view, keys, from, to, shared);
        return;
    }
    while (from < to) {
        const uint32_t count = bloom_fetch(view, keys, from, to, true, walks);

        for (uint32_t n = 0; n < count; n++)
            for (uint32_t i = 0; i < view->shape.k; i++)
                bloom_set(view->words, bloom_next(&view->shape, &walks[n]), shared);
        from += count;
    }
}

/* A few bits at a time: memory brings them together, and few keys that are not in the set get
 * further. */
static bool bloom_walk_has(const struct bloom_view *view, struct bloom_walk *walk)
{
    bool has = true;

    for (uint32_t i = 0; has && i < view->shape.k; i += BLOOM_TOGETHER) {
        const uint32_t left = view->shape.k - i;

        for (uint32_t j = 0; j < BLOOM_TOGETHER && j < left; j++)
            has &= bloom_is_set(view, bloom_next(&view->shape, walk)) != 0;
    }
    return has;
}

static bool bloom_salted_has(const struct bloom_view *view, const uint8_t *key, uint32_t len)
{
    for (uint32_t i = 0; i < view->shape.k; i++)
        if (!bloom_is_set(view, bloom_salted(view, key, len, i)))
            return false;
    return true;
}

static void bloom_query_range(const struct bloom_view *view, const struct bloom_keys *keys,
                              uint64_t from, uint64_t to, uint8_t *answers)
{
    struct bloom_walk walks[BLOOM_BATCH];

    if (view->shape.kind == BLOOM_SALTED) {
        for (uint64_t n = from; n < to; n++) {
            uint32_t len;
            const uint8_t *key = bloom_key(keys, n, &len);

            answers[n] = bloom_salted_has(view, key, len);
        }
        return;
    }
    while (from < to) {
        const uint32_t count = bloom_fetch(view, keys, from, to, false, walks);

        for (uint32_t n = 0; n < count; n++)
            answers[from + n] = bloom_walk_has(view, &walks[n]);
        from += count;
    }
}

bool bloom_has(const struct bloom_view *view, const uint8_t *key, uint32_t len)
{
    struct bloom_walk walk = bloom_first(&view->shape, bloom_hash_key(key, len));

    return bloom_walk_has(view, &walk);
}

/* Deals the keys out to threads. answers NULL: they are put in, else asked for. */
static void bloom_run(const struct bloom_view *view, const struct bloom_keys *keys,
                      uint8_t *answers, uint32_t threads)
{
    const uint64_t chunks = (keys->count + BLOOM_CHUNK - 1) / BLOOM_CHUNK;
    const bool shared = threads > 1 && bloom_threads();

#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (shared)
#endif
    for (uint64_t i = 0; i < chunks; i++) {
        const uint64_t from = i * BLOOM_CHUNK, left = keys->count - from;
        const uint64_t to = from + (left < BLOOM_CHUNK ? left : BLOOM_CHUNK);

        if (answers == NULL)
            bloom_insert_range(view, keys, from, to, shared);
        else
            bloom_query_range(view, keys, from, to, answers);
    }
}

void bloom_insert(const struct bloom_view *view, const struct bloom_keys *keys, uint32_t threads)
{
    bloom_run(view, keys, NULL, threads);
}

void bloom_query(const struct bloom_view *view, const struct bloom_keys *keys, uint8_t *answers,
                 uint32_t threads)
{
    bloom_run(view, keys, answers, threads);
}
