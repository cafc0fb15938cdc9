/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/sampler.c - see sampler.h.
 *
 * Buffers go round in a ring of batches. A batch is filled by the reader, looked at by one of the
 * threads, told, and filled again:
 *
 *   told <= taken <= lent <= told + batches * SAMPLER_BATCH
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/pool.h"
#include "carver/triage/sampler.h"
#include "io/reader.h"

enum {
    SAMPLER_BATCH = 16,          /* units that a thread takes at a time */
    SAMPLER_DEPTH = LIMIT_SLOTS, /* units that are asked for at a time */
    SAMPLER_RANGES = 16384,      /* that the reader is told of at a time */
    SAMPLER_THREADS = 64,        /* most that look: a disk gives no more units than they can do */
    SAMPLER_NAME = 160,
};

/* What was found in the units of a batch, one behind the other. */
struct sampler_found {
    struct unit_found *items;
    uint32_t count, room;
};

struct sampler_batch {
    struct pool_job job;
    struct unit_looker *looker;
    uint32_t unit;  /* bytes */
    uint8_t *bytes; /* [SAMPLER_BATCH * unit] */
    struct sampler_unit units[SAMPLER_BATCH];
    uint32_t count; /* of units */
    struct sampler_found found;
    enum err_code rc;
    struct err err;
};

struct sampler {
    struct sampler_options options;
    struct io_reader *reader; /* NULL before the first sweep */
    struct pool *pool;
    struct sampler_batch *batches; /* [batch_count] */
    uint32_t batch_count, threads;
    struct io_range *ranges; /* [SAMPLER_RANGES] */
    uint32_t range_count;
    uint64_t lent, taken, told; /* units of the ranges; told: a multiple of SAMPLER_BATCH */
    char backend[SAMPLER_NAME];
};

static void sampler_close_batches(struct sampler *s)
{
    for (uint32_t i = 0; s->batches != NULL && i < s->batch_count; i++) {
        unit_look_close(s->batches[i].looker);
        free(s->batches[i].found.items);
        free(s->batches[i].bytes);
    }
    free(s->batches);
}

static enum err_code sampler_open_batch(struct sampler *s, struct sampler_batch *batch,
                                        struct err *err)
{
    const size_t len = (size_t)SAMPLER_BATCH * s->options.aim->unit;

    batch->unit = s->options.aim->unit;
    batch->bytes = aligned_alloc(IO_BUFFER_ALIGN, len);
    if (batch->bytes == NULL)
        return ERR_NO_MEMORY(err, len);
    return unit_look_open(s->options.aim, &batch->looker, err);
}

enum err_code sampler_open(const struct sampler_options *options, struct sampler **out,
                           struct err *err)
{
    struct sampler *s = calloc(1, sizeof *s);
    enum err_code rc = ERR_OK;

    *out = NULL;
    if (s == NULL)
        return ERR_NO_MEMORY(err, sizeof *s);
    s->options = *options;
    s->threads = options->threads < SAMPLER_THREADS ? options->threads : SAMPLER_THREADS;
    /* Those that threads look at, and those that are being read: they begin within a batch. */
    s->batch_count = s->threads + SAMPLER_DEPTH / SAMPLER_BATCH + 1;
    s->batches = calloc(s->batch_count, sizeof *s->batches);
    s->ranges = calloc(SAMPLER_RANGES, sizeof *s->ranges);
    if (s->batches == NULL || s->ranges == NULL) {
        sampler_close(s);
        return ERR_NO_MEMORY(err, SAMPLER_RANGES * sizeof *s->ranges);
    }
    for (uint32_t i = 0; rc == ERR_OK && i < s->batch_count; i++)
        rc = sampler_open_batch(s, &s->batches[i], err);
    if (rc == ERR_OK)
        rc = pool_open(s->threads, &s->pool, err);
    if (rc == ERR_OK)
        *out = s;
    else
        sampler_close(s);
    return rc;
}

void sampler_close(struct sampler *s)
{
    if (s == NULL)
        return;
    io_reader_close(s->reader); /* before its buffers go */
    pool_close(s->pool);
    sampler_close_batches(s);
    free(s->ranges);
    free(s);
}

