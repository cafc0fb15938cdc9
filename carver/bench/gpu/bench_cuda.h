/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/gpu/bench_cuda.h - what the files of `burin bench cuda` share.
 *
 *   bench_cuda.c           the command line
 *   bench_cuda_time.c      one engine timed on a text in device memory; what a CPU engine finds
 *                          there
 *   bench_cuda_resident.c  engines x dictionaries beside the speed of reading
 *   bench_cuda_host.c      host to host: strategies x segment sizes beside the speed of copies,
 *                          prediction beside outcome
 *   bench_cuda_paper.c     the tables of papers, with their sizes and parameters: bench_cuda_zha.c,
 *                          bench_cuda_tran.c
 *
 * Dictionaries, data and threads are those of `burin bench match`.
 */
#ifndef BURIN_CARVER_BENCH_GPU_BENCH_CUDA_H
#define BURIN_CARVER_BENCH_GPU_BENCH_CUDA_H

#include "carver/bench/match/bench_match.h"
#include "match/engine.h"
#include "match/lab.h"

struct bench_cuda_options {
    struct bench_work work;
    uint64_t total, threads; /* total: bytes that go through the device in a run */
    uint32_t device_mask;    /* 1 << n: device n; the lowest one has the resident text */
    bool no_host, no_resident, tune;
    const char *host_engine; /* for host to host */
    const char *data;        /* as for bench match */
    const char *paper;       /* NULL: the two parts */
    uint32_t segments[BENCH_LIST_MAX], segment_count;
};

static inline uint32_t bench_cuda_device(const struct bench_cuda_options *o)
{
    return (uint32_t)__builtin_ctz(o->device_mask);
}

/* What all parts work on. */
struct bench_cuda {
    const struct bench_cuda_options *options;
    struct bench_crew *crew;
    struct bench_data data;
    struct match_resident *resident; /* the same on the device */
    struct json *json;               /* NULL: tables for people */
};

/* A search, and what came of it. */
struct bench_cuda_time {
    uint64_t len;               /* bytes of the text, from its beginning */
    bool from_host;             /* the text stays in the host's memory */
    struct match_launch launch; /* of the kernel's blocks; zeros: as it is */

    double seconds[BENCH_RUNS_MAX];
    uint32_t runs;
    struct bench_result result;
    uint64_t candidates;
    struct match_launch used;   /* zeros: the usual one */
    char missing[ERR_TEXT_MAX]; /* why there is nothing of all this; empty: there is */
};

/* An engine ready for a dictionary. */
struct bench_cuda_engine {
    const struct match_engine *engine; /* NULL: there is none of the name */
    void *program;
    char missing[ERR_TEXT_MAX];
};

void bench_cuda_engine_open(struct bench_cuda_engine *out, const struct bench_cuda *bench,
                            const char *name, const struct bench_dictionary *dictionary);
void bench_cuda_engine_close(struct bench_cuda_engine *engine);

/* Looks for the engine's fastest launch on the data, and leaves it so; what fails is said in
 * engine->missing. */
void bench_cuda_tune(const struct bench_cuda *bench, struct bench_cuda_engine *engine);

/* Fills in time; what fails is said there. */
void bench_cuda_timing(const struct bench_cuda *bench, const struct bench_cuda_engine *engine,
                       struct bench_cuda_time *time);
/* The device's limit over so many bytes, in seconds. */
ERR_MUST_CHECK enum err_code bench_cuda_limit(const struct bench_cuda *bench,
                                              enum match_limit limit, uint64_t len,
                                              struct bench_cuda_time *out, struct err *err);

/* What the engine `ac` finds in the first len bytes with so many threads, and in what time; 0: as
 * many as there are. */
ERR_MUST_CHECK enum err_code bench_cuda_expect(const struct bench_cuda *bench,
                                               const struct bench_dictionary *dictionary,
                                               uint64_t len, uint32_t threads,
                                               struct bench_result *result, double *seconds,
                                               struct err *err);

/* Seconds, and GB/s of 1e9 bytes. */
struct bench_figure bench_cuda_seconds(const struct bench_cuda_time *time);
struct bench_figure bench_cuda_rate(const struct bench_cuda_time *time);

