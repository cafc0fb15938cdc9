/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/bench_reads.c - see bench_reads.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "carver/bench/bench_reads.h"
#include "carver/bench/bench_yard.h"

struct reads_work {
    const struct bench_reads *asked;
    struct bench_yard yard;
    struct bench_row rows[1 + BENCH_YARD_ROWS]; /* burin's comes first */
    uint32_t row_count;
    char self[LIMIT_PATH];
    uint64_t bytes;
};

static enum err_code reads_prepare(void *arg, struct err *err)
{
    const struct bench_reads *asked = ((struct reads_work *)arg)->asked;

    return bench_yard_cache(asked->image, asked->cold, err);
}

static enum err_code reads_rows(struct reads_work *work, struct err *err)
{
    const struct bench_reads *asked = work->asked;
    struct bench_row *own = &work->rows[work->row_count++];
    const ssize_t len = readlink("/proc/self/exe", work->self, sizeof work->self - 1);
    struct stat info;
    uint32_t w = 0;

    if (len < 0)
        return ERR_RAISE(err, ERR_ENV, "/proc/self/exe: %s", strerror(errno));
    if (stat(asked->image, &info) != 0)
        return ERR_RAISE(err, ERR_INPUT, "%s: %s", asked->image, strerror(errno));
    work->bytes = (uint64_t)info.st_size;
    work->self[len] = '\0';
    own->name = "raw read";
    own->words[w++] = work->self;
    own->words[w++] = "bench";
    own->words[w++] = "read";
    for (uint32_t i = 0; i < asked->word_count; i++)
        own->words[w++] = asked->words[i];
    own->words[w] = asked->image;
    bench_yard_add(&work->yard, asked->image, asked->cold, work->rows, &work->row_count);
    return ERR_OK;
}

static void reads_print(const struct reads_work *work)
{
    const struct bench_row *best = bench_yard_best(&work->yard);

    printf("%s: %" PRIu64 " bytes, %s page cache, %" PRIu32 " runs; median [least .. most]\n",
           work->asked->image, work->bytes, work->asked->cold ? "cold" : "warm", work->asked->runs);
    if (best != NULL)
        printf("best read: %s\n", best->name);
    printf("%-12s %28s %8s %24s %8s\n", "", "seconds", "GB/s", "/ best read", "CPU s");
    for (uint32_t i = 0; i < work->row_count; i++) {
        const struct bench_row *row = &work->rows[i];

        if (row->missing || row->runs == 0) {
            printf("%-12s not installed\n", row->name);
            continue;
        }
        const struct bench_figure wall = bench_figure(row->wall, row->runs);

        printf("%-12s %8.3f [%7.3f .. %7.3f] %8.2f", row->name, wall.median, wall.min, wall.max,
               (double)work->bytes / wall.median / 1e9);
        bench_yard_print_ratio(row, best);
        printf(" %8.2f%s\n", bench_figure(row->cpu, row->runs).median,
               row->status == 0 ? "" : "  (exit status not 0)");
    }
}

static void reads_json(const struct reads_work *work, struct json *json)
{
    const struct bench_row *best = bench_yard_best(&work->yard);

    json_string(json, "best_read", best != NULL ? best->name : NULL);
    json_open_array(json, "rows");
    for (uint32_t i = 0; i < work->row_count; i++) {
        const struct bench_row *row = &work->rows[i];

        if (row->missing || row->runs == 0)
            continue;
        json_open_object(json, NULL);
        json_string(json, "name", row->name);
        bench_figure_json(json, "wall_seconds", bench_figure(row->wall, row->runs));
        bench_figure_json(json, "cpu_seconds", bench_figure(row->cpu, row->runs));
        if (best != NULL)
            bench_figure_json(json, "ratio_best_read", bench_yard_ratio(row, best));
        json_int(json, "exit_status", row->status);
        json_close_object(json);
    }
}

enum err_code bench_reads(const struct bench_reads *reads, struct json *json, struct err *err)
{
    struct reads_work *work = calloc(1, sizeof *work);

    if (work == NULL)
        return ERR_NO_MEMORY(err, sizeof *work);
    work->asked = reads;
    enum err_code rc = reads_rows(work, err);
    if (rc == ERR_OK && reads->json) {
        json_init(json, stdout, 1);
        json_open_object(json, NULL);
        json_string(json, "image", reads->image);
        json_uint(json, "bytes", work->bytes);
        json_string(json, "cache", reads->cold ? "cold" : "warm");
        json_uint(json, "runs", reads->runs);
    }
    if (rc == ERR_OK)
        rc = bench_rounds(work->rows, work->row_count, reads->runs, reads_prepare, work, err);
    if (rc == ERR_OK && reads->json)
        reads_json(work, json);
    else if (rc == ERR_OK)
        reads_print(work);
    free(work);
    return rc;
}
