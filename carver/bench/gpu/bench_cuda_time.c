/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/gpu/bench_cuda_time.c - one engine timed on a text in device memory, and what a CPU
 * engine finds there. See bench_cuda.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/bench/gpu/bench_cuda.h"

enum {
    TIME_SEGMENT = 1 << 20, /* bytes of a segment: of no use here, so a small one */
    TIME_TUNE_RUNS = 5,     /* in each launch */
    TIME_HITS = 1 << 16,    /* room for hits of a CPU's thread, and one for each pattern */
    TIME_AC_MAX = 100000,   /* patterns */
};

void bench_cuda_engine_open(struct bench_cuda_engine *out, const struct bench_cuda *bench,
                            const char *name, const struct bench_dictionary *dictionary)
{
    const struct match_setup setup = { .threads = 1,
                                       .segment_len = TIME_SEGMENT,
                                       .slots = 1,
                                       .carry = dictionary->longest - 1,
                                       .hits_max = TIME_HITS + dictionary->count,
                                       .device_mask = UINT32_C(1)
                                                      << bench_cuda_device(bench->options) };
    const struct match_engine *engine = match_engine_named(name);
    struct err err = { 0 };

    *out = (struct bench_cuda_engine){ 0 };
    if (engine == NULL || engine->offload == NULL || engine->offload->lab == NULL) {
        snprintf(out->missing, sizeof out->missing, "there is no engine %s for devices", name);
        return;
    }
    out->engine = engine;
    if (match_compile(engine, dictionary->patterns, &setup, &out->program, &err) != ERR_OK)
        snprintf(out->missing, sizeof out->missing, "%s", err.text);
}

void bench_cuda_engine_close(struct bench_cuda_engine *engine)
{
    if (engine->engine != NULL)
        engine->engine->release(engine->program);
    *engine = (struct bench_cuda_engine){ 0 };
}

static void time_hit(void *arg, const struct hit *hit)
{
    bench_count(arg, hit->offset, hit->pattern);
}

void bench_cuda_timing(const struct bench_cuda *bench, const struct bench_cuda_engine *engine,
                       struct bench_cuda_time *time)
{
    struct match_timing timing = {
        .resident = bench->resident,
        .len = time->len,
        .from_host = time->from_host,
        .launch = time->launch,
        .runs = (uint32_t)bench->options->work.runs,
        .each = time_hit,
        .arg = &time->result,
        .seconds = time->seconds,
    };
    struct err err = { 0 };

    time->result = (struct bench_result){ 0 };
    time->runs = timing.runs;
    snprintf(time->missing, sizeof time->missing, "%s", engine->missing);
    if (engine->program == NULL)
        return;
    if (engine->engine->offload->lab->time(engine->program, &timing, &err) != ERR_OK)
        snprintf(time->missing, sizeof time->missing, "%s", err.text);
    time->candidates = timing.candidates;
    time->used = timing.used;
}

void bench_cuda_tune(const struct bench_cuda *bench, struct bench_cuda_engine *engine)
{
    double seconds[TIME_TUNE_RUNS];
    struct match_timing timing = { .resident = bench->resident,
                                   .runs = TIME_TUNE_RUNS,
                                   .seconds = seconds };
    struct match_launch best;
    struct err err = { 0 };

    if (engine->program != NULL &&
        engine->engine->offload->lab->tune(engine->program, &timing, &best, &err) != ERR_OK)
        snprintf(engine->missing, sizeof engine->missing, "%s", err.text);
}

enum err_code bench_cuda_limit(const struct bench_cuda *bench, enum match_limit limit, uint64_t len,
                               struct bench_cuda_time *out, struct err *err)
{
    *out = (struct bench_cuda_time){ .len = len, .runs = (uint32_t)bench->options->work.runs };
    return match_resident_limit(bench->resident, limit, len, out->runs, out->seconds, err);
}

struct bench_figure bench_cuda_seconds(const struct bench_cuda_time *time)
{
    return bench_figure(time->seconds, time->runs);
}

struct bench_figure bench_cuda_rate(const struct bench_cuda_time *time)
{
    double rates[BENCH_RUNS_MAX];

