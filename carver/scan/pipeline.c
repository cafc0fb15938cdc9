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

#include "base/thread.h"
#include "carver/cli/interrupt.h"
#include "carver/scan/keep.h"
#include "carver/scan/scan_crew.h"
#include "carver/scan/shards.h"
#include "carver/scan/since.h"
#include "carver/scan/stitch.h"
#include "carver/text/text_saved.h"
#include "match/matcher.h"

enum {
    PIPELINE_TICK_MS = 100, /* between two looks at whether to stop */
};

struct pipeline {
    const struct scan_job *job; /* the caller's, and then own */
    struct scan_job own;        /* with what is looked at of the image */
    struct scan_crew crew;      /* zeroed where the parts come from elsewhere */

    /* While pipeline_run runs. */
    const struct pipeline_image *on;
    struct pipeline_totals *totals;
    struct stitch *stitch;
    struct since *since;     /* that was begun; or NULL */
    bool open;               /* parts can be taken */
    struct image_hash *hash; /* NULL: nobody asks for it */
    struct pack state;       /* of hash and stitch, for a commit */
    struct pack texts;       /* where text may begin in what was not committed; empty: nowhere */
    uint64_t texts_at;       /* image offset at which the first of it begins */
    struct thread closing;   /* of the crew, behind a run */
};

/* Sets of blocks that are looked for, or NULL. */
static const struct known_scan *pipeline_known(const struct pipeline *p)
{
    return p->on->known != NULL && known_scan_wants(p->on->known, true) ? p->on->known : NULL;
}

/* What the tree hash has made that the state counts on. */
static enum err_code pipeline_leaves(struct pipeline *p, struct err *err)
{
    uint64_t first = 0, count = 0;
    uint8_t *leaves = NULL;
    const enum err_code rc = image_hash_leaves(p->hash, &leaves, &first, &count, err);

    return rc == ERR_OK && count > 0 ? record_leaves(p->on->record, leaves, first, count, err) : rc;
}

/* Where plain text may begin in a part. */
static enum err_code pipeline_texts(struct pipeline *p, const struct part *part, struct err *err)
{
    bool added = false;
    enum err_code rc = ERR_OK;

    if (p->on->texts != NULL)
        rc = text_spots_add(p->on->texts, &part->texts, &added, err);
    if (rc != ERR_OK || !added || !p->job->resumable)
        return rc;
    if (p->texts.len == 0)
        p->texts_at = part->place.from;
    text_spots_save(&part->texts, &p->texts);
    return ERR_OK;
}

/* The parts so far are committed, with what is needed to go on behind them. */
static enum err_code pipeline_commit(struct pipeline *p, struct err *err)
{
    enum err_code rc = ERR_OK;

    pack_clear(&p->state);
    if (p->job->resumable && p->hash != NULL) {
        image_hash_save(p->hash, record_position(p->on->record), &p->state);
        rc = pipeline_leaves(p, err);
    }
    if (rc == ERR_OK && p->texts.len > 0)
        rc = record_text_spots(p->on->record, p->texts_at, &p->texts, err);
    pack_clear(&p->texts);
    if (p->job->resumable)
        stitch_save(p->stitch, &p->state);
    if (rc == ERR_OK)
        rc = record_commit(p->on->record, p->job->resumable ? &p->state : NULL, err);
    if (rc == ERR_OK)
        p->totals->position = record_position(p->on->record);
    return rc;
}

/* The next part; *ours: it is to be given back. NULL: it is not there yet. */
static enum err_code pipeline_next(struct pipeline *p, struct part **part, bool *ours,
                                   struct err *err)
{
    enum err_code rc = ERR_OK;

    *part = NULL;
    *ours = false;
    if (p->job->shards != NULL)
        return shards_next(p->job->shards, p->on->record, part, err);
    if (p->on->since != NULL)
        rc = since_next(p->on->since, record_position(p->on->record), part, err);
    if (rc != ERR_OK || *part != NULL || p->crew.parts == NULL)
        return rc;
    *ours = true;
    return parts_next(p->crew.parts, PIPELINE_TICK_MS, part, err);
}

static bool pipeline_done(const struct pipeline *p)
{
    const struct io_range *last = &p->on->ranges[p->on->range_count - 1];

    if (p->on->since != NULL)
        return record_position(p->on->record) == last->offset + last->len;
    return p->job->shards != NULL ? shards_done(p->job->shards) : parts_done(p->crew.parts);
}