const char *sampler_backend(const struct sampler *s)
{
    return s->backend;
}

/* Keeps what was found in a unit: the looker's is for one unit at a time. */
static enum err_code sampler_keep(struct sampler_found *found, const struct unit_seen *seen,
                                  struct err *err)
{
    if (seen->found_count > found->room - found->count) {
        const uint32_t room = found->room * 2 + seen->found_count;
        struct unit_found *items = realloc(found->items, room * sizeof *items);

        if (items == NULL)
            return ERR_NO_MEMORY(err, room * sizeof *items);
        found->items = items;
        found->room = room;
    }
    if (seen->found_count > 0)
        memcpy(found->items + found->count, seen->found, seen->found_count * sizeof *seen->found);
    found->count += seen->found_count;
    return ERR_OK;
}

/* In a thread of the pool. */
static void sampler_work(void *arg)
{
    struct sampler_batch *batch = arg;
    struct known_piece pieces[SAMPLER_BATCH];
    uint32_t count = 0, next = 0;

    batch->found.count = 0;
    for (uint32_t i = 0; i < batch->count; i++)
        if (batch->units[i].seen.what != BLOCK_UNREADABLE)
            pieces[count++] =
                (struct known_piece){ batch->units[i].offset,
                                      batch->bytes + (size_t)i * batch->unit, batch->units[i].len };
    batch->rc = unit_look_blocks(batch->looker, pieces, count, &batch->err);
    for (uint32_t i = 0; i < batch->count && batch->rc == ERR_OK; i++) {
        struct sampler_unit *unit = &batch->units[i];

        if (unit->seen.what == BLOCK_UNREADABLE)
            continue;
        batch->rc = unit_look_rest(batch->looker, &pieces[next++], &unit->seen, &batch->err);
        if (batch->rc == ERR_OK)
            batch->rc = sampler_keep(&batch->found, &unit->seen, &batch->err);
    }
}

static struct sampler_batch *sampler_batch(struct sampler *s, uint64_t unit)
{
    return &s->batches[unit / SAMPLER_BATCH % s->batch_count];
}

/* Hands the batch of the unit before s->taken to the threads. */
static void sampler_submit(struct sampler *s)
{
    struct sampler_batch *batch = sampler_batch(s, s->taken - 1);

    batch->count = (uint32_t)((s->taken - 1) % SAMPLER_BATCH) + 1;
    batch->job.run = sampler_work;
    batch->job.arg = batch;
    pool_submit(s->pool, &batch->job);
}

/* Tells the oldest batch, which was submitted. */
static enum err_code sampler_tell(struct sampler *s, sampler_fn each, void *arg, struct err *err)
{
    struct sampler_batch *batch = sampler_batch(s, s->told);
    uint32_t at = 0;

    pool_wait(s->pool, &batch->job);
    s->told += batch->count;
    if (batch->rc != ERR_OK) {
        *err = batch->err;
        return batch->rc;
    }
    enum err_code rc = ERR_OK;
    for (uint32_t i = 0; i < batch->count && rc == ERR_OK; i++) {
        struct sampler_unit *unit = &batch->units[i];

        unit->seen.found = batch->found.items + at;
        at += unit->seen.found_count;
        rc = each(arg, unit, err);
    }
    return rc;
}

/* Lends every buffer that is free, as many as may be in flight. */
static enum err_code sampler_lend(struct sampler *s, struct err *err)
{
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && s->lent < s->range_count && s->lent - s->taken < SAMPLER_DEPTH) {
        struct sampler_batch *batch = sampler_batch(s, s->lent);
        bool lent = false;

        rc = io_reader_lend(s->reader, batch->bytes + s->lent % SAMPLER_BATCH * (size_t)batch->unit,
                            NULL, &lent, err);
        if (rc == ERR_OK && !lent)
            rc = ERR_RAISE(err, ERR_ENV, "the reader ended before its ranges");
        s->lent += rc == ERR_OK;
    }
    return rc;
}

