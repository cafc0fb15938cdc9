/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/pipeline.c - a scan, whole: image bytes in, rows of the case file out. Start reading
 * the program here.
 *
 *              ┌─► part_scan: reader ──► matcher ──► planner ─┐
 *   image ─cut─┼─► part_scan                                  ├─► in order ─► stitch ─► record
 *              └─► part_scan                                  ┘
 *
 * The image is cut into parts. Each thread scans parts by itself, and knows nothing of the others.
 * The thread that runs the pipeline takes the parts in the order of the image, sees that what was
 * decided in them holds behind what lies before them, and records it. So the rows are the same
 * however the image was cut.
 *
 * This file owns the order of events and nothing else.
 */
#include "carver/scan/pipeline.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/cli/interrupt.h"
#include "carver/scan/parts.h"
#include "carver/scan/pipeline_matcher.h"
#include "carver/scan/pipeline_slots.h"
#include "carver/scan/stitch.h"
#include "match/matcher.h"

enum {
    PIPELINE_TICK_MS = 100, /* between two looks at whether to stop */
};

struct pipeline {
    const struct scan_job *job;    /* the caller's, and then own */
    struct scan_job own;           /* with what is looked at of the image */
    struct pipeline_matcher early; /* until pipeline_run takes the matcher */
    uint32_t slot_count;

    /* While pipeline_run runs. */
    const struct pipeline_image *on;
    struct pipeline_totals *totals;
    struct match_matcher *matchers[LIMIT_THREADS];
    uint32_t matcher_count;
    struct match_hasher *hashers[LIMIT_THREADS]; /* devices that hash blocks */
    uint32_t hasher_count;                       /* 0: the processor does */
    struct stitch *stitch;
    struct parts *parts;
    struct image_hash *hash; /* NULL: nobody asks for it */
    struct pack state;       /* of hash and stitch, for a commit */
};

/* Without hits_only, hits become objects, which validators read. */
static bool pipeline_checks(const struct pipeline *p)
{
    return !p->job->plan.hits_only;
}

/* Sets of blocks that are looked for, or NULL. */
static const struct known_scan *pipeline_known(const struct pipeline *p)
{
    return p->on->known != NULL && known_scan_wants(p->on->known, true) ? p->on->known : NULL;
}

static void pipeline_warning(struct pipeline *p)
{
    char line[PIPELINE_WHY_MAX];

    for (uint32_t i = 0; i < p->matcher_count; i++)
        while (p->on->warning != NULL && match_warning(p->matchers[i], line, sizeof line))
            p->on->warning(p->on->arg, line);
}

/* The parts so far are committed, with what is needed to go on behind them. */
static enum err_code pipeline_commit(struct pipeline *p, struct err *err)
{
    enum err_code rc = ERR_OK;

    pack_clear(&p->state);
    if (p->job->resumable && p->hash != NULL)
        image_hash_save(p->hash, record_position(p->on->record), &p->state);
    if (p->job->resumable)
        stitch_save(p->stitch, &p->state);
    rc = record_commit(p->on->record, p->job->resumable ? &p->state : NULL, err);
    if (rc == ERR_OK)
        p->totals->position = record_position(p->on->record);
    return rc;
}

/* Records the next part, if it is there. */
static enum err_code pipeline_part(struct pipeline *p, struct err *err)
{
    struct part *part = NULL;
    enum err_code rc = parts_next(p->parts, PIPELINE_TICK_MS, &part, err);

    if (part == NULL)
        return rc;
    rc = stitch_add(p->stitch, part, err);
    p->totals->torn = rc != ERR_OK;
    if (rc == ERR_OK)
        p->totals->bytes += part->place.to - part->place.from;
    if (rc == ERR_OK && p->on->spots != NULL)
        rc = io_leftover_spots_add(p->on->spots, part->place.from, part->marks, part->mark_count,
                                   err);
    parts_give_back(p->parts, part);
    return rc == ERR_OK && record_due(p->on->record) ? pipeline_commit(p, err) : rc;
}

static uint64_t pipeline_bytes(const struct pipeline *p)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < p->on->range_count; i++)
        bytes += p->on->ranges[i].len;
    return bytes;
}

static enum err_code pipeline_loop(struct pipeline *p, struct err *err)
{
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && !parts_done(p->parts)) {
        rc = pipeline_part(p, err);
        pipeline_warning(p);
        if (rc == ERR_OK && p->on->tick(p->on->arg, parts_bytes(p->parts), p->on->record))
            parts_stop(p->parts);
    }
    if (rc == ERR_INTERRUPTED || (rc == ERR_OK && p->totals->bytes < pipeline_bytes(p)))
        rc = ERR_RAISE(err, ERR_INTERRUPTED,
                       "stopped on request; what was found so far is in the case file%s",
                       p->job->resumable ? ", and --resume goes on from there" : "");
    return rc;
}

