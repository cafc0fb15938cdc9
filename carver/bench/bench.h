/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/bench.h - what `burin bench` can measure: one file and one line in bench.def each.
 */
#ifndef BURIN_CARVER_BENCH_BENCH_H
#define BURIN_CARVER_BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "carver/cli/json_write.h"

enum { BENCH_RUNS_MAX = 100, BENCH_ROWS_MAX = 16, BENCH_WORDS_MAX = 32 };

/* One thing that is measured, as a program run from outside: several runs in turn with the others.
 */
struct bench_row {
    const char *name;
    const char
        *words[BENCH_WORDS_MAX]; /* the program and its arguments, NULL-terminated; found in PATH */
    bool missing;                /* not installed: left out, and said so */
    const char *errors; /* a file for what it says on standard error; NULL: nobody hears it */
    uint32_t runs;
    double wall[BENCH_RUNS_MAX], cpu[BENCH_RUNS_MAX]; /* seconds */
    long peak_kib;                                    /* largest resident size of any run */
    int status;                                       /* exit status of the last run */
};

struct bench_figure {
    double median, min, max;
};

double bench_now(void); /* seconds, on a clock that nobody sets */

/* Of count values, 1..BENCH_RUNS_MAX. */
struct bench_figure bench_figure(const double *values, uint32_t count);
void bench_figure_json(struct json *json, const char *key, struct bench_figure figure);

/*
 * Runs every row in turn, `runs` times round after one round that is not counted; before each run
 * prepare is called (to warm or to drop the page cache). Output of the programs goes to /dev/null.
 * A program with a file for its errors ends the rounds when it fails.
 */
ERR_MUST_CHECK enum err_code bench_rounds(struct bench_row *rows, uint32_t count, uint32_t runs,
                                          enum err_code (*prepare)(void *arg, struct err *err),
                                          void *arg, struct err *err);

/* ERR_INTERRUPTED once a signal has asked for a stop; to be asked between runs. */
ERR_MUST_CHECK enum err_code bench_stopped(struct err *err);

/*
 * The kinds of benchmark, those of bench.def: bench_scan and bench_scan_help, and so on. argv[0] is
 * the kind's name. Asked for JSON, a kind begins it with its head, which opens one object, before
 * it measures, and may leave closing to bench.c: so what is interrupted or fails half-way is JSON
 * too, and says so.
 */
#define BENCH(name, part, arguments, what)                                                         \
    enum err_code bench_##name(int argc, char **argv, struct json *json, struct err *err);         \
    extern const char bench_##name##_help[];
#include "carver/bench/bench.def"
#undef BENCH

/* The ends of the kinds' texts. */
#define BENCH_HELP_TEXT "  --help           this text\n"
#define BENCH_COMMON_TEXT                                                                          \
    "  --json           the figures as JSON; interrupted, those that there are, and\n"             \
    "                   \"interrupted\": true\n" BENCH_HELP_TEXT

#endif