/* The next unit that was read joins its batch. */
static enum err_code sampler_take(struct sampler *s, struct err *err)
{
    const struct io_bad_range *bad;
    struct io_segment segment;
    uint32_t bad_count = 0;
    const enum err_code rc = io_reader_next(s->reader, &segment, err);

    if (rc != ERR_OK)
        return rc;
    io_reader_bad_ranges(s->reader, &bad, &bad_count);
    struct sampler_batch *batch = sampler_batch(s, s->taken);
    batch->units[s->taken % SAMPLER_BATCH] = (struct sampler_unit){
        .offset = segment.offset,
        .len = segment.len,
        .seen = { .what = bad_count > 0 ? BLOCK_UNREADABLE : BLOCK_ZERO },
    };
    if (++s->taken % SAMPLER_BATCH == 0)
        sampler_submit(s);
    return ERR_OK;
}

static bool sampler_late(const struct sampler *s)
{
    return s->options.deadline_ns != 0 && clock_now(CLOCK_MONOTONIC) >= s->options.deadline_ns;
}

/* Reads the ranges, or as many of them as there is time for. */
static enum err_code sampler_read(struct sampler *s, sampler_fn each, void *arg, bool *whole,
                                  struct err *err)
{
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && *whole && s->taken < s->range_count) {
        const bool stop = s->options.stop != NULL && s->options.stop();

        if (stop)
            rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
        if (rc == ERR_OK)
            rc = sampler_lend(s, err);
        if (rc == ERR_OK)
            rc = sampler_take(s, err);
        if (rc == ERR_OK && (s->taken - s->told) / SAMPLER_BATCH > s->threads)
            rc = sampler_tell(s, each, arg, err);
        *whole = !sampler_late(s) || s->taken == s->range_count;
    }
    if (s->taken % SAMPLER_BATCH != 0)
        sampler_submit(s);
    while (s->told < s->taken) { /* after an error too: threads are at work on them */
        struct err late = { 0 };
        const enum err_code told = rc == ERR_OK ? sampler_tell(s, each, arg, &late) : ERR_OK;

        if (rc != ERR_OK)
            pool_wait(s->pool, &sampler_batch(s, s->told)->job);
        if (rc != ERR_OK)
            s->told += SAMPLER_BATCH;
        if (told != ERR_OK) {
            rc = told;
            *err = late;
        }
    }
    return rc;
}

static enum err_code sampler_ranges(struct sampler *s, struct err *err)
{
    const struct io_reader_options options = { .ranges = s->ranges,
                                               .range_count = s->range_count,
                                               .segment_len = s->options.aim->unit,
                                               .depth = SAMPLER_DEPTH,
                                               .backend = s->options.backend,
                                               .once = true };
    enum err_code rc;

    s->lent = s->taken = s->told = 0;
    if (s->reader != NULL)
        return io_reader_again(s->reader, s->ranges, s->range_count, err);
    rc = io_reader_open(s->options.image, &options, &s->reader, err);
    if (rc == ERR_OK)
        snprintf(s->backend, sizeof s->backend, "%s", io_reader_backend(s->reader));
    return rc;
}

enum err_code sampler_sweep(struct sampler *s, const struct strata *strata, uint32_t sweep,
                            sampler_fn each, void *arg, bool *whole, struct err *err)
{
    const uint64_t unit = s->options.aim->unit, size = s->options.aim->image_size;
    const uint64_t count = strata_count(strata, sweep);
    enum err_code rc = ERR_OK;

    *whole = true;
    s->range_count = 0;
    for (uint64_t i = 0; rc == ERR_OK && *whole && i <= count; i++) {
        const uint64_t at = i < count && strata_is_new(strata, sweep, i)
                                ? strata_unit(strata, sweep, i)
                                : UINT64_MAX;

        if (at < strata->units) {
            const uint64_t offset = at * unit, left = size - offset;

            s->ranges[s->range_count++] = (struct io_range){ offset, left < unit ? left : unit };
        }
        if (s->range_count == 0 || (i < count && s->range_count < SAMPLER_RANGES))
            continue;
        rc = sampler_ranges(s, err);
        if (rc == ERR_OK)
            rc = sampler_read(s, each, arg, whole, err);
        s->range_count = 0;
    }
    return rc;
}
