/* SPDX-License-Identifier: Apache-2.0
 * match/simd/simd_build.c - tables and slots of the vector engine. See simd.h. */
#include <stdlib.h>
#include <string.h>

#include "match/simd/simd.h"
#include "match/simd/simd_dense.h"
#include "match/simd/simd_group.h"

enum { SIMD_LATE_NICE = 10 };

static void simd_fill_word(struct simd_pattern *pattern)
{
    pattern->mask = pattern->want = 0;
    for (uint32_t i = 0; i < SIMD_DEPTH && pattern->fingerprint + i < pattern->len; i++) {
        pattern->mask |= (uint64_t)pattern->masks[pattern->fingerprint + i] << 8 * i;
        pattern->want |= (uint64_t)pattern->bytes[pattern->fingerprint + i] << 8 * i;
    }
}

/* Bytes that the fingerprint of the pattern may have over and over. */
static void simd_fill_runs(struct simd_program *program, const struct simd_pattern *pattern)
{
    for (uint32_t v = 0; v < 256; v++)
        program->in_run[v] |=
            ((v * UINT64_C(0x0101010101010101) ^ pattern->want) & pattern->mask) == 0;
}

/* What the fingerprint of the pattern accepts, added to the tables. */
static void simd_fill_tables(struct simd_plan *plan, const struct simd_pattern *pattern)
{
    const uint32_t bucket = pattern->bucket;

    for (uint32_t j = 0; j < SIMD_DEPTH; j++)
        for (uint32_t v = 0; v < 256; v++)
            if ((((uint64_t)v << 8 * j ^ pattern->want) & pattern->mask &
                 UINT64_C(0xff) << 8 * j) == 0) {
                plan->columns[v] |= UINT64_C(1) << (8 * j + bucket);
                plan->low[j][v & 15] |= (uint8_t)(1u << bucket);
                plan->high[j][v >> 4] |= (uint8_t)(1u << bucket);
            }
}

/* What bytes 2 * n and 2 * n + 1 of the fingerprint accept; everything where the pattern leaves
 * much of them open. */
static void simd_fill_pair(struct simd_plan *plan, uint32_t n, const struct simd_pattern *pattern)
{
    const uint32_t mask = (uint32_t)(pattern->mask >> 16 * n) & 0xffff,
                   want = (uint32_t)(pattern->want >> 16 * n) & 0xffff;
    const uint32_t free = ~mask & 0xffff;
    const uint8_t bit = (uint8_t)(1u << pattern->bucket);
    uint32_t sub = 0;

    for (uint32_t i = 0; simd_pair_is_open(free) && i < sizeof plan->pairs[n].table; i++)
        plan->pairs[n].table[i] |= bit;
    do {
        plan->pairs[n].table[simd_pair_number(want | sub)] |= bit;
        sub = (sub - free) & free;
    } while (sub != 0);
}

/* A table of 128 entries: v and v ^ kernel share one. */
static void simd_fill_half(struct simd_plan *plan, uint32_t j, uint32_t kernel)
{
    struct simd_half *half = &plan->halves[j];
    const uint32_t top = 31 - (uint32_t)__builtin_clz(kernel | 1);
    uint32_t row = 0;

    for (uint32_t bit = 0; bit < 8; bit++)
        if (bit != top) /* the row of result bit i is byte 7 - i of the matrix */
            half->map |= (uint64_t)(1u << bit | (kernel >> bit & 1) << top) << 8 * (7 - row++);
    for (uint32_t v = 0; v < 256; v++) {
        const uint32_t x = (v >> top & 1) != 0 ? v ^ kernel : v; /* bit `top` is gone */

        half->table[(x & ((1u << top) - 1)) | x >> (top + 1) << top] |=
            (uint8_t)(plan->columns[v] >> 8 * j);
    }
}

/* Everything that follows from fingerprints and buckets of the patterns. */
static enum err_code simd_fill(struct simd_plan *plan, struct simd_pattern *patterns,
                               uint32_t count, const uint8_t kernels[SIMD_DEPTH],
                               uint32_t hash_bits, struct err *err)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t after = patterns[i].len - 1 - patterns[i].fingerprint;

        simd_fill_word(&patterns[i]);
        simd_fill_tables(plan, &patterns[i]);
        for (uint32_t n = 0; n < SIMD_PAIRS_MAX; n++)
            simd_fill_pair(plan, n, &patterns[i]);
        plan->before = plan->before < after ? after : plan->before;
    }
    for (uint32_t j = 0; j < SIMD_DEPTH; j++)
        simd_fill_half(plan, j, kernels[j]);
    return simd_fill_slots(plan, patterns, count, hash_bits)
               ? ERR_OK
               : ERR_NO_MEMORY(err, count * sizeof *plan->slots);
}

static enum err_code simd_plan(struct simd_program *program, struct simd_pattern *patterns,
                               struct err *err)
{
    uint8_t kernels[SIMD_DEPTH];
    enum err_code rc =
        simd_group(program->form, patterns, program->count, kernels, &program->rate, err);

    if (rc == ERR_OK)
        rc = simd_fill(&program->sparse, patterns, program->count, kernels, 0, err);
    for (uint32_t i = 0; rc == ERR_OK && i < program->count; i++)
        simd_fill_runs(program, &patterns[i]);
    if (rc == ERR_OK)
        program->most = simd_dense_most(program->form, &program->sparse, program->count);
    return rc;
}

