/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/bench_work.h - what every benchmark of engines is asked: which patterns, how much
 * data, which engines, how often. `burin bench match` and `burin bench cuda` read it alike.
 */
#ifndef BURIN_CARVER_BENCH_BENCH_WORK_H
#define BURIN_CARVER_BENCH_BENCH_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/cli/args.h"

enum {
    BENCH_LIST_MAX = 32, /* dictionaries, data sets, thread counts, engines or peers of one command
                            line */
    BENCH_BLOCK = 64 << 10, /* bytes of data that are made at a time, and least bytes of data */
};

struct bench_work {
    uint64_t runs, size; /* size: bytes of data that are made, or in device memory */
    bool json, fold_case;
    const char *engines; /* comma-separated; NULL: all that run here */
    const char *dictionaries[BENCH_LIST_MAX];
    uint32_t dictionary_count;
};

/* Ids of the options that fill it in; a benchmark's own begin at BENCH_WORK_OWN. */
enum {
    BENCH_WORK_DICTIONARY = ARGS_LONG,
    BENCH_WORK_SIZE,
    BENCH_WORK_ENGINES,
    BENCH_WORK_RUNS,
    BENCH_WORK_IGNORE_CASE,
    BENCH_WORK_JSON,
    BENCH_WORK_OWN
};

/* Their lines in a table of struct args_option. */
/* clang-format off */
#define BENCH_WORK_OPTIONS                              \
    { "dictionary", BENCH_WORK_DICTIONARY, "NAME" },    \
    { "size", BENCH_WORK_SIZE, "SIZE" },                \
    { "engines", BENCH_WORK_ENGINES, "LIST" },          \
    { "runs", BENCH_WORK_RUNS, "N" },                   \
    { "ignore-case", BENCH_WORK_IGNORE_CASE, NULL },    \
    { "json", BENCH_WORK_JSON, NULL }
/* clang-format on */

/* Takes the option of an id below BENCH_WORK_OWN. Errors: ERR_ARG. value lives as long as work. */
ERR_MUST_CHECK enum err_code bench_work_option(struct bench_work *work, int id, const char *value,
                                               struct err *err);

/* Adds value to a list of one command line. Errors: ERR_ARG, there is no room for it. */
ERR_MUST_CHECK enum err_code bench_work_list(const char *option, const char *value,
                                             const char **list, uint32_t *count, struct err *err);

#endif
