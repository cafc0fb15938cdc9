/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/match/bench_match.h - what the files of `burin bench match` share.
 *
 *   dictionaries x thread counts x data --one cell each--> rows: the read limit, engines, peers
 *   --rounds--> rates
 *
 *   bench_match.c             the command line, and the cells in turn
 *   bench_match_dictionary.c  dictionaries from files and names; bench_match_made.c makes patterns
 *                             and words
 *   bench_match_data.c        buffers, filled by the threads that will read them
 *   bench_match_crew.c        those threads, and the clock
 *   bench_match_cell.c        one cell: compile, check, measure; bench_match_run.c one run of one
 *                             row
 *   bench_match_peer.c        Hyperscan's interface, found at run time
 *   bench_match_print.c       tables and JSON
 */
#ifndef BURIN_CARVER_BENCH_MATCH_BENCH_MATCH_H
#define BURIN_CARVER_BENCH_MATCH_BENCH_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/bench/bench.h"
#include "carver/bench/bench_work.h"
#include "carver/cli/json_write.h"
#include "match/engine.h"

enum {
    BENCH_NAME_MAX = 96,
    BENCH_WORD_MAX = 24, /* bytes of a made word */
    BENCH_WORD_RANKS = 1 << 18,
    BENCH_SAMPLE = 1 << 20, /* bytes of a block that slow engines scan some of */
};

/* What a scan found: enough to tell whether two scans found the same. */
struct bench_result {
    uint64_t hits, sum;
};

static inline void bench_count(struct bench_result *result, uint64_t offset, uint32_t pattern)
{
    const uint64_t x =
        (offset + 1) * 0x9e3779b97f4a7c15u ^ ((uint64_t)pattern + 1) * 0xc2b2ae3d27d4eb4fu;

    result->hits++;
    result->sum += x ^ x >> 29;
}

/* xorshift64*; state is not 0. */
static inline uint32_t bench_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)((*state * 2685821657736338717u) >> 32);
}

static inline uint64_t bench_seed(uint64_t number)
{
    number = (number + 1) * 0x9e3779b97f4a7c15u;
    return (number ^ number >> 31) | 1;
}

/* ---- dictionaries ---- */

struct bench_dictionary {
    char name[BENCH_NAME_MAX];
    struct match_dictionary *patterns; /* literals alone */
    uint32_t count, shortest, longest; /* lengths in bytes */
    uint32_t left_out; /* expressions, and patterns that go by sectors: not the engines' work */
};

/* spec: burin, scalpel, snort, keywords:N, random:N:LEN or a file. Errors: ERR_ARG, ERR_INPUT,
 * ERR_ENV. */
ERR_MUST_CHECK enum err_code bench_dictionary_open(const char *spec, bool fold_case,
                                                   struct bench_dictionary *out, struct err *err);
void bench_dictionary_close(struct bench_dictionary *dictionary);

/* Adds a pattern and keeps count, shortest and longest. */
ERR_MUST_CHECK enum err_code bench_dictionary_add(struct bench_dictionary *dictionary,
                                                  const uint8_t *bytes, const uint8_t *mask,
                                                  uint32_t len, bool fold_case, struct err *err);

ERR_MUST_CHECK enum err_code bench_made_keywords(struct bench_dictionary *dictionary,
                                                 uint32_t count, bool fold_case, struct err *err);
ERR_MUST_CHECK enum err_code bench_made_random(struct bench_dictionary *dictionary, uint32_t count,
                                               uint32_t len, struct err *err);
/* 1,998 patterns of 1 to 243 bytes, text and binary: the shape of the Snort rules that papers
 * measure with. */
ERR_MUST_CHECK enum err_code bench_made_snort(struct bench_dictionary *dictionary, struct err *err);

/* The word of a rank, 0 the commonest, as lower-case letters; its length. */
uint32_t bench_word(uint32_t rank, char out[BENCH_WORD_MAX]);

/* ---- threads ---- */

struct bench_crew;

struct bench_time {
    double wall; /* seconds from the first thread's start to the last one's end */
    double cpu;  /* CPU seconds of the thread that took most */
    double
        share; /* CPU time / wall time of the thread that got least: below 1 something else ran */
};

ERR_MUST_CHECK enum err_code bench_crew_open(uint32_t threads, struct bench_crew **out,
                                             struct err *err);
void bench_crew_close(struct bench_crew *crew);
uint32_t bench_crew_threads(const struct bench_crew *crew);

/* Runs task in every thread at once and waits for all. */
struct bench_time bench_crew_run(struct bench_crew *crew, void (*task)(void *arg, uint32_t thread),
                                 void *arg);

/* ---- data ---- */

struct bench_data {
    char name[BENCH_NAME_MAX];
    uint8_t *bytes;
    uint64_t len;
    bool made; /* and not of a file */
    void *memory;
    size_t memory_size;
};

/*
 * spec: disk, text, random, zeros, adversarial, near-misses or FILE[:LEN]; size: bytes of made
 * data. Every part is touched first by the thread that will scan it.
 */
ERR_MUST_CHECK enum err_code bench_data_open(const char *spec, uint64_t size,
                                             const struct bench_dictionary *dictionary,
                                             struct bench_crew *crew, struct bench_data *out,
                                             struct err *err);
void bench_data_close(struct bench_data *data);

