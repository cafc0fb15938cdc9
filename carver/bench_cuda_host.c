/*
 * carver/bench_cuda_host.c - host to host: segments in pinned memory go to the device, are searched there, and their hits come back.
 * Strategies x segment sizes, beside the speed of a copy that does nothing else, and what the theorems predict beside what it took. See
 * bench_cuda.h.
 *
 * Lanes are filled once and go round and round, for a disk that is as fast as memory is what is left out here.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "carver/bench_cuda.h"
#include "carver/stop.h"

enum {
    HOST_PAGE = 4096,
    HOST_MEMORY = 512 << 20, /* bytes of lanes, at most */
    HOST_LANES = 16,         /* of them, at most */
    HOST_LANES_MAX = 128,    /* for those who say how many */
    HOST_HITS_EVERY = 256,   /* bytes of a segment for which there is room for one hit */
    HOST_HITS_LEAST = 1 << 14,
    HOST_DEVICES = 16,
};

static const char *const host_names[] = { "auto", "a", "b" };

/* One strategy with segments of one size. */
struct host {
    struct bench_cuda *bench;
    const struct bench_dictionary *dictionary;
    const struct match_engine *engine;
    void *program;
    enum match_strategy strategy;
    uint32_t segment, lanes, carry, hits_max;
    uint64_t segments; /* of a run */
    uint8_t *memory[HOST_LANES_MAX];
    size_t memory_size; /* of each */
    struct hit *hits;
    struct bench_result got[HOST_LANES_MAX];
};

static double host_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Bytes of the lane before its segment: those before it in the data, as far as there are any. */
static struct match_text host_text(const struct host *host, uint32_t lane)
{
    const uint64_t offset = (uint64_t)lane * host->segment;
    const uint32_t carry = offset < host->carry ? (uint32_t)offset : host->carry;

    return (struct match_text){ .bytes = host->memory[lane] + HOST_PAGE - carry,
                                .len = carry + host->segment,
                                .offset = offset - carry };
}

/* All hits of a lane, piece by piece where there is no room for all at once. */
static enum err_code host_take(struct host *host, uint32_t lane, struct err *err)
{
    const struct match_text text = host_text(host, lane);
    uint32_t part = host->segment;

    host->got[lane] = (struct bench_result){ 0 };
    for (uint32_t at = text.len - host->segment; at < text.len;) {
        const uint32_t to = text.len - at < part ? text.len : at + part;
        struct match_sink sink = { .items = host->hits, .max = host->hits_max };

        if (!host->engine->offload->take(host->program, lane, &text, at, to, &sink)) {
            if (part == 1)
                return ERR_RAISE(err, ERR_FULL, "%s finds more hits at one place than there are patterns",
                                 host->engine->name);
            part /= 2;
            continue;
        }
        for (uint32_t i = 0; i < sink.count; i++)
            bench_count(&host->got[lane], sink.items[i].offset, sink.items[i].pattern);
        at = to;
    }
    return ERR_OK;
}

static enum err_code host_run(struct host *host, double *seconds, struct err *err)
{
    const struct match_offload *calls = host->engine->offload;
    const double begin = host_now();
    enum err_code rc = ERR_OK;

    for (uint64_t i = 0; rc == ERR_OK && i < host->segments + host->lanes; i++) {
        const uint32_t lane = (uint32_t)(i % host->lanes);

        if (i >= host->lanes && i - host->lanes < host->segments) {
            calls->hurry(host->program, lane);
            rc = host_take(host, lane, err);
        }
        if (rc == ERR_OK && i < host->segments) {
            const struct match_text text = host_text(host, lane);

            calls->start(host->program, lane, &text, text.len - host->segment);
        }
        if (stop_requested())
            return ERR_RAISE(err, ERR_INTERRUPTED, "stopped on request");
    }
    *seconds = host_now() - begin;
    return rc;
}

static enum err_code host_lanes(struct host *host, struct err *err)
{
    enum err_code rc = ERR_OK;

    host->memory_size = HOST_PAGE + (size_t)host->segment;
    host->hits = malloc(host->hits_max * sizeof *host->hits);
    if (host->hits == NULL)
        return ERR_NO_MEMORY(err, host->hits_max * sizeof *host->hits);
    for (uint32_t i = 0; rc == ERR_OK && i < host->lanes; i++) {
        const uint64_t offset = (uint64_t)i * host->segment;

        host->memory[i] = aligned_alloc(HOST_PAGE, host->memory_size);
        if (host->memory[i] == NULL)
            return ERR_NO_MEMORY(err, host->memory_size);
        const struct match_text text = host_text(host, i);
        memcpy(host->memory[i] + HOST_PAGE - (text.len - host->segment),
               host->bench->data.bytes + offset - (text.len - host->segment), text.len);
        rc = host->engine->offload->attach(host->program, i, host->memory[i], host->memory_size, err);
    }
    return rc;
}

