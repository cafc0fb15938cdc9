/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/papers/bench_cuda_tran.c - Figures 12 to 25 of Tran, Lee, Hong and Bae, "Performance
 * Optimization of Aho-Corasick Algorithm on a GPU", section VI: 50 KB to 200 MB of text, lists of
 * 100 to 20,000 words, with the search on one core (S), on the GPU with the text read where it
 * stands on the host (P-1), and by way of shared memory in diagonals (P-2). The paper's figures are
 * plots, so what stands here beside the measured ones is what its text says of them. Text and words
 * are made, see bench_match_made.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/bench/gpu/bench_cuda.h"

enum {
    TRAN_KB = 1000,
    TRAN_MB = 1000 * 1000,
    TRAN_LISTS = 6,
    TRAN_SIZES = 6,
    TRAN_ENGINES = 4,
    TRAN_SEARCHES = TRAN_ENGINES + 1, /* the first one is on the CPU */
};

static const uint32_t tran_lists[TRAN_LISTS] = { 100, 1000, 2000, 5000, 10000, 20000 };
static const char *const tran_columns[TRAN_LISTS] = { "100 words", "1,000",  "2,000",
                                                      "5,000",     "10,000", "20,000" };
static const uint64_t tran_sizes[TRAN_SIZES] = { 50 * TRAN_KB, 1 * TRAN_MB,   10 * TRAN_MB,
                                                 50 * TRAN_MB, 100 * TRAN_MB, 200 * TRAN_MB };
static const char *const tran_size_names[TRAN_SIZES] = { "50 KB", "1 MB",   "10 MB",
                                                         "50 MB", "100 MB", "200 MB" };
static const char *const tran_engines[TRAN_ENGINES] = { "ac-zero-copy", "ac-diagonal:zero-copy",
                                                        "ac-diagonal", "ac-diagonal:coalesced" };
static const char *const tran_names[TRAN_SEARCHES] = { "S", "P-1", "P-2", "P-2, text on the device",
                                                       "coalesced alone, on the device" };

/* Seconds of all searches; and those of the naive store. */
struct tran {
    double seconds[TRAN_SEARCHES][TRAN_SIZES][TRAN_LISTS];
    double naive[TRAN_LISTS];
};

static enum err_code tran_words(uint32_t count, struct bench_dictionary *out, struct err *err)
{
    char spec[32];

    snprintf(spec, sizeof spec, "keywords:%u", count);
    return bench_dictionary_open(spec, false, out, err);
}

/* Every search with one list. */
static enum err_code tran_measure_list(const struct bench_cuda *bench, uint32_t list,
                                       struct tran *tran, struct err *err)
{
    struct bench_result want[TRAN_SIZES];
    struct bench_dictionary words;
    struct bench_cuda_engine engine;
    enum err_code rc = tran_words(tran_lists[list], &words, err);

    if (rc != ERR_OK)
        return rc;
    for (uint32_t i = 0; rc == ERR_OK && i < TRAN_SIZES; i++)
        rc = bench_paper_cpu(bench, &words, tran_sizes[i], 1, &want[i], &tran->seconds[0][i][list],
                             err);
    for (uint32_t e = 0; rc == ERR_OK && e < TRAN_ENGINES; e++) {
        bench_cuda_engine_open(&engine, bench, tran_engines[e], &words);
        for (uint32_t i = 0; i < TRAN_SIZES; i++)
            tran->seconds[e + 1][i][list] = bench_paper_seconds(
                bench, &engine, tran_sizes[i], (struct match_launch){ 0, 0 }, &words, &want[i]);
        bench_cuda_engine_close(&engine);
    }
    if (rc == ERR_OK) {
        bench_cuda_engine_open(&engine, bench, "ac-diagonal:naive", &words);
        tran->naive[list] =
            bench_paper_seconds(bench, &engine, tran_sizes[TRAN_SIZES - 1],
                                (struct match_launch){ 0, 0 }, &words, &want[TRAN_SIZES - 1]);
        bench_cuda_engine_close(&engine);
    }
    bench_dictionary_close(&words);
    return rc == ERR_OK ? bench_stopped(err) : rc;
}

