/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/gpu/bench_cuda_host.c - host to host: segments in pinned memory go to the device,
 * are searched there, and their hits come back. Strategies x segment sizes, beside the speed of a
 * copy that does nothing else, and what the theorems predict beside what it took. See bench_cuda.h.
 *
 * Slots are filled once and go round and round, for a disk that is as fast as memory is what is
 * left out here. As in a scan, one thread hands segments out, and others wait for their hits, sort
 * and take them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "carver/bench/gpu/bench_cuda.h"
#include "carver/cli/cpus.h"

enum {
    HOST_PAGE = 4096,
    HOST_MEMORY = 512 << 20, /* bytes of slots, at most */
    HOST_SLOTS = 16,         /* of them, at most */
    HOST_SLOTS_MAX = 128,    /* for those who say how many */
    HOST_HITS_EVERY = 256,   /* bytes of a segment for which there is room for one hit */
    HOST_HITS_LEAST = 1 << 14,
    HOST_DEVICES = 16,
};

static const char *const host_names[] = { "auto", "a", "b" };

struct host;

struct host_slot {
    const struct host *host;
    uint32_t index;
    uint8_t *memory;
    struct hit *hits;
    struct pool_job job; /* takes its hits */
    struct bench_result got;
    enum err_code status;
    struct err err;
};

/* One strategy with segments of one size. */
struct host {
    struct bench_cuda *bench;
    const struct bench_dictionary *dictionary;
    const struct match_engine *engine;
    void *program;
    enum match_strategy strategy;
    uint32_t segment, slots, carry, hits_max;
    uint64_t segments;  /* of a run */
    size_t memory_size; /* of a slot */
    struct pool *pool;
    struct host_slot slot[HOST_SLOTS_MAX];
};

/* Bytes of the slot before its segment: those before it in the data, as far as there are any. */
static struct match_text host_text(const struct host *host, uint32_t slot)
{
    const uint64_t offset = (uint64_t)slot * host->segment;
    const uint32_t carry = offset < host->carry ? (uint32_t)offset : host->carry;

    return (struct match_text){ .bytes = host->slot[slot].memory + HOST_PAGE - carry,
                                .len = carry + host->segment,
                                .offset = offset - carry };
}

/* All hits of a slot, piece by piece where there is no room for all at once. arg is the slot; a job
 * of the pool. */
static void host_take(void *arg)
{
    struct host_slot *slot = arg;
    const struct host *host = slot->host;
    const struct match_text text = host_text(host, slot->index);
    uint32_t part = host->segment;

    slot->got = (struct bench_result){ 0 };
    slot->status = ERR_OK;
    for (uint32_t at = text.len - host->segment; at < text.len;) {
        const uint32_t to = text.len - at < part ? text.len : at + part;
        struct match_sink sink = { .items = slot->hits, .max = host->hits_max };

        if (!host->engine->offload->take(host->program, slot->index, &text, at, to, &sink)) {
            if (part == 1) {
                slot->status = ERR_RAISE(&slot->err, ERR_FULL,
                                         "%s finds more hits at one place than there are patterns",
                                         host->engine->name);
                return;
            }
            part /= 2;
            continue;
        }
        for (uint32_t i = 0; i < sink.count; i++)
            bench_count(&slot->got, sink.items[i].offset, sink.items[i].pattern);
        at = to;
    }
}

/* Waits until the slot's hits are taken. */
static enum err_code host_wait(struct host *host, uint32_t index, struct err *err)
{
    struct host_slot *slot = &host->slot[index];

    host->engine->offload->hurry(host->program, index);
    pool_wait(host->pool, &slot->job);
    if (slot->status != ERR_OK && err != NULL)
        *err = slot->err;
    return slot->status;
}

static void host_start(struct host *host, uint32_t index)
{
    const struct match_text text = host_text(host, index);

    host->engine->offload->start(host->program, index, &text, text.len - host->segment);
    pool_submit(host->pool, &host->slot[index].job);
}

static enum err_code host_run(struct host *host, double *seconds, struct err *err)
{
    const double begin = bench_now();
    enum err_code rc = ERR_OK;