static enum err_code host_open(struct host *host, struct err *err)
{
    host->carry = host->dictionary->longest - 1;
    host->hits_max = host->segment / HOST_HITS_EVERY + HOST_HITS_LEAST + host->dictionary->count;
    const struct match_setup setup = { .threads = 1,
                                       .segment_len = host->segment,
                                       .lanes = host->lanes,
                                       .carry = host->carry,
                                       .hits_max = host->hits_max,
                                       .strategy = host->strategy,
                                       .device_mask = host->bench->options->device_mask };
    enum err_code rc = host->engine->compile(host->dictionary->patterns, &setup, &host->program, err);
    return rc == ERR_OK ? host_lanes(host, err) : rc;
}

static void host_close(struct host *host)
{
    host->engine->release(host->program);
    for (uint32_t i = 0; i < HOST_LANES_MAX; i++)
        free(host->memory[i]);
    free(host->hits);
    host->program = NULL;
    host->hits = NULL;
    memset(host->memory, 0, sizeof host->memory);
}

/* What the lanes should find: all of the data that they hold together. */
static enum err_code host_check(const struct host *host, struct err *err)
{
    struct bench_result want, got = { 0 };
    double seconds;
    enum err_code rc = bench_cuda_expect(host->bench, host->dictionary, (uint64_t)host->lanes * host->segment, 0, &want,
                                         &seconds, err);

    for (uint32_t i = 0; i < host->lanes; i++) {
        got.hits += host->got[i].hits;
        got.sum += host->got[i].sum;
    }
    if (rc == ERR_OK && (want.hits != got.hits || want.sum != got.sum))
        rc = ERR_RAISE(err, ERR_FULL, "%s finds %" PRIu64 " hits host to host, ac %" PRIu64 ": one of them is wrong",
                       host->engine->name, got.hits, want.hits);
    return rc;
}

static void host_print(const struct host *host, struct bench_figure rate, struct bench_figure copy,
                       const struct match_transfer *transfers, uint32_t count)
{
    printf("%-10s %8u KiB %9.2f [%6.2f .. %6.2f] %9.2f %6.1f%%", host_names[host->strategy], host->segment >> 10,
           rate.median, rate.min, rate.max, copy.median, 100 * rate.median / copy.median);
    for (uint32_t i = 0; i < count; i++) {
        const struct match_transfer *t = &transfers[i];

        printf("  %u: %2u buffers, %.3f %.3f %.3f ms, predicted %.3f s (A %.3f, B %.3f), took %.3f s (%+.1f%%)",
               t->device, t->buffers, t->write * 1e3, t->process * 1e3, t->read * 1e3, t->predicted, t->predicted_a,
               t->predicted_b, t->took, 100 * (t->took / t->predicted - 1));
    }
    printf("\n");
    fflush(stdout);
}

static void host_json(const struct host *host, struct bench_figure rate, struct bench_figure copy,
                      const struct match_transfer *transfers, uint32_t count)
{
    struct json *json = host->bench->json;

    json_open_object(json, NULL);
    json_string(json, "strategy", host_names[host->strategy]);
    json_uint(json, "segment", host->segment);
    json_uint(json, "segments", host->segments);
    bench_figure_json(json, "gb_per_second", rate);
    bench_figure_json(json, "copy_gb_per_second", copy);
    json_double(json, "ratio_copy", rate.median / copy.median);
    json_open_array(json, "devices");
    for (uint32_t i = 0; i < count; i++) {
        const struct match_transfer *t = &transfers[i];

        json_open_object(json, NULL);
        json_uint(json, "device", t->device);
        json_uint(json, "buffers", t->buffers);
        json_uint(json, "segments", t->segments);
        json_double(json, "write_seconds", t->write);
        json_double(json, "process_seconds", t->process);
        json_double(json, "read_seconds", t->read);
        json_double(json, "predicted_seconds", t->predicted);
        json_double(json, "predicted_a_seconds", t->predicted_a);
        json_double(json, "predicted_b_seconds", t->predicted_b);
        json_double(json, "seconds", t->took);
        json_close_object(json);
    }
    json_close_array(json);
    json_close_object(json);
}

/* Each run has an engine of its own: so its times are of that run alone, and `auto` chooses anew. */
static enum err_code host_runs(struct host *host, double *seconds, struct match_transfer *transfers, uint32_t *count,
                               struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < host->bench->options->runs; i++) {
        rc = host_open(host, err);
        if (rc == ERR_OK)
            rc = host_run(host, &seconds[i], err);
        if (rc == ERR_OK && i == 0)
            rc = host_check(host, err);
        if (rc == ERR_OK)
            *count = host->engine->offload->transfers(host->program, transfers, HOST_DEVICES);
        host_close(host);
    }
    return rc;
}

