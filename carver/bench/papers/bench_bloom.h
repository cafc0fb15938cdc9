/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/papers/bench_bloom.h - what the files of `burin bench bloom` share: one kind of
 * filter, its keys, and its rows of figures.
 */
#ifndef BURIN_CARVER_BENCH_PAPERS_BENCH_BLOOM_H
#define BURIN_CARVER_BENCH_PAPERS_BENCH_BLOOM_H

#include "carver/bench/bench.h"
#include "match/bloom.h"
#include "match/bloom_lab.h"
#include "match/matcher.h"

enum { BENCH_BLOOM_ROWS = 4 };

struct bench_bloom_options {
    uint64_t keys, thesis, thesis_serial, runs, threads;
    double rate;
    bool device, json;
};

/* One form: how long the part of the keys took that it was given. */
struct bench_bloom_row {
    const char *name;
    const char *missing;                                  /* NULL: it ran */
    uint64_t keys;                                        /* inserted, and asked for */
    double insert[BENCH_RUNS_MAX], query[BENCH_RUNS_MAX]; /* seconds */
};

/* One kind of filter with all its forms. */
struct bench_bloom {
    const struct bench_bloom_options *options;
    const char *name;
    enum bloom_kind kind;
    uint32_t k; /* 0: the best */
    double wanted;
    uint64_t serial_keys;
    struct bloom_keys keys, others; /* others: not in the set */
    struct bloom_shape shape;
    uint8_t *answers;  /* [keys.count] */
    uint8_t *expected; /* those of the OpenMP form about others */
    struct bench_bloom_row rows[BENCH_BLOOM_ROWS];
    uint32_t row_count;
    double formula, measured; /* rates of false positives */
    char device[MATCH_DEVICE_NAME_MAX];
};

/* The forms on the processor; the last table made by all threads is handed to the caller, who
 * closes it. */
ERR_MUST_CHECK enum err_code bench_bloom_host(struct bench_bloom *bench, struct bloom **table,
                                              struct err *err);
/* The form on the device; ERR_ENV when its table or answers are not those of the host's. */
ERR_MUST_CHECK enum err_code bench_bloom_device(struct bench_bloom *bench,
                                                const struct bloom *table, struct err *err);

#endif