/* Keeps a part for a later scan. */
static enum err_code pipeline_keep(struct pipeline *p, struct part *part, bool ours,
                                   struct err *err)
{
    const uint8_t *bytes = NULL;
    size_t len = 0;

    if (p->on->keep == NULL)
        return ERR_OK;
    if (!ours)
        bytes = since_bytes(p->on->since, &len);
    return keep_add(p->on->keep, part, bytes, len, err);
}

/* Records the next part, if it is there. */
static enum err_code pipeline_part(struct pipeline *p, struct err *err)
{
    struct part *part = NULL;
    bool ours = false;
    enum err_code rc = pipeline_next(p, &part, &ours, err);

    if (part == NULL)
        return rc;
    rc = pipeline_keep(p, part, ours, err);
    if (rc == ERR_OK) {
        rc = stitch_add(p->stitch, part, err);
        p->totals->torn = rc != ERR_OK;
    }
    if (rc == ERR_OK)
        p->totals->bytes += part->place.to - part->place.from;
    if (rc == ERR_OK && p->on->spots != NULL)
        rc = io_leftover_spots_add(p->on->spots, part->place.from, part->marks, part->mark_count,
                                   err);
    if (rc == ERR_OK)
        rc = pipeline_texts(p, part, err);
    if (ours)
        parts_give_back(p->crew.parts, part);
    return rc == ERR_OK && record_due(p->on->record) ? pipeline_commit(p, err) : rc;
}

static uint64_t pipeline_bytes(const struct io_range *ranges, uint32_t count)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < count; i++)
        bytes += ranges[i].len;
    return bytes;
}

/* Bytes that this run has gone over so far. */
static uint64_t pipeline_done_bytes(const struct pipeline *p)
{
    if (p->job->shards != NULL || p->crew.parts == NULL || p->on->since != NULL)
        return p->totals->bytes;
    return parts_bytes(p->crew.parts);
}

static enum err_code pipeline_loop(struct pipeline *p, struct err *err)
{
    const bool scans = p->job->shards == NULL && p->on->since == NULL;
    enum err_code rc = ERR_OK;
    bool many = false;

    while (rc == ERR_OK && !pipeline_done(p)) {
        if (!many && p->on->many != NULL && p->crew.parts != NULL && parts_many(p->crew.parts)) {
            many = true;
            rc = p->on->many(p->on->arg, err);
        }
        if (rc == ERR_OK)
            rc = pipeline_part(p, err);
        if (p->crew.parts != NULL)
            parts_behind(p->crew.parts, record_waiting(p->on->record));
        scan_crew_warn(&p->crew, p->on->warning, p->on->arg);
        if (rc != ERR_OK || !p->on->tick(p->on->arg, pipeline_done_bytes(p), p->on->record))
            continue;
        if (!scans)
            break;
        parts_stop(p->crew.parts);
    }
    if (rc == ERR_INTERRUPTED ||
        (rc == ERR_OK && p->totals->bytes < pipeline_bytes(p->on->ranges, p->on->range_count)))
        rc = ERR_RAISE(err, ERR_INTERRUPTED,
                       "stopped on request; what was found so far is in the case file%s",
                       p->job->resumable ? ", and --resume goes on from there" : "");
    return rc;
}

/* The device that hashed is gone: that is for the log. */
static enum err_code pipeline_note_lost(struct pipeline *p, struct err *err)
{
    const char *lost = p->crew.parts != NULL ? parts_lost(p->crew.parts) : "";
    char text[ERR_TEXT_MAX + 64];

    if (lost[0] == '\0')
        return ERR_OK;
    snprintf(text, sizeof text, "the CPU hashed blocks, because the device failed: %s", lost);
    return record_note(p->on->record, text, err);
}

/* Goes on where a scan was stopped, or begins. */
static enum err_code pipeline_restore(struct pipeline *p, struct err *err)
{
    const struct pipeline_from *from = p->on->from;
    enum err_code rc = ERR_OK;

