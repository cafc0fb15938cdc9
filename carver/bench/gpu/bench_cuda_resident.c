/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/gpu/bench_cuda_resident.c - engines x dictionaries on a text in device memory, each
 * beside the speed of reading it in the same minute. See bench_cuda.h. What is found is compared
 * with what the engine `ac` finds on the CPU.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "carver/bench/gpu/bench_cuda.h"
#include "carver/cli/args.h"

static void resident_head(const struct bench_cuda *bench, const struct bench_dictionary *d,
                          const struct bench_result *want)
{
    struct json *json = bench->json;
    char sum[17];

    if (json == NULL) {
        printf("\n%s: %u patterns of %u to %u bytes; %s, %" PRIu64
               " bytes in memory of %s: %" PRIu64 " hits\n",
               d->name, d->count, d->shortest, d->longest, bench->data.name, bench->data.len,
               match_resident_device(bench->resident), want->hits);
        printf("%-18s %28s %28s %7s %14s\n", "", "GB/s", "read, GB/s", "/ read", "candidates/MiB");
        return;
    }
    snprintf(sum, sizeof sum, "%016" PRIx64, want->sum);
    json_open_object(json, NULL);
    json_string(json, "table", "resident");
    json_string(json, "dictionary", d->name);
    json_uint(json, "patterns", d->count);
    json_uint(json, "shortest", d->shortest);
    json_uint(json, "longest", d->longest);
    json_string(json, "data", bench->data.name);
    json_uint(json, "bytes", bench->data.len);
    json_uint(json, "hits", want->hits);
    json_string(json, "checksum", sum);
    json_open_array(json, "rows");
}

static void resident_row(const struct bench_cuda *bench, const char *name,
                         const struct bench_cuda_time *time, const struct bench_cuda_time *read)
{
    const double candidates = (double)time->candidates / ((double)time->len / (1 << 20));
    struct json *json = bench->json;

    if (json != NULL) {
        json_open_object(json, NULL);
        json_string(json, "engine", name);
    }
    if (time->missing[0] != '\0') {
        if (json == NULL)
            printf("%-18s %s\n", name, time->missing);
        else
            json_string(json, "missing", time->missing);
    } else {
        const struct bench_figure rate = bench_cuda_rate(time), limit = bench_cuda_rate(read);

        if (json == NULL) {
            printf("%-18s  %8.1f [%7.1f .. %7.1f]  %8.1f [%7.1f .. %7.1f] %6.1f%% %14.1f", name,
                   rate.median, rate.min, rate.max, limit.median, limit.min, limit.max,
                   100 * rate.median / limit.median, candidates);
            if (time->used.threads > 0)
                printf("  (%u threads, %u words each)", time->used.threads, time->used.words);
            printf("\n");
        } else {
            bench_figure_json(json, "gb_per_second", rate);
            bench_figure_json(json, "read_gb_per_second", limit);
            json_double(json, "ratio_read", rate.median / limit.median);
            json_uint(json, "candidates", time->candidates);
            json_uint(json, "launch_threads", time->used.threads);
            json_uint(json, "launch_words", time->used.words);
        }
    }
    if (json != NULL)
        json_close_object(json);
    fflush(stdout);
}

static enum err_code resident_engine(struct bench_cuda *bench, const char *name,
                                     const struct bench_dictionary *dictionary,
                                     const struct bench_result *want, struct err *err)
{
    struct bench_cuda_time time = { .len = bench->data.len }, read;
    struct bench_cuda_engine engine;

    enum err_code rc = bench_stopped(err);
    if (rc == ERR_OK)
        rc = bench_cuda_limit(bench, MATCH_LIMIT_READ, bench->data.len, &read, err);
    if (rc != ERR_OK)
        return rc;
    bench_cuda_engine_open(&engine, bench, name, dictionary);
    if (bench->options->tune)
        bench_cuda_tune(bench, &engine);
    bench_cuda_timing(bench, &engine, &time);
    rc = bench_cuda_check(&engine, &time, dictionary, want, err);
    bench_cuda_engine_close(&engine);
    if (rc == ERR_OK)
        resident_row(bench, name, &time, &read);
    return rc;
}

/* The engines of the list, or all that have a device behind them. */
static enum err_code resident_engines(struct bench_cuda *bench,
                                      const struct bench_dictionary *dictionary,
                                      const struct bench_result *want, struct err *err)
{
    const char *list = bench->options->work.engines;
    enum err_code rc = ERR_OK;
    char name[BENCH_NAME_MAX];

    for (uint32_t i = 0; rc == ERR_OK && list == NULL && i < match_engine_count(); i++)
        if (match_engine_named(match_engine_get(i).name)->offload != NULL)
            rc = resident_engine(bench, match_engine_get(i).name, dictionary, want, err);
    while (rc == ERR_OK && list != NULL && args_word(&list, name, sizeof name))
        rc = resident_engine(bench, name, dictionary, want, err);
    return rc;
}

enum err_code bench_cuda_resident(struct bench_cuda *bench,
                                  const struct bench_dictionary *dictionary, struct err *err)
{
    struct bench_result want;
    double seconds = 0;
    enum err_code rc =
        bench_cuda_expect(bench, dictionary, bench->data.len, 0, &want, &seconds, err);

    if (rc != ERR_OK)
        return rc;
    resident_head(bench, dictionary, &want);
    rc = resident_engines(bench, dictionary, &want, err);
    if (bench->json != NULL) {
        json_close_array(bench->json);
        json_close_object(bench->json);
    }
    return rc;
}
