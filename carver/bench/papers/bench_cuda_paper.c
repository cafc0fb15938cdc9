/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/papers/bench_cuda_paper.c - tables of papers, measured here and beside the paper's
 * own figures where it prints any. See bench_cuda.h. */
#include <stdio.h>
#include <string.h>

#include "carver/bench/gpu/bench_cuda.h"

void bench_paper_table(const struct bench_cuda *bench, const char *name, const char *cells,
                       const char *const *columns, uint32_t count)
{
    struct json *json = bench->json;

    if (json == NULL) {
        printf("\n%s: %s\n%-26s", name, cells, "");
        for (uint32_t i = 0; i < count; i++)
            printf(" %20s", columns[i]);
        printf("\n");
        return;
    }
    json_open_object(json, NULL);
    json_string(json, "table", name);
    json_string(json, "cells", cells);
    json_open_array(json, "columns");
    for (uint32_t i = 0; i < count; i++)
        json_string(json, NULL, columns[i]);
    json_close_array(json);
    json_open_array(json, "rows");
}

static void paper_json_cells(struct json *json, const char *key, const double *cells,
                             uint32_t count)
{
    json_open_array(json, key);
    for (uint32_t i = 0; i < count; i++)
        if (cells[i] < 0)
            json_null(json, NULL);
        else
            json_double(json, NULL, cells[i]);
    json_close_array(json);
}

void bench_paper_row(const struct bench_cuda *bench, const char *name, const double *cells,
                     const double *paper, uint32_t count)
{
    struct json *json = bench->json;

    if (json != NULL) {
        json_open_object(json, NULL);
        json_string(json, "name", name);
        paper_json_cells(json, "here", cells, count);
        if (paper != NULL)
            paper_json_cells(json, "paper", paper, count);
        json_close_object(json);
        return;
    }
    printf("%-26s", name);
    for (uint32_t i = 0; i < count; i++) {
        char there[24] = "", here[24] = "-";

        if (cells[i] >= 0)
            snprintf(here, sizeof here, "%.4g", cells[i]);
        if (paper != NULL && paper[i] >= 0)
            snprintf(there, sizeof there, " (%.4g)", paper[i]);
        printf(" %11s%-9s", here, there);
    }
    printf("\n");
    fflush(stdout);
}

void bench_paper_end(const struct bench_cuda *bench)
{
    if (bench->json == NULL)
        return;
    json_close_array(bench->json);
    json_close_object(bench->json);
}

double bench_paper_seconds(const struct bench_cuda *bench, const struct bench_cuda_engine *engine,
                           uint64_t len, struct match_launch launch,
                           const struct bench_dictionary *dictionary,
                           const struct bench_result *want)
{
    struct bench_cuda_time time = { .len = len, .launch = launch };
    struct err err;

    if (len > bench->data.len)
        return -1;
    bench_cuda_timing(bench, engine, &time);
    if (time.missing[0] != '\0') {
        fprintf(stderr, "burin: bench: %s\n", time.missing);
        return -1;
    }
    if (bench_cuda_check(engine, &time, dictionary, want, &err) != ERR_OK) {
        fprintf(stderr, "burin: bench: %s\n", err.text);
        return -1;
    }
    return bench_cuda_seconds(&time).median;
}

enum err_code bench_paper_cpu(const struct bench_cuda *bench,
                              const struct bench_dictionary *dictionary, uint64_t len,
                              uint32_t threads, struct bench_result *result, double *seconds,
                              struct err *err)
{
    double runs[BENCH_RUNS_MAX];
    const uint32_t count = (uint32_t)bench->options->work.runs;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < count; i++)
        rc = bench_cuda_expect(bench, dictionary, len, threads, result, &runs[i], err);
    if (rc == ERR_OK)
        *seconds = bench_figure(runs, count).median;
    return rc;
}

enum err_code bench_paper_find(const char *name, bench_paper_run **out, struct err *err)
{
    *out = strcmp(name, "zha-sahni") == 0 ? bench_paper_zha
           : strcmp(name, "tran") == 0    ? bench_paper_tran
                                          : NULL;
    return *out != NULL ? ERR_OK
                        : ERR_RAISE(err, ERR_ARG, "--paper %s: zha-sahni or tran is allowed", name);
}
