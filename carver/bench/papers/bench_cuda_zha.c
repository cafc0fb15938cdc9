/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/papers/bench_cuda_zha.c - Tables 1 to 5 of Zha and Sahni, "GPU-to-GPU and
 * Host-to-Host Multipattern String Matching on a GPU", section 5, with their parameters: 33
 * patterns of a file carver's dictionary, the longest of 17 bytes; blocks of 64 threads, 57 words
 * of text for each; 10, 100, 500 and 904 MB of a disk.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "carver/bench/gpu/bench_cuda.h"

enum {
    ZHA_MB = 1 << 20,
    ZHA_PATTERNS = 33,
    ZHA_LONGEST = 17,
    ZHA_THREADS = 64,
    ZHA_WORDS = 57,
    ZHA_SIZES = 3
};

static const uint64_t zha_sizes[ZHA_SIZES] = { 10 * (uint64_t)ZHA_MB, 100 * (uint64_t)ZHA_MB,
                                               904 * (uint64_t)ZHA_MB };
static const char *const zha_columns[ZHA_SIZES] = { "10 MB", "100 MB", "904 MB" };

/* The first 33 patterns that are not too long. */
static enum err_code zha_dictionary(const struct bench_cuda *bench, struct bench_dictionary *out,
                                    struct err *err)
{
    const struct bench_cuda_options *o = bench->options;
    const char *spec = o->work.dictionary_count > 0                     ? o->work.dictionaries[0]
                       : access("/etc/scalpel/scalpel.conf", R_OK) == 0 ? "scalpel"
                                                                        : "burin";
    struct bench_dictionary all;
    enum err_code rc = bench_dictionary_open(spec, o->work.fold_case, &all, err);

    if (rc != ERR_OK)
        return rc;
    *out = (struct bench_dictionary){ 0 };
    rc = match_dictionary_create(&out->patterns, err);
    snprintf(out->name, sizeof out->name, "%.80s, the first %d", all.name, ZHA_PATTERNS);
    for (uint32_t i = 0; rc == ERR_OK && i < all.count && out->count < ZHA_PATTERNS; i++) {
        const struct match_pattern *pattern = match_dictionary_get(all.patterns, i);

        if (pattern->len <= ZHA_LONGEST)
            rc = bench_dictionary_add(out, pattern->bytes, pattern->mask, pattern->len,
                                      pattern->fold_case, err);
    }
    bench_dictionary_close(&all);
    return rc;
}

/* What there is to find at each size that the data has. */
static enum err_code zha_expect(const struct bench_cuda *bench,
                                const struct bench_dictionary *dictionary,
                                struct bench_result want[ZHA_SIZES], struct err *err)
{
    double seconds;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < ZHA_SIZES; i++)
        if (zha_sizes[i] <= bench->data.len)
            rc = bench_cuda_expect(bench, dictionary, zha_sizes[i], 0, &want[i], &seconds, err);
    return rc;
}

/* A row of milliseconds for each engine; times[engines][sizes]. */
static enum err_code zha_engines(const struct bench_cuda *bench,
                                 const struct bench_dictionary *dictionary,
                                 const char *const *names, uint32_t count,
                                 const double (*paper)[ZHA_SIZES], double (*times)[ZHA_SIZES],
                                 struct err *err)
{
    const struct match_launch launch = { ZHA_THREADS, ZHA_WORDS };
    struct bench_result want[ZHA_SIZES] = { 0 };
    enum err_code rc = zha_expect(bench, dictionary, want, err);

    for (uint32_t i = 0; rc == ERR_OK && i < count; i++) {
        struct bench_cuda_engine engine;

        bench_cuda_engine_open(&engine, bench, names[i], dictionary);
        for (uint32_t k = 0; k < ZHA_SIZES; k++)
            times[i][k] = 1e3 * bench_paper_seconds(bench, &engine, zha_sizes[k], launch,
                                                    dictionary, &want[k]);
        bench_cuda_engine_close(&engine);
        bench_paper_row(bench, names[i], times[i], paper[i], ZHA_SIZES);
        rc = bench_stopped(err);
    }
    return rc;
}

