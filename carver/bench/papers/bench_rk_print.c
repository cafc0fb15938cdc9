/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/papers/bench_rk_print.c - the tables of `burin bench rk`, the paper's figures beside
 * ours, and the same as JSON. See bench_rk.h. */
#include <inttypes.h>
#include <stdio.h>

#include "carver/bench/papers/bench_rk.h"

enum { PRINT_LENGTH_30 = 2 }; /* place in bench_rk_lengths */

static bool print_has(const struct bench_rk_cell *cell)
{
    return cell->missing[0] == 0;
}

/* "1871.96 / 401.2", milliseconds of the paper and ours; ~ for one measured on a part. */
static void print_cell(const struct bench_rk *bench, enum bench_rk_form form, uint32_t count,
                       uint32_t length)
{
    const struct bench_rk_cell *cell = &bench->cells[form][count][length];
    const double paper = bench_rk_paper(form, count, length);
    char ours[32] = "-", theirs[32] = "-";

    if (paper > 0)
        snprintf(theirs, sizeof theirs, "%.2f", paper);
    if (print_has(cell))
        snprintf(ours, sizeof ours, "%s%.*f", cell->part ? "~" : "",
                 cell->seconds.median < 1e-2 ? 4 : 1, cell->seconds.median * 1e3);
    printf(" %9s / %-9s", theirs, ours);
}

static void print_heading(const struct bench_rk *bench)
{
    const struct bench_rk_options *o = bench->options;

    printf("n = %" PRIu64 ", letters 0 and 1, d = %d, q = %d; milliseconds, medians of %" PRIu64
           " runs: paper / here\n",
           o->size, RK_PAPER_BASE, RK_Q, o->runs);
    printf("paper: one thread and 128 threads of 4 Xeon E7-8870 v4, V100; here: one thread and "
           "%" PRIu64 " threads of this machine, %s\n",
           o->threads, bench->resident == NULL ? match_device_missing() : bench->device);
    if (bench->resident != NULL)
        printf("reading the text alone takes the device %.4f ms: %.0f GB/s\n",
               bench->read.median * 1e3, (double)o->size / bench->read.median / 1e9);
    printf("~: measured on a part of the text, for lack of time\n");
}

static void print_rows(const struct bench_rk *bench, const char *what, enum bench_rk_form a,
                       enum bench_rk_form b)
{
    for (uint32_t c = 0; c < BENCH_RK_COUNTS; c++) {
        printf("%-11s %4u", c == 0 ? what : "", bench_rk_counts[c]);
        for (uint32_t l = 0; l < BENCH_RK_LENGTHS; l++)
            print_cell(bench, a, c, l);
        printf(" |");
        for (uint32_t l = 0; l < BENCH_RK_LENGTHS; l++)
            print_cell(bench, b, c, l);
        printf("\n");
    }
}

static void print_columns(const char *left, const char *right)
{
    printf("\n%16s %-63s | %s\n%16s", "", left, right, "p");
    for (uint32_t k = 0; k < 2; k++) {
        for (uint32_t l = 0; l < BENCH_RK_LENGTHS; l++)
            printf(" %13s%-8u", "m = ", bench_rk_lengths[l]);
        printf(k == 0 ? " |" : "\n");
    }
}

/* A step's time is what the form with it takes more than the one without. */
static double print_step(const struct bench_rk *bench, uint32_t step, uint32_t count)
{
    static const enum bench_rk_form upto[] = { BENCH_RK_STEP_2, BENCH_RK_STEP_3, BENCH_RK_STEP_4,
                                               BENCH_RK_SCAN_CUDA };
    const struct bench_rk_cell *cell = &bench->cells[upto[step - 2]][count][PRINT_LENGTH_30];
    const double before =
        step == 2 ? 0 : bench->cells[upto[step - 3]][count][PRINT_LENGTH_30].seconds.median;

    return print_has(cell) ? (cell->seconds.median - before) * 1e3 : 0;
}

