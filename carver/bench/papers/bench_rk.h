/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/papers/bench_rk.h - what the files of `burin bench rk` share: the experiment of
 * Nunes, Bordim, Ito and Nakano, A Rabin-Karp Implementation for Handling Multiple Pattern-Matching
 * on the GPU (IEICE Transactions E103-D, 2020), tables 2 and 3.
 *
 *   bench_rk.c        the command line, text and patterns, and all cells in turn
 *   bench_rk_run.c    one form in one cell
 *   bench_rk_paper.c  the paper's figures
 *   bench_rk_print.c  tables and JSON
 */
#ifndef BURIN_CARVER_BENCH_PAPERS_BENCH_RK_H
#define BURIN_CARVER_BENCH_PAPERS_BENCH_RK_H

#include "carver/bench/match/bench_match.h"
#include "match/lab.h"
#include "match/papers/rabin_karp/rk_paper.h"

enum {
    BENCH_RK_COUNTS = 5,     /* numbers of patterns: 1, 4, 16, 64, 256 */
    BENCH_RK_LENGTHS = 3,    /* of their bytes: 10, 20, 30 */
    BENCH_RK_HITS = 4 << 20, /* of eight MiB, at most */
};
extern const uint32_t bench_rk_counts[BENCH_RK_COUNTS], bench_rk_lengths[BENCH_RK_LENGTHS];

/* What is measured; the first nine have a place in the paper. */
enum bench_rk_form {
    BENCH_RK_DIRECT, /* algorithm 4: one thread, OpenMP, GPU */
    BENCH_RK_DIRECT_OPENMP,
    BENCH_RK_DIRECT_CUDA,
    BENCH_RK_SCAN, /* algorithm 5 */
    BENCH_RK_SCAN_OPENMP,
    BENCH_RK_SCAN_CUDA,
    BENCH_RK_MATCH_STR,
    BENCH_RK_MATCH_STR_OPENMP,
    BENCH_RK_MATCH_STR_CUDA,
    BENCH_RK_PRIME,  /* fused, with the paper's hash */
    BENCH_RK_FUSED,  /* fused */
    BENCH_RK_STEP_2, /* algorithm 5 up to this step */
    BENCH_RK_STEP_3,
    BENCH_RK_STEP_4,
    BENCH_RK_FORMS
};

/* Milliseconds of the paper; 0: it has none. */
double bench_rk_paper(enum bench_rk_form form, uint32_t count, uint32_t length);
/* Table 3: of one step, 2 to 5, of algorithm 5 on the GPU with patterns of 30 bytes. */
double bench_rk_paper_step(uint32_t step, uint32_t count);

struct bench_rk_cell {
    struct bench_figure seconds; /* for the whole text */
    bool part;                   /* measured on a part of it */
    char missing[ERR_TEXT_MAX];  /* why there is none; empty: there is */
};

struct bench_rk_options {
    uint64_t size, runs, threads, device,
        run_time;        /* run_time: milliseconds of a run on the CPU at most */
    const char *engines; /* comma-separated; NULL: all */
    bool json;
};

struct bench_rk {
    const struct bench_rk_options *options;
    uint8_t *text;                   /* options->size bytes, 0 and 1 */
    struct match_resident *resident; /* NULL: no device */
    char device[MATCH_DEVICE_NAME_MAX];
    struct bench_figure read; /* seconds that the device takes to read the text */
    struct hit *hits;         /* room for those of a piece of the text on the CPU */
    struct bench_rk_cell cells[BENCH_RK_FORMS][BENCH_RK_COUNTS][BENCH_RK_LENGTHS];
};

const char *bench_rk_name(enum bench_rk_form form); /* that of the engine, or of the step */
/* ERR_ARG for a list with a name that is none. */
ERR_MUST_CHECK enum err_code bench_rk_check(const char *engines, struct err *err);
bool bench_rk_wanted(const struct bench_rk_options *options, enum bench_rk_form form);

/* Measures a form. The sample's result is checked against *want, or put there where want->hits is
 * UINT64_MAX. ERR_FULL: it differs. */
ERR_MUST_CHECK enum err_code bench_rk_run(struct bench_rk *bench, enum bench_rk_form form,
                                          const struct match_dictionary *dictionary,
                                          struct bench_result *want, struct bench_rk_cell *cell,
                                          struct err *err);

void bench_rk_print(const struct bench_rk *bench);
void bench_rk_json_head(const struct bench_rk *bench, struct json *json);
void bench_rk_json(const struct bench_rk *bench, struct json *json);

#endif