    if (from != NULL) {
        struct unpack in = { .at = from->state, .end = from->state + from->len };

        if (p->hash != NULL)
            rc =
                image_hash_restore(p->hash, record_position(p->on->record), p->on->image, from->bad,
                                   from->bad_count, from->leaves, from->leaf_count, &in, err);
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

/* What is to be scanned: all that is gone over, but what is taken over. */
static const struct io_range *pipeline_ranges(const struct pipeline *p, uint32_t *count)
{
    *count = p->on->range_count;
    return p->on->since != NULL ? since_gaps(p->on->since, count) : p->on->ranges;
}

/* The threads that scan; or the parts that others have scanned. */
static enum err_code pipeline_open_parts(struct pipeline *p, struct err *err)
{
    uint32_t count;
    const struct io_range *ranges = pipeline_ranges(p, &count);
    enum err_code rc = ERR_OK;
    const struct scan_crew_image image = { .job = p->job,
                                           .image = p->on->image,
                                           .whole = p->on->whole,
                                           .ranges = ranges,
                                           .range_count = count,
                                           .from = record_position(p->on->record),
                                           .known = pipeline_known(p),
                                           .sieve = p->on->spots != NULL,
                                           .texts = p->on->texts != NULL,
                                           .hash = p->hash,
                                           .lookback = stitch_lookback(p->stitch) };

    if (p->on->since != NULL)
        rc = since_begin(p->since = p->on->since, image.lookback, err);
    if (rc == ERR_OK && p->job->shards != NULL)
        rc = shards_begin(p->job->shards, &image, err);
    else if (rc == ERR_OK && count > 0)
        rc = scan_crew_start(&p->crew, &image, err);

    p->open = rc == ERR_OK;
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
                                           .trusts = p->job->trusts,
                                           .link = p->job->link };
    uint32_t count;
    const struct io_range *scanned = pipeline_ranges(p, &count);
    const uint64_t bytes = pipeline_bytes(scanned, count);
    enum err_code rc = ERR_OK;

    if (p->job->shards == NULL && count > 0)
        rc = scan_crew_open(&p->crew, bytes, pipeline_known(p), err);
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
    struct pipeline *p = calloc(1, sizeof *p);

    *out = p;
    if (p == NULL)
        return ERR_NO_MEMORY(err, sizeof *p);
    p->job = job;
    if (job->shards == NULL)
        scan_crew_begin(&p->crew, job);
    return ERR_OK;
}

/* What is counted in other places, for the caller. */
static void pipeline_count(struct pipeline *p)
{
    struct pipeline_totals *totals = p->totals;

    if (p->crew.matcher_count > 0) {
        snprintf(totals->engine, sizeof totals->engine, "%s", match_engine(p->crew.matchers[0]));
        match_engine_why(p->crew.matchers[0], totals->engine_why, sizeof totals->engine_why);
    }
    if (p->crew.parts != NULL) {
        snprintf(totals->reader, sizeof totals->reader, "%s", parts_backend(p->crew.parts));
        snprintf(totals->reader_why, sizeof totals->reader_why, "%s", parts_pace(p->crew.parts));
    }
    if (p->job->shards != NULL)
        snprintf(totals->engine, sizeof totals->engine, "%s", shards_engine(p->job->shards));
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

/* What only the parts needed is given back while others go on with what was found. */
static void pipeline_close_crew(void *arg)
{
    struct pipeline *p = arg;

    scan_crew_close(&p->crew);
    stitch_close(p->stitch);
    p->stitch = NULL;
}

static void pipeline_close(struct pipeline *p)
{
    thread_join(&p->closing);
    pipeline_close_crew(p);
    if (p->job->shards != NULL)
        shards_end(p->job->shards);
    if (p->since != NULL)
        since_end(p->since);
    p->since = NULL;
    image_hash_close(p->hash);
    p->hash = NULL;
    pack_release(&p->state);
    pack_release(&p->texts);
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
    if (p->open && !totals->torn) { /* what came before an error counts too */
        const enum err_code late = pipeline_commit(p, rc == ERR_OK ? err : NULL);

        rc = rc == ERR_OK ? late : rc;
    }
    if (rc == ERR_OK && p->hash != NULL)
        rc = image_hash_finish(p->hash, io_image_size(image->image), &totals->hash, err);
    if (rc == ERR_OK && p->hash != NULL && totals->hash.kinds == 0)
        rc = ERR_RAISE(err, ERR_INTERRUPTED,
                       "stopped on request before all was hashed; --resume goes on from there");
    pipeline_count(p);
    if (rc != ERR_OK)
        pipeline_close(p);
    else if (p->job->shards == NULL &&
             thread_start(&p->closing, "close", pipeline_close_crew, p, NULL) != ERR_OK)
        pipeline_close_crew(p);
    return rc;
}

void pipeline_end(struct pipeline *p)
{
    if (p == NULL)
        return;
    pipeline_close(p);
    if (p->job->shards == NULL)
        scan_crew_end(&p->crew);
    free(p);
}