static enum err_code zha_ac_steps(const struct bench_cuda *bench,
                                  const struct bench_dictionary *dictionary, struct err *err)
{
    enum { STEPS = 5 };
    static const char *const names[STEPS] = { "ac0", "ac1", "ac2", "ac3", "ac4" };
    static const char *const writing[STEPS] = { "ac0:states", "ac1:states", "ac2:states",
                                                "ac3:states", "ac4:states" };
    static const double paper[STEPS][ZHA_SIZES] = {
        { 23, 227, 2158 }, { 12, 118, 1107 }, { 8, 80, 748 }, { 6, 53, 434 }, { 3, 26, 249 }
    };
    double times[STEPS][ZHA_SIZES], hits[STEPS][ZHA_SIZES];

    bench_paper_table(
        bench, "Table 1",
        "milliseconds, GPU to GPU, a state written for every byte as in the paper (the paper's)",
        zha_columns, ZHA_SIZES);
    enum err_code rc = zha_engines(bench, dictionary, writing, STEPS, paper, times, err);
    bench_paper_end(bench);
    if (rc != ERR_OK)
        return rc;
    bench_paper_table(bench, "Table 1, compacted hits", "milliseconds, GPU to GPU (the paper's)",
                      zha_columns, ZHA_SIZES);
    rc = zha_engines(bench, dictionary, names, STEPS, paper, hits, err);
    bench_paper_end(bench);
    bench_paper_table(bench, "Table 2", "speed relative to AC0 (the paper's)", zha_columns,
                      ZHA_SIZES);
    for (uint32_t i = 0; rc == ERR_OK && i < 2 * STEPS; i++) {
        const double(*of)[ZHA_SIZES] =
            i < STEPS ? (const double(*)[ZHA_SIZES])times : (const double(*)[ZHA_SIZES])hits;
        double cells[ZHA_SIZES], there[ZHA_SIZES];

        for (uint32_t k = 0; k < ZHA_SIZES; k++) {
            cells[k] = of[i % STEPS][k] > 0 && of[0][k] > 0 ? of[0][k] / of[i % STEPS][k] : -1;
            there[k] = paper[0][k] / paper[i % STEPS][k];
        }
        bench_paper_row(bench, i < STEPS ? writing[i] : names[i - STEPS], cells, there, ZHA_SIZES);
    }
    bench_paper_end(bench);
    return rc;
}

static enum err_code zha_boyer_moore(const struct bench_cuda *bench,
                                     const struct bench_dictionary *dictionary, struct err *err)
{
    static const char *const names[] = { "mbm0", "mbm1" };
    static const double paper[][ZHA_SIZES] = { { 25, 252, 2343 }, { 13, 127, 1184 } };
    double times[2][ZHA_SIZES];

    bench_paper_table(bench, "Table 3", "milliseconds, GPU to GPU (the paper's)", zha_columns,
                      ZHA_SIZES);
    const enum err_code rc = zha_engines(bench, dictionary, names, 2, paper, times, err);
    bench_paper_end(bench);
    return rc;
}

/* Multithreaded AC on the host; *four: milliseconds with four threads at 500 and 904 MB, for
 * Table 5. */
static enum err_code zha_threads(const struct bench_cuda *bench,
                                 const struct bench_dictionary *dictionary, double four[2],
                                 struct err *err)
{
    enum { COUNTS = 5, SIZES = 4 };
    static const uint32_t counts[COUNTS] = { 1, 2, 4, 8, 16 };
    static const uint64_t sizes[SIZES] = { 10 * (uint64_t)ZHA_MB, 100 * (uint64_t)ZHA_MB,
                                           500 * (uint64_t)ZHA_MB, 904 * (uint64_t)ZHA_MB };
    static const char *const columns[2 * SIZES] = { "10 MB",  "speedup", "100 MB", "speedup",
                                                    "500 MB", "speedup", "904 MB", "speedup" };
    static const double paper[COUNTS][2 * SIZES] = { { 24, 1, 243, 1, 1238, 1, 2370, 1 },
                                                     { 14, 1.81, 126, 1.94, 617, 2.00, 1206, 1.96 },
                                                     { 11, 2.17, 69, 3.54, 319, 3.88, 605, 3.92 },
                                                     { 9, 2.67, 68, 3.59, 367, 3.37, 677, 3.50 },
                                                     { 11, 2.30, 68, 3.58, 356, 3.47, 621, 3.82 } };
    double first[SIZES] = { 0 };
    enum err_code rc = ERR_OK;