static uint32_t simd_literals(const struct match_dictionary *dictionary)
{
    const uint32_t all = match_dictionary_count(dictionary);
    uint32_t count = 0;

    for (uint32_t i = 0; i < all; i++)
        count += match_dictionary_get(dictionary, i)->kind == MATCH_LITERAL;
    return count;
}

bool simd_suits(const struct match_dictionary *dictionary)
{
    return simd_literals(dictionary) <= SIMD_PATTERNS_MAX;
}

enum err_code simd_build(const struct match_dictionary *dictionary, const struct simd_form *form,
                         struct simd_program **out, struct err *err)
{
    const uint32_t count = simd_literals(dictionary);

    *out = NULL;
    if (!simd_suits(dictionary))
        return ERR_RAISE(
            err, ERR_ARG,
            "engine simd takes at most %d patterns, the dictionary has %u; choose --engine words",
            SIMD_PATTERNS_MAX, count);
    struct simd_program *program = calloc(1, sizeof *program);
    if (program == NULL)
        return ERR_NO_MEMORY(err, sizeof *program);
    struct simd_pattern *patterns = calloc(count + 1u, sizeof *patterns);
    enum err_code rc = ERR_OK;
    program->late = calloc(1, sizeof *program->late);
    if (program->late != NULL)
        pthread_mutex_init(&program->late->lock, NULL);
    if (patterns == NULL || program->late == NULL) {
        rc = ERR_NO_MEMORY(err, (count + 1u) * sizeof *patterns + sizeof *program->late);
        goto out;
    }
    rc = match_literals_open(dictionary, &program->literals, err);
    if (rc != ERR_OK)
        goto out;
    program->form = form;
    program->count = count;
    for (uint32_t i = 0; i < count; i++) {
        const struct match_literal *literal = &program->literals.items[i];

        patterns[i] = (struct simd_pattern){ .index = literal->index,
                                             .len = literal->len,
                                             .bytes = literal->bytes,
                                             .masks = literal->masks };
    }
    rc = simd_plan(program, patterns, err);
out:
    free(patterns);
    if (rc == ERR_OK)
        *out = program;
    else
        simd_destroy(program);
    return rc;
}

static void simd_plan_release(struct simd_plan *plan)
{
    free(plan->patterns);
    free(plan->keys);
    free(plan->slots);
    free(plan->ends);
    free(plan->sets);
    free(plan->lines);
    free(plan->check_of);
    free(plan->checks);
}

static int simd_compare_index(const void *a, const void *b)
{
    const uint32_t x = ((const struct simd_pattern *)a)->index,
                   y = ((const struct simd_pattern *)b)->index;

    return (x > y) - (x < y);
}

static void simd_make_late(const struct simd_program *program)
{
    struct simd_late *late = program->late;
    const uint32_t count = program->count;
    uint8_t kernels[SIMD_DEPTH];

    memset(kernels, SIMD_DENSE_KERNEL, sizeof kernels);
    struct simd_plan *plan = calloc(1, sizeof *plan);
    struct simd_pattern *patterns = calloc(count + 1u, sizeof *patterns);
    bool made = plan != NULL && patterns != NULL;
    if (made) {
        memcpy(patterns, program->sparse.patterns, count * sizeof *patterns);
        qsort(patterns, count, sizeof *patterns, simd_compare_index);
        made = simd_dense(program->form, patterns, count, &late->stop, NULL) == ERR_OK &&
               simd_fill(plan, patterns, count, kernels, SIMD_DENSE_BITS, NULL) == ERR_OK &&
               simd_fill_checks(plan, count);
    }
    free(patterns);
    if (!made && plan != NULL) {
        simd_plan_release(plan);
        free(plan);
        plan = NULL;
    }
    atomic_store_explicit(&late->plan, plan, memory_order_release);
}

/* Others have the processors first, if there are too few: those who wait for a scan wait for the
 * thread that writes, and that shared one with this. */
static void simd_run_late(void *arg)
{
    thread_give_way(SIMD_LATE_NICE);
    simd_make_late(arg);
}

void simd_begin_dense_plan(const struct simd_program *program)
{
    struct simd_late *late = program->late;

    if (atomic_load_explicit(&late->taken, memory_order_relaxed))
        return;
    pthread_mutex_lock(&late->lock);
    if (!atomic_exchange_explicit(&late->taken, true, memory_order_relaxed) &&
        thread_start(&late->maker, "dense", simd_run_late, (void *)program, NULL) != ERR_OK)
        simd_make_late(program);
    pthread_mutex_unlock(&late->lock);
}

const struct simd_plan *simd_make_dense_plan(const struct simd_program *program)
{
    struct simd_late *late = program->late;

    pthread_mutex_lock(&late->lock);
    if (!atomic_exchange_explicit(&late->taken, true, memory_order_relaxed))
        simd_make_late(program);
    thread_join(&late->maker);
    pthread_mutex_unlock(&late->lock);
    return simd_dense_plan(program);
}

void simd_destroy(struct simd_program *program)
{
    if (program == NULL)
        return;
    if (program->late != NULL) {
        atomic_store_explicit(&program->late->stop, true, memory_order_relaxed);
        thread_join(&program->late->maker);
        pthread_mutex_destroy(&program->late->lock);
        struct simd_plan *dense = atomic_load_explicit(&program->late->plan, memory_order_acquire);

        if (dense != NULL)
            simd_plan_release(dense);
        free(dense);
    }
    free(program->late);
    simd_plan_release(&program->sparse);
    match_literals_close(&program->literals);
    free(program);
}