    for (uint64_t i = 0; rc == ERR_OK && i < host->segments + host->slots; i++) {
        const uint32_t slot = (uint32_t)(i % host->slots);

        if (i >= host->slots && i - host->slots < host->segments)
            rc = host_wait(host, slot, err);
        if (rc == ERR_OK)
            rc = bench_stopped(err);
        if (rc == ERR_OK && i < host->segments)
            host_start(host, slot);
    }
    *seconds = bench_now() - begin;
    for (uint32_t i = 0; rc != ERR_OK && i < host->slots;
         i++) { /* what is under way must come to its end */
        const enum err_code late = host_wait(host, i, NULL);

        (void)late;
    }
    return rc;
}

static enum err_code host_slots(struct host *host, struct err *err)
{
    enum err_code rc = ERR_OK;

    host->memory_size = HOST_PAGE + (size_t)host->segment;
    for (uint32_t i = 0; rc == ERR_OK && i < host->slots; i++) {
        const uint64_t offset = (uint64_t)i * host->segment;
        struct host_slot *slot = &host->slot[i];

        *slot = (struct host_slot){ .host = host,
                                    .index = i,
                                    .job = { .run = host_take, .arg = slot } };
        slot->hits = malloc(host->hits_max * sizeof *slot->hits);
        slot->memory = aligned_alloc(HOST_PAGE, host->memory_size);
        if (slot->hits == NULL || slot->memory == NULL)
            return ERR_NO_MEMORY(err, host->memory_size);
        const struct match_text text = host_text(host, i);
        memcpy(slot->memory + HOST_PAGE - (text.len - host->segment),
               host->bench->data.bytes + offset - (text.len - host->segment), text.len);
        rc = host->engine->offload->attach(host->program, i, slot->memory, host->memory_size, err);
    }
    return rc;
}

static enum err_code host_open(struct host *host, struct err *err)
{
    host->carry = host->dictionary->longest - 1;
    host->hits_max = host->segment / HOST_HITS_EVERY + HOST_HITS_LEAST + host->dictionary->count;
    const struct match_setup setup = { .threads = 1,
                                       .segment_len = host->segment,
                                       .slots = host->slots,
                                       .carry = host->carry,
                                       .hits_max = host->hits_max,
                                       .strategy = host->strategy,
                                       .device_mask = host->bench->options->device_mask };
    enum err_code rc =
        match_compile(host->engine, host->dictionary->patterns, &setup, &host->program, err);
    if (rc == ERR_OK)
        rc = host_slots(host, err);
    return rc == ERR_OK ? pool_open(cpus_count() < host->slots ? cpus_count() : host->slots,
                                    &host->pool, err)
                        : rc;
}

static void host_close(struct host *host)
{
    pool_close(host->pool);
    host->engine->release(host->program);
    for (uint32_t i = 0; i < HOST_SLOTS_MAX; i++) {
        free(host->slot[i].memory);
        free(host->slot[i].hits);
        host->slot[i].memory = NULL;
        host->slot[i].hits = NULL;
    }
    host->program = NULL;
    host->pool = NULL;
}

/* What the slots should find: all of the data that they hold together. */
static enum err_code host_check(const struct host *host, struct err *err)
{
    struct bench_result want, got = { 0 };
    double seconds;
    enum err_code rc =
        bench_cuda_expect(host->bench, host->dictionary, (uint64_t)host->slots * host->segment, 0,
                          &want, &seconds, err);

    for (uint32_t i = 0; i < host->slots; i++) {
        got.hits += host->slot[i].got.hits;
        got.sum += host->slot[i].got.sum;
    }
    if (rc == ERR_OK && (want.hits != got.hits || want.sum != got.sum))
        rc = ERR_RAISE(err, ERR_FULL,
                       "%s finds %" PRIu64 " hits host to host, ac %" PRIu64
                       ": one of them is wrong",
                       host->engine->name, got.hits, want.hits);
    return rc;
}

/* Each run has an engine of its own: so its times are of that run alone, and `auto` chooses anew.
 */