    bench_paper_table(bench, "Table 4",
                      "milliseconds and speedup of ac on the CPU, by threads (the paper's)",
                      columns, 2 * SIZES);
    for (uint32_t i = 0; rc == ERR_OK && i < COUNTS; i++) {
        double cells[2 * SIZES];
        char name[32];

        for (uint32_t k = 0; rc == ERR_OK && k < SIZES; k++) {
            struct bench_result found;
            double seconds = -1e-3;

            if (sizes[k] <= bench->data.len)
                rc = bench_paper_cpu(bench, dictionary, sizes[k], counts[i], &found, &seconds, err);
            first[k] = i == 0 ? seconds : first[k];
            cells[2 * k] = 1e3 * seconds;
            cells[2 * k + 1] = seconds > 0 ? first[k] / seconds : -1;
            if (counts[i] == 4 && k >= 2)
                four[k - 2] = cells[2 * k];
        }
        snprintf(name, sizeof name, "%u threads", counts[i]);
        if (rc == ERR_OK)
            bench_paper_row(bench, name, cells, paper[i], 2 * SIZES);
    }
    bench_paper_end(bench);
    return rc;
}

static enum err_code zha_host_to_host(struct bench_cuda *bench,
                                      const struct bench_dictionary *dictionary,
                                      const double four[2], struct err *err)
{
    static const struct {
        uint32_t segments;
        uint64_t bytes;
        double paper[3];
    } rows[] = { { 100, 904, { 817, 605, 0.74 } }, { 10, 904, { 786, 605, 0.77 } },
                 { 2, 904, { 789, 605, 0.77 } },   { 1, 904, { 770, 605, 0.78 } },
                 { 50, 500, { 413, 319, 0.82 } },  { 10, 500, { 388, 319, 0.82 } },
                 { 5, 500, { 385, 319, 0.83 } },   { 1, 500, { 396, 319, 0.81 } } };
    static const char *const columns[] = { "GPU ms", "four cores ms", "speedup" };
    const struct match_engine *engine = match_engine_named("ac3");
    enum err_code rc = ERR_OK;

    bench_paper_table(bench, "Table 5",
                      "strategy A, host to host with ac3, compacted hits (the paper's)", columns,
                      3);
    for (uint32_t i = 0; rc == ERR_OK && i < sizeof rows / sizeof rows[0]; i++) {
        const uint64_t bytes = rows[i].bytes * ZHA_MB;
        const uint32_t segment = (uint32_t)(bytes / rows[i].segments / 4096 * 4096);
        struct bench_cuda_time time;
        double cells[3] = { -1, four[rows[i].bytes == 904], -1 };
        char name[48];

        if (bytes > bench->data.len)
            continue;
        rc = bench_cuda_transfer(bench, dictionary, engine, rows[i].segments, segment, &time, err);
        if (rc != ERR_OK)
            break;
        cells[0] = 1e3 * bench_cuda_seconds(&time).median;
        cells[2] = cells[1] / cells[0];
        snprintf(name, sizeof name, "%u segments of %.2f MB", rows[i].segments,
                 (double)segment / ZHA_MB);
        bench_paper_row(bench, name, cells, rows[i].paper, 3);
    }
    bench_paper_end(bench);
    return rc;
}

enum err_code bench_paper_zha(struct bench_cuda *bench, struct err *err)
{
    struct bench_dictionary dictionary = { 0 };
    double four[2] = { -1, -1 };
    enum err_code rc = zha_dictionary(bench, &dictionary, err);

    if (rc == ERR_OK)
        rc = bench_cuda_data_open(bench, bench->options->data, zha_sizes[ZHA_SIZES - 1],
                                  &dictionary, err);
    if (rc == ERR_OK) {
        bench_cuda_head(bench);
        if (bench->json == NULL)
            printf("Zha and Sahni: %s, %u to %u bytes; %s\n", dictionary.name, dictionary.shortest,
                   dictionary.longest, bench->data.name);
        rc = zha_ac_steps(bench, &dictionary, err);
    }
    if (rc == ERR_OK)
        rc = zha_boyer_moore(bench, &dictionary, err);
    if (rc == ERR_OK)
        rc = zha_threads(bench, &dictionary, four, err);
    if (rc == ERR_OK)
        rc = zha_host_to_host(bench, &dictionary, four, err);
    bench_dictionary_close(&dictionary);
    return rc;
}