/* Figures 12 to 14 are times, 16 to 18 the same as bits a second. */
static void tran_times(const struct bench_cuda *bench, const struct tran *tran)
{
    for (uint32_t s = 0; s < 2 * TRAN_SEARCHES; s++) {
        const bool rates = s >= TRAN_SEARCHES;
        const uint32_t search = s % TRAN_SEARCHES,
                       figure = (rates ? 16 : 12) + (search < 2 ? search : 2);
        char name[64];

        snprintf(name, sizeof name, "Figure %u, %s", figure, tran_names[search]);
        bench_paper_table(bench, name,
                          !rates        ? "milliseconds"
                          : search == 2 ? "Gbit/s (up to 127 in the paper)"
                                        : "Gbit/s",
                          tran_columns, TRAN_LISTS);
        for (uint32_t i = 0; i < TRAN_SIZES; i++) {
            double cells[TRAN_LISTS];

            for (uint32_t k = 0; k < TRAN_LISTS; k++) {
                const double seconds = tran->seconds[search][i][k];

                cells[k] = seconds < 0 ? -1
                           : rates     ? (double)tran_sizes[i] * 8e-9 / seconds
                                       : 1e3 * seconds;
            }
            bench_paper_row(bench, tran_size_names[i], cells, NULL, TRAN_LISTS);
        }
        bench_paper_end(bench);
    }
}

/* Figures 19 to 21. */
static void tran_speedups(const struct bench_cuda *bench, const struct tran *tran)
{
    static const struct {
        const char *name, *cells;
        uint32_t of, over;
    } figures[] = {
        { "Figure 19, P-1 over S", "times as fast (3.3 to 13.2 in the paper)", 1, 0 },
        { "Figure 20, P-2 over S", "times as fast (36.1 to 222 in the paper)", 2, 0 },
        { "Figure 20, P-2 with text on the device over S", "times as fast", 3, 0 },
        { "Figure 21, P-2 over P-1", "times as fast (7.3 to 19.3 in the paper)", 2, 1 },
    };

    for (uint32_t f = 0; f < sizeof figures / sizeof figures[0]; f++) {
        bench_paper_table(bench, figures[f].name, figures[f].cells, tran_columns, TRAN_LISTS);
        for (uint32_t i = 0; i < TRAN_SIZES; i++) {
            double cells[TRAN_LISTS];

            for (uint32_t k = 0; k < TRAN_LISTS; k++) {
                const double of = tran->seconds[figures[f].of][i][k],
                             over = tran->seconds[figures[f].over][i][k];

                cells[k] = of > 0 && over > 0 ? over / of : -1;
            }
            bench_paper_row(bench, tran_size_names[i], cells, NULL, TRAN_LISTS);
        }
        bench_paper_end(bench);
    }
}

static void tran_stores(const struct bench_cuda *bench, const struct tran *tran)
{
    const uint32_t last = TRAN_SIZES - 1;
    double coalesced[TRAN_LISTS], naive[TRAN_LISTS];

    for (uint32_t k = 0; k < TRAN_LISTS; k++) {
        const double diagonal = tran->seconds[3][last][k], other = tran->seconds[4][last][k];

        coalesced[k] = diagonal > 0 && other > 0 ? other / diagonal : -1;
        naive[k] = diagonal > 0 && tran->naive[k] > 0 ? tran->naive[k] / diagonal : -1;
    }
    bench_paper_table(
        bench, "Figure 22",
        "times as fast with the diagonal store, 200 MB on the device (1.5 to 5.3 in the paper)",
        tran_columns, TRAN_LISTS);
    bench_paper_row(bench, "than coalesced alone", coalesced, NULL, TRAN_LISTS);
    bench_paper_row(bench, "than naive", naive, NULL, TRAN_LISTS);
    bench_paper_end(bench);
}

static enum err_code tran_transfer(const struct bench_cuda *bench, struct err *err)
{
    static const enum match_limit limits[] = { MATCH_LIMIT_READ_HOST, MATCH_LIMIT_IN };
    static const char *const names[] = { "zero-copy", "explicit copy" };
    enum err_code rc = ERR_OK;

    bench_paper_table(bench, "Figure 15", "milliseconds to get the text to the device",
                      tran_size_names, TRAN_SIZES);
    for (uint32_t l = 0; rc == ERR_OK && l < 2; l++) {
        double cells[TRAN_SIZES];

        for (uint32_t i = 0; rc == ERR_OK && i < TRAN_SIZES; i++) {
            struct bench_cuda_time time;

            rc = bench_cuda_limit(bench, limits[l], tran_sizes[i], &time, err);
            cells[i] = 1e3 * bench_cuda_seconds(&time).median;
        }
        if (rc == ERR_OK)
            bench_paper_row(bench, names[l], cells, NULL, TRAN_SIZES);
    }
    bench_paper_end(bench);
    return rc;
}

