/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/match/bench_match_run.c - one run of one engine, peer or plain read over the data of
 * a cell. See bench_match.h. */
#include <stdlib.h>

#include "carver/bench/match/bench_match.h"

enum {
    RUN_GROW_AFTER = 16,  /* calls whose hits fitted, before longer stretches are tried again */
    RUN_READ_VECTORS = 8, /* sums at a time, so that loads do not wait for one another */
};

/* One run of one row. */
struct run {
    const struct bench_match_cell *cell;
    const struct bench_match_row *row;
    uint64_t every;
    struct {
        struct bench_result result;
        bool failed;
        char apart[64]; /* the next thread's result in another cache line */
    } of[LIMIT_THREADS];
};

#define RUN_READ(name, attributes, width)                                                          \
    attributes static uint64_t name(const uint8_t *bytes, uint64_t len)                            \
    {                                                                                              \
        typedef uint64_t vector __attribute__((vector_size(width)));                               \
        vector sums[RUN_READ_VECTORS] = { 0 }, all = { 0 };                                        \
        uint64_t sum = 0;                                                                          \
                                                                                                   \
        for (uint64_t i = 0; i + sizeof sums <= len; i += sizeof sums)                             \
            for (uint32_t k = 0; k < RUN_READ_VECTORS; k++)                                        \
                sums[k] ^= *(const vector *)(const void *)(bytes + i + k * sizeof(vector));        \
        for (uint32_t k = 0; k < RUN_READ_VECTORS; k++)                                            \
            all ^= sums[k];                                                                        \
        for (uint32_t k = 0; k < sizeof all / sizeof all[0]; k++)                                  \
            sum += all[k];                                                                         \
        return sum;                                                                                \
    }
#ifdef __x86_64__
RUN_READ(run_read_avx512, __attribute__((target("avx512f"))), 64)
RUN_READ(run_read_avx2, __attribute__((target("avx2"))), 32)
#endif
RUN_READ(run_read_plain, , 16)

/* Reads all bytes with the widest loads there are. The sum keeps the compiler from leaving it out.
 */
static uint64_t run_read(const uint8_t *bytes, uint64_t len)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f"))
        return run_read_avx512(bytes, len);
    if (__builtin_cpu_supports("avx2"))
        return run_read_avx2(bytes, len);
#endif
    return run_read_plain(bytes, len);
}

/* An engine over data [from, to), stretch by stretch as a scan would. False when not even one
 * byte's hits fit. */
static bool run_scan(const struct run *run, uint32_t thread, uint64_t from, uint64_t to,
                     struct bench_result *result)
{
    const struct bench_match_cell *cell = run->cell;
    const uint64_t before = cell->dictionary->longest - 1;
    const uint64_t segment = cell->options->segment_len;
    uint64_t part = segment;
    uint32_t fitted = 0;

    for (uint64_t at = from; at < to;) {
        const uint32_t carry = (uint32_t)(at < before ? at : before);
        const uint32_t len = (uint32_t)(to - at < part ? to - at : part);
        const struct match_text text = { .bytes = cell->data.bytes + at - carry,
                                         .len = carry + len,
                                         .offset = at - carry };
        struct match_sink sink = { .items = cell->hits + (size_t)thread * cell->hits_max,
                                   .max = cell->hits_max };

        if (!run->row->engine->scan(run->row->program, &text, carry, text.len, &sink)) {
            if (len == 1)
                return false;
            part = len / 2;
            fitted = 0;
            continue;
        }
        for (uint32_t i = 0; i < sink.count; i++)
            bench_count(result, sink.items[i].offset, sink.items[i].pattern);
        at += len;
        if (++fitted == RUN_GROW_AFTER && part < segment) {
            part *= 2;
            fitted = 0;
        }
    }
    return true;
}

/* Threads that a row takes. */
static uint32_t run_threads(const struct bench_match_cell *cell, const struct bench_match_row *row)
{
    return row->engine != NULL && row->engine->threads_itself ? 1 : cell->threads;
}

static bool run_part(const struct run *run, uint32_t thread, uint64_t from, uint64_t to,
                     struct bench_result *result)
{
    const struct bench_match_row *row = run->row;

    if (row->engine != NULL)
        return run_scan(run, thread, from, to, result);
    if (row->peer != NULL)
        return bench_peer_scan(row->peer_program, thread, run->cell->data.bytes, from, to, result);
    result->sum += run_read(run->cell->data.bytes + from, to - from);
    return true;
}

static void run_task(void *arg, uint32_t thread)
{
    struct run *run = arg;
    const uint32_t threads = run_threads(run->cell, run->row);
    const uint64_t len = run->cell->data.len;
    struct bench_result result = { 0 };
    bool done = true;

    if (thread >= threads)
        return;
    const uint64_t from = bench_part(len, threads, thread),
                   to = bench_part(len, threads, thread + 1);
    if (run->every == 1)
        done = run_part(run, thread, from, to, &result);
    for (uint64_t at = from; run->every > 1 && done && at < to; at += run->every * BENCH_SAMPLE)
        done = run_part(run, thread, at, to - at < BENCH_SAMPLE ? to : at + BENCH_SAMPLE, &result);
    run->of[thread].failed = !done;
    run->of[thread].result = result;
}

uint64_t bench_run_bytes(const struct bench_match_cell *cell, const struct bench_match_row *row,
                         uint64_t every)
{
    const uint32_t threads = run_threads(cell, row);
    uint64_t bytes = 0;

    for (uint32_t i = 0; every > 1 && i < threads; i++) {
        const uint64_t from = bench_part(cell->data.len, threads, i),
                       to = bench_part(cell->data.len, threads, i + 1);

        for (uint64_t at = from; at < to; at += every * BENCH_SAMPLE)
            bytes += to - at < BENCH_SAMPLE ? to - at : BENCH_SAMPLE;
    }
    return every > 1 ? bytes : cell->data.len;
}

enum err_code bench_run_once(const struct bench_match_cell *cell, const struct bench_match_row *row,
                             uint64_t every, struct bench_result *result, struct bench_time *time,
                             struct err *err)
{
    struct run *run = calloc(1, sizeof *run);

    *result = (struct bench_result){ 0 };
    if (run == NULL)
        return ERR_NO_MEMORY(err, sizeof *run);
    run->cell = cell;
    run->row = row;
    run->every = every;
    *time = bench_crew_run(cell->crew, run_task, run);
    enum err_code rc = bench_stopped(err);
    for (uint32_t i = 0; i < cell->threads; i++) {
        result->hits += run->of[i].result.hits;
        result->sum += run->of[i].result.sum;
        if (run->of[i].failed && rc == ERR_OK)
            rc = ERR_RAISE(err, ERR_FULL, "%s did not finish its scan of %s", row->name,
                           cell->data.name);
    }
    free(run);
    return rc;
}