/* The device that hashed is gone: that is for the log. */
static enum err_code pipeline_note_lost(struct pipeline *p, struct err *err)
{
    const char *lost = parts_lost(p->parts);
    char text[ERR_TEXT_MAX + 64];

    if (lost[0] == '\0')
        return ERR_OK;
    snprintf(text, sizeof text, "the CPU hashed blocks, because the device failed: %s", lost);
    return record_note(p->on->record, text, err);
}

/* The number of threads that scan. An engine that has threads of its own needs one. */
static uint32_t pipeline_crew(const struct pipeline *p)
{
    const struct scan_how *how = p->job->how;
    const uint32_t threads = pipeline_threads(how->threads, how->segment_len);
    struct match_engine_info engine;

    return how->engine != NULL && match_engine_look(how->engine, &engine) && engine.threads_itself
               ? 1
               : threads;
}

/* A matcher for each thread: one that was compiled, and others that share it. */
static enum err_code pipeline_open_matchers(struct pipeline *p, struct err *err)
{
    const uint32_t crew = pipeline_crew(p);
    enum err_code rc = pipeline_matcher_take(&p->early, pipeline_bytes(p), &p->matchers[0], err);

    p->matcher_count = rc == ERR_OK;
    while (rc == ERR_OK && p->matcher_count < crew) {
        rc = match_share(p->matchers[0], p->slot_count, &p->matchers[p->matcher_count], err);
        p->matcher_count += rc == ERR_OK;
    }
    return rc;
}

/* A device that hashes blocks for each thread. */
static enum err_code pipeline_open_hashers(struct pipeline *p, struct err *err)
{
    const struct scan_how *how = p->job->how;
    const uint32_t first = how->device_mask != 0 ? (uint32_t)__builtin_ctz(how->device_mask) : 0;
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && how->devices != NULL && p->hasher_count < p->matcher_count) {
        rc = known_blocks_open_device(pipeline_known(p), NULL, first, p->slot_count,
                                      how->segment_len, &p->hashers[p->hasher_count], err);
        p->hasher_count += rc == ERR_OK;
    }
    return rc;
}

static enum err_code pipeline_open_parts(struct pipeline *p, struct err *err)
{
    const struct io_range *last = &p->on->ranges[p->on->range_count - 1];
    const uint64_t from = record_position(p->on->record);
    const struct parts_options options = {
        .whole = p->on->whole,
        .ranges = p->on->ranges,
        .range_count = p->on->range_count,
        .part_len = p->job->how->part_len,
        .seed = p->job->how->part_seed,
        .scanner = { .job = p->job,
                     .image = p->on->image,
                     .known = pipeline_known(p),
                     .sieve = p->on->spots != NULL,
                     .hash = p->hash },
        .matchers = p->matchers,
        .hashers = p->hasher_count > 0 ? p->hashers : NULL,
        .matcher_count = p->matcher_count,
        .lookback = stitch_lookback(p->stitch),
        .from = from,
        .at_once = p->job->how->parts_at_once,
        .storage = io_storage_of_image("/sys", p->on->image),
        .cached = io_storage_is_cached(p->on->image, from, last->offset + last->len - from)
    };

    return parts_open(&options, &p->parts, err);
}

/* Goes on where a scan was stopped, or begins. */
static enum err_code pipeline_restore(struct pipeline *p, struct err *err)
{
    const struct pipeline_from *from = p->on->from;
    enum err_code rc = ERR_OK;

    if (from != NULL) {
        struct unpack in = { .at = from->state, .end = from->state + from->len };

        if (p->hash != NULL)
            rc = image_hash_restore(p->hash, record_position(p->on->record), p->on->image,
                                    from->bad, from->bad_count, &in, err);
        if (rc == ERR_OK)
            rc = stitch_restore(p->stitch, from->parts, from->part_count, &in, err);
    }
    p->totals->position = record_position(p->on->record);
    for (uint32_t i = 0; i < p->on->range_count; i++) {
        const struct io_range *range = &p->on->ranges[i];
        const uint64_t at = p->totals->position;
        const uint64_t done = at > range->offset ? at - range->offset : 0;

        p->totals->bytes += done < range->len ? done : range->len;
    }
    return rc;
}

static enum err_code pipeline_open(struct pipeline *p, struct err *err)
{
    const struct stitch_options stitch = { .plan = &p->job->plan,
                                           .whole = p->on->whole,
                                           .ranges = p->on->ranges,
                                           .range_count = p->on->range_count,
                                           .image = p->on->image,
                                           .record = p->on->record,
                                           .known = pipeline_known(p),
                                           .known_totals = &p->totals->known,
                                           .trusts = p->job->trusts };
    enum err_code rc = pipeline_open_matchers(p, err);