static enum err_code host_runs(struct host *host, double *seconds, struct match_transfer *transfers,
                               uint32_t *count, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < host->bench->options->work.runs; i++) {
        rc = host_open(host, err);
        if (rc == ERR_OK)
            rc = host_run(host, &seconds[i], err);
        if (rc == ERR_OK && i == 0)
            rc = host_check(host, err);
        if (rc == ERR_OK)
            *count = host->engine->offload->lab->transfers(host->program, transfers, HOST_DEVICES);
        host_close(host);
    }
    return rc;
}

static enum err_code host_row(struct host *host, struct err *err)
{
    const struct bench_cuda_options *o = host->bench->options;
    const uint64_t fit = host->bench->data.len / host->segment,
                   most = (uint64_t)HOST_MEMORY / host->segment;
    struct match_transfer transfers[HOST_DEVICES] = { 0 };
    struct bench_cuda_time copy;
    double rates[BENCH_RUNS_MAX] = { 0 };
    uint32_t count = 0;

    host->slots = (uint32_t)(fit < most ? fit : most);
    host->slots = host->slots > HOST_SLOTS ? HOST_SLOTS : host->slots;
    if (host->slots < 2)
        return ERR_RAISE(err, host->bench->data.made ? ERR_ARG : ERR_INPUT,
                         "%" PRIu64 " bytes of data are too few for two segments of %u",
                         host->bench->data.len, host->segment);
    host->segments =
        o->total / host->segment < host->slots ? host->slots : o->total / host->segment;
    enum err_code rc =
        bench_cuda_limit(host->bench, MATCH_LIMIT_IN, host->bench->data.len, &copy, err);
    if (rc == ERR_OK)
        rc = host_runs(host, rates, transfers, &count, err);
    if (rc != ERR_OK)
        return rc;
    for (uint32_t i = 0; i < o->work.runs; i++)
        rates[i] = (double)host->segments * host->segment / 1e9 / rates[i];
    const struct bench_cuda_host_row row = {
        .strategy = host_names[host->strategy],
        .segment = host->segment,
        .segments = host->segments,
        .rate = bench_figure(rates, (uint32_t)o->work.runs),
        .copy = bench_cuda_rate(&copy),
        .transfers = transfers,
        .count = count,
    };
    bench_cuda_host_print(host->bench, &row);
    return ERR_OK;
}

enum err_code bench_cuda_transfer(struct bench_cuda *bench,
                                  const struct bench_dictionary *dictionary,
                                  const struct match_engine *engine, uint32_t segments,
                                  uint32_t segment, struct bench_cuda_time *time, struct err *err)
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
                           .slots = segments };
    *time = (struct bench_cuda_time){ .len = (uint64_t)segments * segment,
                                      .runs = (uint32_t)bench->options->work.runs };
    const enum err_code rc =
        segments > HOST_SLOTS_MAX
            ? ERR_RAISE(err, ERR_ARG, "%u segments are more than %d", segments, HOST_SLOTS_MAX)
            : host_runs(host, time->seconds, transfers, &count, err);
    free(host);
    return rc;
}

enum err_code bench_cuda_host(struct bench_cuda *bench, const struct bench_dictionary *dictionary,
                              struct err *err)
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
        printf("\n%s: host to host, engine %s, %.1f GB a run, slots of pinned memory\n%-10s %12s "
               "%27s %9s %7s\n",
               dictionary->name, o->host_engine, (double)o->total / 1e9, "strategy", "segment",
               "GB/s", "copy", "/ copy");
    } else {
        json_open_object(bench->json, NULL);
        json_string(bench->json, "table", "host_to_host");
        json_string(bench->json, "dictionary", dictionary->name);
        json_string(bench->json, "engine", o->host_engine);
        json_open_array(bench->json, "rows");
    }
    for (uint32_t i = 0; rc == ERR_OK && i < o->segment_count; i++)
        for (enum match_strategy s = MATCH_STRATEGY_AUTO; rc == ERR_OK && s <= MATCH_STRATEGY_B;
             s++) {
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