/* Where part `thread` of `threads` begins; part `threads` begins at len. */
static inline uint64_t bench_part(uint64_t len, uint32_t threads, uint32_t thread)
{
    return thread == threads ? len : len / threads / BENCH_BLOCK * BENCH_BLOCK * thread;
}

/* ---- peers ---- */

struct bench_peer;         /* a library */
struct bench_peer_program; /* a dictionary compiled by it */

/* spec: PATH or NAME=PATH; avx2: compile for AVX2 although the machine may have more. ERR_ENV when
 * it is not there. */
ERR_MUST_CHECK enum err_code bench_peer_open(const char *spec, bool avx2, struct bench_peer **out,
                                             struct err *err);
void bench_peer_close(struct bench_peer *peer);
const char *bench_peer_name(const struct bench_peer *peer);
bool bench_peer_avx2(const struct bench_peer *peer);

ERR_MUST_CHECK enum err_code bench_peer_compile(const struct bench_peer *peer,
                                                const struct match_dictionary *patterns,
                                                uint32_t threads, struct bench_peer_program **out,
                                                struct err *err);
void bench_peer_release(struct bench_peer_program *program);

/* Counts every match whose last byte lies in bytes [from, to), longest - 1 bytes before from being
 * there where from is not 0. */
bool bench_peer_scan(const struct bench_peer_program *program, uint32_t thread,
                     const uint8_t *bytes, uint64_t from, uint64_t to, struct bench_result *result);

/* ---- a cell ---- */

struct bench_match_row {
    char name[BENCH_NAME_MAX];
    const struct match_engine *engine; /* NULL: a peer, or the read limit */
    void *program;
    const struct bench_peer *peer;
    struct bench_peer_program *peer_program;
    bool is_peer;   /* what the engines are compared with */
    bool is_avx2;   /* compared with peers that are limited likewise */
    uint64_t every; /* one in so many blocks is scanned: 1 is all */
    double compile_seconds;
    double rate[BENCH_RUNS_MAX]; /* GB/s of 1e9 bytes */
    char missing[ERR_TEXT_MAX];  /* why it does not run; empty: it does */
};

struct bench_match_options {
    struct bench_work work;
    uint64_t segment_len;
    double run_seconds; /* aimed at for one run of one row at most */
    bool cpu_clock, check, sweep, no_peers, peers_avx2;
    const char *data[BENCH_LIST_MAX], *peers[BENCH_LIST_MAX];
    uint32_t data_count, peer_count;
    uint32_t threads[BENCH_LIST_MAX], thread_count;
};

struct bench_match_cell {
    const struct bench_match_options *options;
    const struct bench_dictionary *dictionary;
    struct bench_crew *crew;
    struct bench_data data;
    uint32_t threads;
    struct bench_match_row rows[2 * BENCH_LIST_MAX + 1]; /* the read limit first */
    uint32_t row_count;
    struct bench_result result; /* of the whole data */
    uint32_t repeated;          /* runs done again because another program took the CPU */
    struct hit *hits;           /* room for what a scan finds, hits_max for each thread */
    uint32_t hits_max;
};

/* The rows, compiled. What cannot be compiled says so in its row. */
ERR_MUST_CHECK enum err_code bench_cell_open(struct bench_match_cell *cell,
                                             const struct bench_match_options *options,
                                             struct bench_peer *const *peers, uint32_t peer_count,
                                             const struct bench_dictionary *dictionary,
                                             uint32_t threads, struct err *err);
void bench_cell_close(struct bench_match_cell *cell);

/* Measures all rows on this data. ERR_FULL when two of them do not find the same. */
ERR_MUST_CHECK enum err_code bench_cell_run(struct bench_match_cell *cell, const char *data,
                                            struct err *err);

/*
 * Runs a row over the cell's data, of which each thread scans one in `every` blocks of its part:
 * slow engines get through a part of what the others scan, and yet all of its kinds.
 */
ERR_MUST_CHECK enum err_code bench_run_once(const struct bench_match_cell *cell,
                                            const struct bench_match_row *row, uint64_t every,
                                            struct bench_result *result, struct bench_time *time,
                                            struct err *err);
uint64_t bench_run_bytes(const struct bench_match_cell *cell, const struct bench_match_row *row,
                         uint64_t every);

/* ---- output ---- */

/* For a row: its rates, and their ratios to another row's, run by run. */
struct bench_figure bench_match_ratio(const struct bench_match_cell *cell,
                                      const struct bench_match_row *row,
                                      const struct bench_match_row *base);
/* The peer with the highest median that the row is compared with; NULL: none. */
const struct bench_match_row *bench_match_best_peer(const struct bench_match_cell *cell,
                                                    const struct bench_match_row *row);

void bench_match_print(const struct bench_match_cell *cell);

/* Nanoseconds a byte of every engine in every cell: how its time grows with number and length of
 * patterns. */
struct bench_sweep {
    char engines[2 * BENCH_LIST_MAX][BENCH_NAME_MAX], cells[BENCH_LIST_MAX][BENCH_NAME_MAX];
    double times[2 * BENCH_LIST_MAX][BENCH_LIST_MAX]; /* 0: not measured */
    uint32_t engine_count, cell_count;
};
void bench_sweep_note(struct bench_sweep *sweep, const struct bench_match_cell *cell);
void bench_sweep_print(const struct bench_sweep *sweep);

void bench_match_json(struct json *json, const struct bench_match_cell *cell);

#endif