    if (rc == ERR_OK && pipeline_known(p) != NULL)
        rc = pipeline_open_hashers(p, err);
    if (rc == ERR_OK)
        rc = stitch_open(&stitch, &p->stitch, err);
    if (rc == ERR_OK && p->on->hash_kinds != 0)
        rc = image_hash_open(p->on->hash_kinds, &p->hash, err);
    if (rc == ERR_OK)
        rc = pipeline_restore(p, err);
    return rc == ERR_OK ? pipeline_open_parts(p, err) : rc;
}

enum err_code pipeline_begin(const struct scan_job *job, struct pipeline **out, struct err *err)
{
    const struct scan_how *how = job->how;
    struct pipeline *p = calloc(1, sizeof *p);

    *out = p;
    if (p == NULL)
        return ERR_NO_MEMORY(err, sizeof *p);
    p->job = job;
    p->slot_count = pipeline_slots(how->threads, how->segment_len, pipeline_checks(p));
    const struct match_options match = {
        .engine = how->engine,
        .threads = how->threads,
        .slots = p->slot_count,
        .segment_len = how->segment_len,
        .strategy = how->strategy,
        .device_mask = how->device_mask,
        .devices_later = how->device_auto || how->device_delay > 0,
        .devices_auto = how->device_auto,
        .device_delay = how->device_delay,
        .stop = interrupt_requested,
    };
    pipeline_matcher_begin(&p->early, job->plan.patterns->dictionary, &match);
    return ERR_OK;
}

/* What is counted in other places, for the caller. */
static void pipeline_count(struct pipeline *p)
{
    struct pipeline_totals *totals = p->totals;

    if (p->matcher_count > 0) {
        snprintf(totals->engine, sizeof totals->engine, "%s", match_engine(p->matchers[0]));
        match_engine_why(p->matchers[0], totals->engine_why, sizeof totals->engine_why);
    }
    if (p->parts != NULL) {
        snprintf(totals->reader, sizeof totals->reader, "%s", parts_backend(p->parts));
        snprintf(totals->reader_why, sizeof totals->reader_why, "%s", parts_pace(p->parts));
    }
    totals->recorded = *record_totals(p->on->record);
    if (p->stitch != NULL) {
        const struct stitch_totals stitch = stitch_totals(p->stitch);

        totals->plan = stitch.plan;
        totals->parts = stitch.parts;
        totals->again_one = stitch.again_one;
        totals->again_all = stitch.again_all;
        totals->reread = stitch.reread;
    }
}

static void pipeline_close(struct pipeline *p)
{
    parts_close(p->parts);
    p->parts = NULL;
    image_hash_close(p->hash);
    p->hash = NULL;
    stitch_close(p->stitch);
    p->stitch = NULL;
    pack_release(&p->state);
    while (p->hasher_count > 0)
        match_hasher_close(p->hashers[--p->hasher_count]);
    while (p->matcher_count > 0) /* the first one, which the others share, comes last */
        match_close(p->matchers[--p->matcher_count]);
}

enum err_code pipeline_run(struct pipeline *p, const struct pipeline_image *image,
                           struct pipeline_totals *totals, struct err *err)
{
    assert(p->on == NULL);
    *totals = (struct pipeline_totals){ 0 };
    p->on = image;
    p->totals = totals;
    p->own = *p->job;
    p->own.plan.runs = image->runs;
    p->job = &p->own;
    enum err_code rc = pipeline_open(p, err);
    if (rc == ERR_OK)
        rc = pipeline_loop(p, err);
    if (rc == ERR_OK)
        rc = pipeline_note_lost(p, err);
    if (p->parts != NULL && !totals->torn) { /* what came before an error counts too */
        const enum err_code late = pipeline_commit(p, rc == ERR_OK ? err : NULL);

        rc = rc == ERR_OK ? late : rc;
    }
    if (rc == ERR_OK && p->hash != NULL &&
        !image_hash_finish(p->hash, io_image_size(image->image), &totals->hash))
        rc = ERR_RAISE(err, ERR_INTERRUPTED,
                       "stopped on request before all was hashed; --resume goes on from there");
    pipeline_count(p);
    if (rc != ERR_OK) /* else threads have only to take down what they read with */
        pipeline_close(p);
    return rc;
}

void pipeline_end(struct pipeline *p)
{
    if (p == NULL)
        return;
    pipeline_close(p);
    pipeline_matcher_end(&p->early);
    free(p);
}