/* Figures 23 and 24 for P-1, 25 for P-2: time against blocks, their threads and the bytes of a
 * thread. */
static enum err_code tran_shapes(const struct bench_cuda *bench, const char *name,
                                 const char *figure, uint32_t words, struct err *err)
{
    static const uint64_t sizes[] = { 20 * TRAN_MB, 50 * TRAN_MB, 100 * TRAN_MB, 200 * TRAN_MB };
    static const char *const columns[] = { "20 MB", "50 MB", "100 MB", "200 MB",
                                           "blocks at 200 MB" };
    enum { SIZES = sizeof sizes / sizeof sizes[0] };
    const struct match_launch *launches = NULL;
    struct bench_cuda_engine engine;
    struct bench_result want[SIZES];
    struct bench_dictionary list;
    uint32_t count = 0;
    double seconds;
    enum err_code rc = tran_words(words, &list, err);

    if (rc != ERR_OK)
        return rc;
    for (uint32_t i = 0; rc == ERR_OK && i < SIZES; i++)
        rc = bench_cuda_expect(bench, &list, sizes[i], 0, &want[i], &seconds, err);
    bench_cuda_engine_open(&engine, bench, name, &list);
    if (engine.program != NULL)
        launches = engine.engine->offload->lab->launches(engine.program, &count);
    bench_paper_table(bench, figure, "milliseconds, by threads of a block and bytes of a thread",
                      columns, SIZES + 1);
    for (uint32_t s = 0; rc == ERR_OK && s < count; s++) {
        const uint64_t block = (uint64_t)launches[s].threads * launches[s].words * 4;
        const uint64_t blocks = (sizes[SIZES - 1] + block - 1) / block;
        double cells[SIZES + 1];
        char row[48];

        for (uint32_t i = 0; i < SIZES; i++)
            cells[i] =
                1e3 * bench_paper_seconds(bench, &engine, sizes[i], launches[s], &list, &want[i]);
        cells[SIZES] = (double)blocks;
        snprintf(row, sizeof row, "%u threads, %u bytes", launches[s].threads,
                 launches[s].words * 4);
        bench_paper_row(bench, row, cells, NULL, SIZES + 1);
    }
    bench_paper_end(bench);
    bench_cuda_engine_close(&engine);
    bench_dictionary_close(&list);
    return rc;
}

enum err_code bench_paper_tran(struct bench_cuda *bench, struct err *err)
{
    struct tran *tran = calloc(1, sizeof *tran);
    struct bench_dictionary words = { 0 };
    const char *data = strcmp(bench->options->data, "disk") == 0 ? "text" : bench->options->data;

    if (tran == NULL)
        return ERR_NO_MEMORY(err, sizeof *tran);
    enum err_code rc = tran_words(tran_lists[0], &words, err);
    if (rc == ERR_OK)
        rc = bench_cuda_data_open(bench, data, tran_sizes[TRAN_SIZES - 1], &words, err);
    if (rc == ERR_OK && bench->data.len < tran_sizes[TRAN_SIZES - 1])
        rc = ERR_RAISE(err, ERR_INPUT, "--data %s: want at least 200 MB", data);
    if (rc == ERR_OK) {
        bench_cuda_head(bench);
        if (bench->json == NULL)
            printf("Tran, Lee, Hong and Bae: %s and made words\n", bench->data.name);
    }
    for (uint32_t i = 0; rc == ERR_OK && i < TRAN_LISTS; i++)
        rc = tran_measure_list(bench, i, tran, err);
    if (rc == ERR_OK) {
        tran_times(bench, tran);
        rc = tran_transfer(bench, err);
    }
    if (rc == ERR_OK) {
        tran_speedups(bench, tran);
        tran_stores(bench, tran);
        rc = tran_shapes(
            bench, "ac-zero-copy",
            "Figure 23, P-1, 20,000 words (in the paper best with 2,048 blocks of 32 threads)",
            20000, err);
    }
    if (rc == ERR_OK)
        rc =
            tran_shapes(bench, "ac-zero-copy", "Figure 24, P-1, 2,000 words (the same)", 2000, err);
    if (rc == ERR_OK)
        rc = tran_shapes(bench, "ac-diagonal",
                         "Figure 25, P-2 on the device, 20,000 words (in the paper best with 64 "
                         "threads of 196 bytes)",
                         20000, err);
    bench_dictionary_close(&words);
    free(tran);
    return rc;
}