    for (uint32_t i = 0; i < time->runs; i++)
        rates[i] = (double)time->len / 1e9 / time->seconds[i];
    return bench_figure(rates, time->runs);
}

enum err_code bench_cuda_check(const struct bench_cuda_engine *engine,
                               const struct bench_cuda_time *time,
                               const struct bench_dictionary *dictionary,
                               const struct bench_result *want, struct err *err)
{
    if (time->missing[0] != '\0' ||
        (time->result.hits == want->hits && time->result.sum == want->sum))
        return ERR_OK;
    return ERR_RAISE(err, ERR_FULL,
                     "%s finds %" PRIu64 " hits (checksum %016" PRIx64 ") of %s in %" PRIu64
                     " bytes, ac %" PRIu64 " (%016" PRIx64 "): one of them is wrong",
                     engine->engine->name, time->result.hits, time->result.sum, dictionary->name,
                     time->len, want->hits, want->sum);
}

/* A cell of `bench match` with one row on the threads of a crew: the automaton, or, of a list that
 * is too long for it, `words`. */
static enum err_code time_expect(struct bench_match_cell *cell, struct bench_result *result,
                                 double *seconds, struct err *err)
{
    const struct match_setup setup = { .threads = cell->threads, .segment_len = TIME_SEGMENT };
    const struct match_engine *engine =
        cell->dictionary->count > TIME_AC_MAX ? &match_words_engine : &match_ac_engine;
    struct bench_match_row *row = &cell->rows[0];
    struct bench_time time = { 0 };

    snprintf(row->name, sizeof row->name, "%s", engine->name);
    row->engine = engine;
    cell->hits_max = TIME_HITS + cell->dictionary->count;
    cell->hits = malloc((size_t)cell->threads * cell->hits_max * sizeof *cell->hits);
    if (cell->hits == NULL)
        return ERR_NO_MEMORY(err, (size_t)cell->threads * cell->hits_max * sizeof *cell->hits);
    enum err_code rc = engine->compile(cell->dictionary->patterns, &setup, &row->program, err);
    if (rc == ERR_OK)
        rc = bench_run_once(cell, row, 1, result, &time, err);
    *seconds = time.wall;
    engine->release(row->program);
    free(cell->hits);
    return rc;
}

enum err_code bench_cuda_expect(const struct bench_cuda *bench,
                                const struct bench_dictionary *dictionary, uint64_t len,
                                uint32_t threads, struct bench_result *result, double *seconds,
                                struct err *err)
{
    const struct bench_match_options options = { .segment_len = TIME_SEGMENT };
    struct bench_match_cell *cell = calloc(1, sizeof *cell);
    struct bench_crew *crew = NULL;
    enum err_code rc = ERR_OK;

    if (cell == NULL)
        return ERR_NO_MEMORY(err, sizeof *cell);
    if (threads > 0)
        rc = bench_crew_open(threads, &crew, err);
    cell->options = &options;
    cell->dictionary = dictionary;
    cell->crew = crew == NULL ? bench->crew : crew;
    cell->data = bench->data;
    cell->data.len = len;
    if (rc == ERR_OK) {
        cell->threads = bench_crew_threads(cell->crew);
        rc = time_expect(cell, result, seconds, err);
    }
    bench_crew_close(crew);
    free(cell);
    return rc;
}

enum err_code bench_cuda_data_open(struct bench_cuda *bench, const char *spec, uint64_t size,
                                   const struct bench_dictionary *dictionary, struct err *err)
{
    enum err_code rc = bench_data_open(spec, size, dictionary, bench->crew, &bench->data, err);
    const struct match_resident_setup setup = { .device = bench_cuda_device(bench->options),
                                                .bytes = bench->data.bytes,
                                                .len = bench->data.len };

    if (rc == ERR_OK)
        rc = match_resident_open(&setup, &bench->resident, err);
    if (rc != ERR_OK)
        bench_cuda_data_close(bench);
    return rc;
}

void bench_cuda_data_close(struct bench_cuda *bench)
{
    match_resident_close(bench->resident);
    bench->resident = NULL;
    bench_data_close(&bench->data);
}