static enum err_code host_row(struct host *host, struct err *err)
{
    const struct bench_cuda_options *o = host->bench->options;
    const uint64_t fit = host->bench->data.len / host->segment, most = (uint64_t)HOST_MEMORY / host->segment;
    struct match_transfer transfers[HOST_DEVICES] = { 0 };
    struct bench_cuda_time copy;
    double rates[BENCH_RUNS_MAX] = { 0 };
    uint32_t count = 0;

    host->lanes = (uint32_t)(fit < most ? fit : most);
    host->lanes = host->lanes > HOST_LANES ? HOST_LANES : host->lanes;
    if (host->lanes < 2)
        return ERR_RAISE(err, ERR_ARG, "%" PRIu64 " bytes of data are too few for two segments of %u",
                         host->bench->data.len, host->segment);
    host->segments = o->total / host->segment < host->lanes ? host->lanes : o->total / host->segment;
    enum err_code rc = bench_cuda_limit(host->bench, MATCH_LIMIT_IN, host->bench->data.len, &copy, err);
    if (rc == ERR_OK)
        rc = host_runs(host, rates, transfers, &count, err);
    if (rc != ERR_OK)
        return rc;
    for (uint32_t i = 0; i < o->runs; i++)
        rates[i] = (double)host->segments * host->segment / 1e9 / rates[i];
    const struct bench_figure rate = bench_figure(rates, (uint32_t)o->runs);
    if (host->bench->json == NULL)
        host_print(host, rate, bench_cuda_rate(&copy), transfers, count);
    else
        host_json(host, rate, bench_cuda_rate(&copy), transfers, count);
    return ERR_OK;
}

enum err_code bench_cuda_transfer(struct bench_cuda *bench, const struct bench_dictionary *dictionary,
                                  const struct match_engine *engine, uint32_t segments, uint32_t segment,
                                  struct bench_cuda_time *time, struct err *err)
{
    struct host *host = calloc(1, sizeof *host);
    struct match_transfer transfers[HOST_DEVICES] = { 0 };
    uint32_t count = 0;

    if (host == NULL)
        return ERR_NO_MEMORY(err, sizeof *host);
    *host = (struct host){ .bench = bench,
                           .dictionary = dictionary,
                           .engine = engine,
                           .strategy = MATCH_STRATEGY_A,
                           .segment = segment,
                           .segments = segments,
                           .lanes = segments };
    *time = (struct bench_cuda_time){ .len = (uint64_t)segments * segment, .runs = (uint32_t)bench->options->runs };
    const enum err_code rc = segments > HOST_LANES_MAX
                                 ? ERR_RAISE(err, ERR_ARG, "%u segments are more than %d", segments, HOST_LANES_MAX)
                                 : host_runs(host, time->seconds, transfers, &count, err);
    free(host);
    return rc;
}

enum err_code bench_cuda_host(struct bench_cuda *bench, const struct bench_dictionary *dictionary, struct err *err)
{
    const struct bench_cuda_options *o = bench->options;
    struct host *host = calloc(1, sizeof *host);
    enum err_code rc = ERR_OK;

    if (host == NULL)
        return ERR_NO_MEMORY(err, sizeof *host);
    host->bench = bench;
    host->dictionary = dictionary;
    host->engine = match_engine_named(o->host_engine);
    if (bench->json == NULL) {
        printf("\n%s: host to host, engine %s, %.1f GB a run, lanes of pinned memory\n%-10s %12s %27s %9s %7s\n",
               dictionary->name, o->host_engine, (double)o->total / 1e9, "strategy", "segment", "GB/s", "copy",
               "/ copy");
    } else {
        json_open_object(bench->json, NULL);
        json_string(bench->json, "table", "host_to_host");
        json_string(bench->json, "dictionary", dictionary->name);
        json_string(bench->json, "engine", o->host_engine);
        json_open_array(bench->json, "rows");
    }
    for (uint32_t i = 0; rc == ERR_OK && i < o->segment_count; i++)
        for (enum match_strategy s = MATCH_STRATEGY_AUTO; rc == ERR_OK && s <= MATCH_STRATEGY_B; s++) {
            host->segment = o->segments[i];
            host->strategy = s;
            rc = host_row(host, err);
        }
    if (bench->json != NULL) {
        json_close_array(bench->json);
        json_close_object(bench->json);
    }
    free(host);
    return rc;
}