/* ERR_FULL when the search has not found what it should. */
ERR_MUST_CHECK enum err_code bench_cuda_check(const struct bench_cuda_engine *engine,
                                              const struct bench_cuda_time *time,
                                              const struct bench_dictionary *dictionary,
                                              const struct bench_result *want, struct err *err);

/* The first lines: machine and method. */
void bench_cuda_head(const struct bench_cuda *bench);

/* Opens the data of a name, or closes it, on both sides. */
ERR_MUST_CHECK enum err_code bench_cuda_data_open(struct bench_cuda *bench, const char *spec,
                                                  uint64_t size,
                                                  const struct bench_dictionary *dictionary,
                                                  struct err *err);
void bench_cuda_data_close(struct bench_cuda *bench);

ERR_MUST_CHECK enum err_code bench_cuda_resident(struct bench_cuda *bench,
                                                 const struct bench_dictionary *dictionary,
                                                 struct err *err);
ERR_MUST_CHECK enum err_code bench_cuda_host(struct bench_cuda *bench,
                                             const struct bench_dictionary *dictionary,
                                             struct err *err);
/* Strategy A as in a paper: so many segments, all of them on the device; a run is all segments
 * once. */
ERR_MUST_CHECK enum err_code bench_cuda_transfer(struct bench_cuda *bench,
                                                 const struct bench_dictionary *dictionary,
                                                 const struct match_engine *engine,
                                                 uint32_t segments, uint32_t segment,
                                                 struct bench_cuda_time *time, struct err *err);

/* ---- tables of papers ---- */

enum { BENCH_PAPER_COLUMNS = 12 };

/* A table: its name in the paper, what its cells are, and the names of its columns. */
void bench_paper_table(const struct bench_cuda *bench, const char *name, const char *cells,
                       const char *const *columns, uint32_t count);
/* Below 0: not measured. paper: the paper's own figures, or NULL where it gives none. */
void bench_paper_row(const struct bench_cuda *bench, const char *name, const double *cells,
                     const double *paper, uint32_t count);
void bench_paper_end(const struct bench_cuda *bench);

/* Median seconds of the engine on the first len bytes; below 0 with a line on standard error when
 * it cannot be had. */
double bench_paper_seconds(const struct bench_cuda *bench, const struct bench_cuda_engine *engine,
                           uint64_t len, struct match_launch launch,
                           const struct bench_dictionary *dictionary,
                           const struct bench_result *want);

/* The same of `ac` on so many threads of the CPU, and what it finds. */
ERR_MUST_CHECK enum err_code bench_paper_cpu(const struct bench_cuda *bench,
                                             const struct bench_dictionary *dictionary,
                                             uint64_t len, uint32_t threads,
                                             struct bench_result *result, double *seconds,
                                             struct err *err);

/* Measures the tables of one paper and prints them. */
typedef enum err_code bench_paper_run(struct bench_cuda *bench, struct err *err);
bench_paper_run bench_paper_zha, bench_paper_tran;

/*
 * The paper of that name: "zha-sahni" or "tran". Errors: ERR_ARG for another name, ERR_ENV when
 * this build is without the papers.
 */
#ifdef BURIN_PAPERS
ERR_MUST_CHECK enum err_code bench_paper_find(const char *name, bench_paper_run **out,
                                              struct err *err);
#else
ERR_MUST_CHECK static inline enum err_code bench_paper_find(const char *name, bench_paper_run **out,
                                                            struct err *err)
{
    *out = NULL;
    return ERR_RAISE(err, ERR_ENV, "--paper %s: this build is without papers (-DBURIN_PAPERS=OFF)",
                     name);
}
#endif

/* A strategy with segments of one size. */
struct bench_cuda_host_row {
    const char *strategy;
    uint32_t segment; /* bytes */
    uint64_t segments;
    struct bench_figure rate, copy; /* of it, and of copies that do nothing else */
    const struct match_transfer *transfers;
    uint32_t count; /* of devices */
};
void bench_cuda_host_print(const struct bench_cuda *bench, const struct bench_cuda_host_row *row);

#endif
