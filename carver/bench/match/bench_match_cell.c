/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/match/bench_match_cell.c - one dictionary, one data set, one number of threads:
 * every engine and peer in turn, several times round, beside the speed at which the same threads
 * only read the same bytes. See bench_match.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/bench/match/bench_match.h"
#include "carver/cli/args.h"
#include "match/matcher.h"

enum {
    CELL_HITS = 1 << 16, /* hits of one call; 1 MiB */
    CELL_PROBE = 16,     /* blocks, to see how slow an engine is */
    CELL_PROBE_SLOW = 4,
    CELL_REPEATS = 3, /* more runs when another program took the CPU */
};

static const double cell_share = 0.95; /* of a CPU that each thread must have had */

static struct bench_match_row *cell_add(struct bench_match_cell *cell, const char *name)
{
    struct bench_match_row *row = &cell->rows[cell->row_count++];

    snprintf(row->name, sizeof row->name, "%s", name);
    return row;
}

static void cell_open_engine(struct bench_match_cell *cell, const struct match_engine *engine,
                             const char *name)
{
    const struct match_setup setup = { .threads = cell->threads,
                                       .segment_len = (uint32_t)cell->options->segment_len };
    struct bench_match_row *row = cell_add(cell, name);
    struct err err = { 0 };

    row->engine = engine;
    row->is_peer = strcmp(name, "ac") == 0;
    row->is_avx2 = strstr(name, ":avx2") != NULL || strstr(name, ":ssse3") != NULL ||
                   strstr(name, ":portable") != NULL;
    const double begin = bench_now();
    if (engine->missing() != NULL)
        snprintf(row->missing, sizeof row->missing, "%s", engine->missing());
    else if (match_compile(engine, cell->dictionary->patterns, &setup, &row->program, &err) !=
             ERR_OK)
        snprintf(row->missing, sizeof row->missing, "%s", err.text);
    row->compile_seconds = bench_now() - begin;
}

static void cell_open_peer(struct bench_match_cell *cell, const struct bench_peer *peer)
{
    struct bench_match_row *row = cell_add(cell, bench_peer_name(peer));
    struct err err = { 0 };

    row->peer = peer;
    row->is_peer = true;
    row->is_avx2 = bench_peer_avx2(peer);
    const double begin = bench_now();
    if (bench_peer_compile(peer, cell->dictionary->patterns, cell->threads, &row->peer_program,
                           &err) != ERR_OK)
        snprintf(row->missing, sizeof row->missing, "%s", err.text);
    row->compile_seconds = bench_now() - begin;
}

/* The engine of a name in the table that scans text here; NULL: it is one of a device. */
static enum err_code cell_open_named(struct bench_match_cell *cell, const char *name,
                                     struct err *err)
{
    const struct match_engine *engine = NULL;
    const enum err_code rc = match_engine_find(name, &engine, err);

    if (rc == ERR_OK && engine->scan != NULL)
        cell_open_engine(cell, engine, name);
    return rc;
}

static enum err_code cell_open_engines(struct bench_match_cell *cell, struct err *err)
{
    const char *list = cell->options->work.engines;
    enum err_code rc = list == NULL ? cell_open_named(cell, "auto", err) : ERR_OK;
    char name[BENCH_NAME_MAX];

    for (uint32_t i = 0; rc == ERR_OK && list == NULL && i < match_engine_count(); i++)
        if (match_engine_get(i).missing == NULL && strcmp(match_engine_get(i).name, "naive") != 0 &&
            cell->row_count < BENCH_LIST_MAX)
            rc = cell_open_named(cell, match_engine_get(i).name, err);
    while (rc == ERR_OK && list != NULL && cell->row_count < BENCH_LIST_MAX &&
           args_word(&list, name, sizeof name))
        rc = cell_open_named(cell, name, err);
    return rc;
}

enum err_code bench_cell_open(struct bench_match_cell *cell,
                              const struct bench_match_options *options,
                              struct bench_peer *const *peers, uint32_t peer_count,
                              const struct bench_dictionary *dictionary, uint32_t threads,
                              struct err *err)
{
    *cell = (struct bench_match_cell){ .options = options,
                                       .dictionary = dictionary,
                                       .threads = threads };
    cell->hits_max = CELL_HITS + dictionary->count;
    cell->hits = malloc((size_t)threads * cell->hits_max * sizeof *cell->hits);
    if (cell->hits == NULL)
        return ERR_NO_MEMORY(err, threads * cell->hits_max * sizeof *cell->hits);
    enum err_code rc = bench_crew_open(threads, &cell->crew, err);
    if (rc == ERR_OK) {
        cell_add(cell, "read");
        rc = cell_open_engines(cell, err);
    }
    for (uint32_t i = 0; rc == ERR_OK && i < peer_count; i++)
        cell_open_peer(cell, peers[i]);
    return rc;
}

void bench_cell_close(struct bench_match_cell *cell)
{
    for (uint32_t i = 0; i < cell->row_count; i++) {
        struct bench_match_row *row = &cell->rows[i];

        if (row->engine != NULL && row->program != NULL)
            row->engine->release(row->program);
        bench_peer_release(row->peer_program);
    }
    bench_data_close(&cell->data);
    bench_crew_close(cell->crew);
    free(cell->hits);
    *cell = (struct bench_match_cell){ 0 };
}

