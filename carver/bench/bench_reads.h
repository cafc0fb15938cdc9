/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/bench_reads.h - `burin bench read --runs`: burin's plain read beside the yardstick,
 * in rounds. */
#ifndef BURIN_CARVER_BENCH_BENCH_READS_H
#define BURIN_CARVER_BENCH_BENCH_READS_H

#include "base/err.h"
#include "carver/bench/bench.h"

struct bench_reads {
    const char *image;
    uint32_t runs; /* rounds that count, 1..BENCH_RUNS_MAX */
    bool cold, json;
    const char *const *words; /* [word_count] options of the run of `burin bench read` */
    uint32_t word_count;
};

/* Measures and prints. Errors: those of bench_rounds and bench_yard_cache. */
ERR_MUST_CHECK enum err_code bench_reads(const struct bench_reads *reads, struct json *json,
                                         struct err *err);

#endif
