/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/bench_scan.h - what `burin bench scan` measures, and its table; for bench_scan.c and
 * bench_scan_print.c alone. */
#ifndef BURIN_CARVER_BENCH_BENCH_SCAN_H
#define BURIN_CARVER_BENCH_BENCH_SCAN_H

#include "base/limits.h"
#include "carver/bench/bench.h"
#include "carver/bench/bench_yard.h"

enum {
    BENCH_SCAN_ENGINE = 6,   /* words of --engine, --strategy, --devices */
    BENCH_SCAN_FORWARD = 10, /* of --types, --dictionary, --threads, --segment, --io */
};
_Static_assert(BENCH_SCAN_ENGINE + BENCH_SCAN_FORWARD + 10 <= BENCH_WORDS_MAX,
               "program, three words of its own, case, image, NULL");

/* The measurement, whole. */
struct bench_scan {
    uint64_t runs;
    bool cold, hits_only, peers, json;
    const char *work, *dictionary, *io, *segment, *threads;
    const char *forward[BENCH_SCAN_FORWARD + 2]; /* options handed on to burin scan */
    uint32_t forward_count;
    const char *engine[BENCH_SCAN_ENGINE]; /* the same, of which one row goes without */
    uint32_t engine_count;
    const char *image;
    uint64_t bytes;
    char self[LIMIT_PATH];
    char dir[LIMIT_PATH - 64], case_path[LIMIT_PATH], errors[LIMIT_PATH], foremost_dir[LIMIT_PATH],
        scalpel_dir[LIMIT_PATH], photorec_dir[LIMIT_PATH];
    struct bench_row rows[BENCH_ROWS_MAX];
    uint32_t row_count, own_count; /* the first ones are burin's own */
    struct bench_yard yard;
    const struct bench_row *raw, *nothing; /* to compare with; NULL: not run */
};

void bench_scan_print(const struct bench_scan *b);
void bench_scan_json_head(const struct bench_scan *b, struct json *json);
void bench_scan_json(const struct bench_scan *b, struct json *json);

#endif