/* Seconds that the row would take for all of the data, by one in `every` blocks of it. */
static enum err_code cell_estimate(const struct bench_match_cell *cell,
                                   const struct bench_match_row *row, uint64_t every,
                                   double *seconds, struct err *err)
{
    struct bench_result result;
    struct bench_time time;
    const enum err_code rc = bench_run_once(cell, row, every, &result, &time, err);

    *seconds = time.wall * (double)cell->data.len / (double)bench_run_bytes(cell, row, every);
    return rc;
}

/* How much each row scans in a run: all, or as much as it can in the time for one run. Also warms
 * everything up. */
static enum err_code cell_probe(struct bench_match_cell *cell,
                                const struct bench_match_row **fastest, struct err *err)
{
    const uint64_t blocks = cell->data.len / BENCH_SAMPLE + 1, some = blocks / CELL_PROBE + 1;
    const double most = cell->options->run_seconds;
    double best = 0;
    enum err_code rc = ERR_OK;

    *fastest = NULL;
    for (uint32_t i = 0; rc == ERR_OK && i < cell->row_count; i++) {
        struct bench_match_row *row = &cell->rows[i];
        double seconds = 0;

        row->every = 1;
        if (row->missing[0] != '\0')
            continue;
        rc = cell_estimate(cell, row, blocks, &seconds, err);
        if (rc == ERR_OK &&
            seconds / (double)some <
                CELL_PROBE_SLOW * most) /* the first block may be unlike the others */
            rc = cell_estimate(cell, row, some, &seconds, err);
        if (!cell->options->check && seconds > most && i > 0)
            row->every =
                (uint64_t)(seconds / most) + 1 < blocks ? (uint64_t)(seconds / most) + 1 : blocks;
        if (i > 0 && (*fastest == NULL || seconds < best)) {
            best = seconds;
            *fastest = row;
        }
    }
    return rc;
}

/* What there is to find in one of so many blocks, each number asked for once: by naive when
 * checking, else by the fastest row. */
struct cell_expected {
    const struct bench_match_row *by;
    uint64_t every[BENCH_LIST_MAX * 2 + 1];
    struct bench_result results[BENCH_LIST_MAX * 2 + 1];
    uint32_t count;
};

static enum err_code cell_expect(const struct bench_match_cell *cell,
                                 struct cell_expected *expected, uint64_t every,
                                 struct bench_result *result, struct err *err)
{
    struct bench_time time;

    for (uint32_t i = 0; i < expected->count; i++)
        if (expected->every[i] == every) {
            *result = expected->results[i];
            return ERR_OK;
        }
    const enum err_code rc = bench_run_once(cell, expected->by, every, result, &time, err);
    expected->every[expected->count] = every;
    expected->results[expected->count++] = *result;
    return rc;
}

static enum err_code cell_measure(struct bench_match_cell *cell, struct bench_match_row *row,
                                  uint32_t round, struct cell_expected *expected, struct err *err)
{
    const bool alone = row->engine != NULL && row->engine->threads_itself;
    struct bench_result result, want;
    struct bench_time time;
    enum err_code rc = bench_run_once(cell, row, row->every, &result, &time, err);

    for (uint32_t i = 0;
         rc == ERR_OK && !cell->options->cpu_clock && i < CELL_REPEATS && time.share < cell_share;
         i++) {
        cell->repeated++;
        rc = bench_run_once(cell, row, row->every, &result, &time, err);
    }
    if (rc != ERR_OK)
        return rc;
    row->rate[round] = (double)bench_run_bytes(cell, row, row->every) / 1e9 /
                       (cell->options->cpu_clock && !alone ? time.cpu : time.wall);
    if (row == &cell->rows[0] ||
        (alone && row->every > 1 && cell->threads > 1)) /* it has other blocks than the others */
        return ERR_OK;
    rc = cell_expect(cell, expected, row->every, &want, err);
    if (rc == ERR_OK && (want.hits != result.hits || want.sum != result.sum))
        rc = ERR_RAISE(err, ERR_FULL,
                       "%s finds %" PRIu64 " hits (checksum %016" PRIx64
                       ") of %s in %s, %s %" PRIu64 " (%016" PRIx64
                       "), with %u threads in one of %" PRIu64 " blocks: one of them is wrong",
                       row->name, result.hits, result.sum, cell->dictionary->name, cell->data.name,
                       expected->by->name, want.hits, want.sum, cell->threads, row->every);
    return rc;
}

enum err_code bench_cell_run(struct bench_match_cell *cell, const char *data, struct err *err)
{
    const struct match_setup setup = { .threads = cell->threads,
                                       .segment_len = (uint32_t)cell->options->segment_len };
    struct bench_match_row naive = { .name = "naive", .engine = &match_naive_engine };
    struct cell_expected expected = { 0 };
    enum err_code rc = bench_data_open(data, cell->options->work.size, cell->dictionary, cell->crew,
                                       &cell->data, err);

    cell->repeated = 0;
    cell->result = (struct bench_result){ 0 };
    if (rc == ERR_OK)
        rc = cell_probe(cell, &expected.by, err);
    if (rc == ERR_OK && cell->options->check) {
        expected.by = &naive;
        rc = match_naive_engine.compile(cell->dictionary->patterns, &setup, &naive.program, err);
    }
    for (uint32_t round = 0; rc == ERR_OK && round < cell->options->work.runs; round++)
        for (uint32_t i = 0; rc == ERR_OK && i < cell->row_count; i++)
            if (cell->rows[i].missing[0] == '\0')
                rc = cell_measure(cell, &cell->rows[i], round, &expected, err);
    if (rc == ERR_OK && expected.by != NULL)
        rc = cell_expect(cell, &expected, 1, &cell->result, err);
    match_naive_engine.release(naive.program);
    return rc;
}