static void print_steps(const struct bench_rk *bench)
{
    printf("\nTable 3: steps of algorithm 5 on the device, m = 30\n%4s", "p");
    for (uint32_t step = 2; step <= 5; step++)
        printf("            step %u  ", step);
    printf("             total             MatchStr          rk:cuda   times  of reading\n");
    for (uint32_t c = 0; c < BENCH_RK_COUNTS; c++) {
        const struct bench_rk_cell *all = &bench->cells[BENCH_RK_SCAN_CUDA][c][PRINT_LENGTH_30];
        const struct bench_rk_cell *fused = &bench->cells[BENCH_RK_FUSED][c][PRINT_LENGTH_30];

        printf("%4u", bench_rk_counts[c]);
        for (uint32_t step = 2; step <= 5; step++)
            printf(" %8.2f / %-7.4f", bench_rk_paper_step(step, c), print_step(bench, step, c));
        print_cell(bench, BENCH_RK_SCAN_CUDA, c, PRINT_LENGTH_30);
        print_cell(bench, BENCH_RK_MATCH_STR_CUDA, c, PRINT_LENGTH_30);
        if (print_has(all) && print_has(fused))
            printf("  %8.4f  %5.1fx  %5.1f %%", fused->seconds.median * 1e3,
                   all->seconds.median / fused->seconds.median,
                   bench->read.median / fused->seconds.median * 100);
        printf("\n");
    }
}

void bench_rk_print(const struct bench_rk *bench)
{
    print_heading(bench);
    printf("\nTable 2");
    print_columns("algorithm 4", "algorithm 5");
    print_rows(bench, "one thread", BENCH_RK_DIRECT, BENCH_RK_SCAN);
    print_rows(bench, "OpenMP", BENCH_RK_DIRECT_OPENMP, BENCH_RK_SCAN_OPENMP);
    print_rows(bench, "GPU", BENCH_RK_DIRECT_CUDA, BENCH_RK_SCAN_CUDA);
    printf("\nMatchStr");
    print_columns("one thread", "OpenMP");
    print_rows(bench, "", BENCH_RK_MATCH_STR, BENCH_RK_MATCH_STR_OPENMP);
    if (bench->resident == NULL)
        return;
    printf("\nFused, the text read once");
    print_columns("the hash of the paper (rk:cuda-prime)", "rk:cuda");
    print_rows(bench, "GPU", BENCH_RK_PRIME, BENCH_RK_FUSED);
    print_steps(bench);
}

static void json_cell(struct json *json, const struct bench_rk *bench, enum bench_rk_form form,
                      uint32_t c, uint32_t l)
{
    const struct bench_rk_cell *cell = &bench->cells[form][c][l];
    const double paper = bench_rk_paper(form, c, l);

    json_open_object(json, NULL);
    json_string(json, "form", bench_rk_name(form));
    json_uint(json, "patterns", bench_rk_counts[c]);
    json_uint(json, "length", bench_rk_lengths[l]);
    if (paper > 0)
        json_double(json, "paper_seconds", paper / 1e3);
    if (print_has(cell)) {
        bench_figure_json(json, "seconds", cell->seconds);
        json_bool(json, "of_a_part", cell->part);
    } else {
        json_string(json, "missing", cell->missing);
    }
    json_close_object(json);
}

void bench_rk_json_head(const struct bench_rk *bench, struct json *json)
{
    const struct bench_rk_options *o = bench->options;

    json_init(json, stdout, 2);
    json_open_object(json, NULL);
    json_uint(json, "bytes", o->size);
    json_uint(json, "base", RK_PAPER_BASE);
    json_uint(json, "prime", RK_Q);
    json_uint(json, "runs", o->runs);
    json_uint(json, "threads", o->threads);
    json_string(json, "device", bench->resident == NULL ? NULL : bench->device);
    if (bench->resident != NULL)
        bench_figure_json(json, "read_seconds", bench->read);
}

void bench_rk_json(const struct bench_rk *bench, struct json *json)
{
    json_open_array(json, "cells");
    for (uint32_t form = 0; form < BENCH_RK_FORMS; form++)
        for (uint32_t c = 0; c < BENCH_RK_COUNTS; c++)
            for (uint32_t l = 0; l < BENCH_RK_LENGTHS; l++)
                json_cell(json, bench, form, c, l);
}
