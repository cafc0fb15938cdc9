/*
 * carver/scan/pipeline.c - a scan, whole: image bytes in, rows of the case file out. Start reading
 * the program here.
 *
 *   io/reader ──bytes──► matcher's slots ──hits──► planner ──objects──► record ──► case file
 *
 * A slot is a buffer of one segment. It is lent to the reader and submitted to the matcher, full or
 * with a function that fills it. It is collected when its hits are there, and then kept for a while
 * as a part of the lookback that validators read from. Slots go round in a ring, always in the
 * order of the image, so four counters say all:
 *
 *   released <= collected <= submitted <= lent <= released + slot_count
 *
 * This file owns the order of events and nothing else.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/cli/cpus.h"
#include "carver/cli/interrupt.h"
#include "carver/known/known_blocks.h"
#include "carver/plan/lookback.h"
#include "carver/plan/sums.h"
#include "carver/scan/pipeline.h"
#include "carver/scan/pipeline_matcher.h"
#include "carver/scan/pipeline_read.h"
#include "carver/scan/pipeline_slots.h"
#include "match/matcher.h"

/* With more processors, the reader's thread has one for itself, and is faster. */
enum { PIPELINE_SHARE_CPUS = 2 };

struct pipeline {
    const struct scan_job *job;
    struct pipeline_matcher early; /* until pipeline_run takes the matcher */
    uint32_t slot_count;

    /* While pipeline_run runs. */
    const struct pipeline_image *on;
    struct pipeline_totals *totals;
    struct match_matcher *matcher;
    struct pipeline_read *read;
    bool shared; /* the matcher's threads read */
    struct plan *plan;
    struct match_hasher *device; /* that hashes blocks; NULL: the processor does */
    struct known_blocks *blocks; /* NULL: nobody asks for hashes of blocks */
    struct sums *sums;           /* NULL: no objects are looked for */
    struct lookback lookback;
    uint64_t lent, submitted, collected, released;
    bool all_lent;  /* the reader has no further segment */
    uint32_t range; /* of the image: the one the collector is in */
    bool in_range;
    struct match_segment segments[LIMIT_SLOTS];
};

/* Without hits_only, hits become objects, which validators read. */
static bool pipeline_checks(const struct pipeline *p)
{
    return !p->job->plan.hits_only;
}

/* Collected segments that stay in memory behind the front. */
static uint32_t pipeline_keep(const struct pipeline *p)
{
    return pipeline_slots_kept(p->slot_count, p->job->how->segment_len, pipeline_checks(p));
}

static uint32_t pipeline_slot(const struct pipeline *p, uint64_t counter)
{
    return (uint32_t)(counter % p->slot_count);
}

/* Lends every free slot to the reader. */
static enum err_code pipeline_lend(struct pipeline *p, struct err *err)
{
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && !p->all_lent && p->lent - p->released < p->slot_count) {
        bool lent = false;

        rc = pipeline_read_lend(p->read, pipeline_slot(p, p->lent), &lent, err);
        p->all_lent = !lent;
        p->lent += lent;
    }
    return rc;
}

/* A match_read: reads into the slot. */
static enum err_code pipeline_read_source(void *arg, uint32_t slot, struct match_segment *segment,
                                          struct err *err)
{
    struct pipeline *p = arg;
    const enum err_code rc = pipeline_read_slot(p->read, slot, segment, err);

    p->segments[slot] = *segment;
    return rc;
}

/* Gives the matcher the oldest segment: read, or to be read by its threads. */
static enum err_code pipeline_submit(struct pipeline *p, struct err *err)
{
    const uint32_t slot = pipeline_slot(p, p->submitted++);
    const struct match_segment *segment = &p->segments[slot];
    struct match_source source = { .read = pipeline_read_source, .arg = p };

    if (!p->shared) {
        while (!pipeline_read_ready(p->read) && match_help(p->matcher))
            ; /* rather than wait */
        const enum err_code rc = source.read(p, slot, &source.segment, err);
        if (rc != ERR_OK)
            return rc;
        source.read = NULL;
    }
    match_submit(p->matcher, slot, &source);
    return p->blocks == NULL
               ? ERR_OK
               : known_blocks_submit(p->blocks, slot, segment->offset,
                                     match_slot_bytes(p->matcher, slot), segment->fresh_len,
                                     pipeline_read_follows(p->read, slot), err);
}

static enum err_code pipeline_enter_range(struct pipeline *p, uint64_t offset, struct err *err)
{
    const struct io_range *range = &p->on->ranges[p->range];

    assert(range->offset == offset);
    p->in_range = true;
    while (p->lookback.count > 0) /* nothing before the range can be asked for */
        lookback_pop(&p->lookback);
    if (p->sums != NULL)
        sums_begin(p->sums, range->offset);
    return plan_begin_range(p->plan, range->offset, range->offset + range->len, err);
}

/* The oldest submitted segment has been searched: it joins the lookback, and what could not be read
 * of it is recorded. */
static enum err_code pipeline_advance(struct pipeline *p, uint32_t slot, struct err *err)
{
    const struct match_segment *segment = &p->segments[slot];
    enum err_code rc = pipeline_read_record_bad(p->read, slot, p->on->record, err);

    if (rc == ERR_OK && !p->in_range)
        rc = pipeline_enter_range(p, segment->offset, err);
    lookback_push(&p->lookback,
                  &(struct lookback_segment){ .offset = segment->offset,
                                              .len = segment->fresh_len,
                                              .carry = segment->carry_len,
                                              .bytes = match_slot_bytes(p->matcher, slot) });
    p->collected++;
    if (rc == ERR_OK && p->sums != NULL)
        rc = sums_collect(p->sums, slot, segment->fresh_len, err);
    return rc == ERR_OK ? plan_summed(p->plan, err) : rc;
}

/* Hands the planner all hits of a segment; the first piece of them is there. */
static enum err_code pipeline_plan(struct pipeline *p, uint32_t slot, struct match_hits hits,
                                   struct err *err)
{
    const struct match_segment *segment = &p->segments[slot];
    const uint64_t front = segment->offset + segment->fresh_len;
    const uint64_t carry = match_carry(p->matcher);
    enum err_code rc = ERR_OK;

    for (;;) {
        const uint64_t last = hits.count > 0 ? hits.items[hits.count - 1].offset : segment->offset;
        const uint64_t known = !hits.more ? front : last < carry ? 0 : last - carry;

        rc = plan_hits(p->plan, hits.items, hits.count, known, front, err);
        if (rc != ERR_OK || !hits.more)
            break;
        rc = match_collect(p->matcher, slot, &hits, err);
        if (rc != ERR_OK)
            break;
    }
    return rc == ERR_OK ? plan_front(p->plan, front, err) : rc;
}

/* Collects the oldest submitted segment and lets the planner work behind it. */
static enum err_code pipeline_collect(struct pipeline *p, struct err *err)
{
    const uint32_t slot = pipeline_slot(p, p->collected);
    const struct match_segment *segment = &p->segments[slot];
    struct match_hits hits;
    enum err_code rc = match_collect(p->matcher, slot, &hits, err);

    if (rc != ERR_OK) /* it may not even have been read */
        return rc;
    const uint64_t front = segment->offset + segment->fresh_len;
    rc = pipeline_advance(p, slot, err);
    if (rc == ERR_OK)
        rc = pipeline_plan(p, slot, hits, err);
    if (rc == ERR_OK && segment->ends_range) {
        rc = plan_end_range(p->plan, err);
        p->in_range = false;
        p->range++;
    }
    if (rc == ERR_OK && p->blocks != NULL)
        rc = known_blocks_collect(p->blocks, slot, p->on->record, err);
    p->totals->bytes += segment->fresh_len;
    if (rc == ERR_OK)
        rc = record_commit_point(p->on->record,
                                 segment->ends_range ? front : front - PLAN_LOOKAHEAD, err);
    if (rc != ERR_OK)
        err_while(err, "scanning at image offset %" PRIu64, segment->offset);
    return rc;
}

/* Frees slots that validators no longer need in memory. */
static enum err_code pipeline_release(struct pipeline *p, struct err *err)
{
    const uint32_t keep = pipeline_keep(p);
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && p->collected - p->released > keep) {
        if (p->segments[pipeline_slot(p, p->released)].offset >= plan_held(p->plan))
            rc = plan_wait(p->plan, err);
        p->released++;
        if (p->lookback.count > keep) {
            if (rc == ERR_OK)
                rc = plan_leave(p->plan, lookback_oldest_end(&p->lookback), err);
            lookback_pop(&p->lookback);
        }
    }
    return rc;
}

static void pipeline_warning(struct pipeline *p)
{
    char line[PIPELINE_WHY_MAX];

    while (p->on->warning != NULL && match_warning(p->matcher, line, sizeof line))
        p->on->warning(p->on->arg, line);
}

static enum err_code pipeline_loop(struct pipeline *p, struct err *err)
{
    const uint64_t busy =
        p->job->how->threads + 2; /* segments in the matcher that keep its threads from waiting */
    enum err_code rc = pipeline_lend(p, err);

    while (rc == ERR_OK && p->collected < p->lent) {
        while (rc == ERR_OK && p->submitted < p->lent &&
               (p->shared || p->submitted - p->collected < busy))
            rc = pipeline_submit(p, err);
        if (rc == ERR_OK)
            rc = pipeline_collect(p, err);
        if (rc == ERR_OK)
            rc = pipeline_release(p, err);
        pipeline_warning(p);
        const bool stopped =
            rc == ERR_OK && p->on->tick(p->on->arg, p->totals->bytes, p->on->record);
        if (stopped || rc == ERR_INTERRUPTED)
            return ERR_RAISE(err, ERR_INTERRUPTED,
                             "stopped on request; what was found so far is in the case file");
        if (rc == ERR_OK)
            rc = pipeline_lend(p, err);
    }
    return rc;
}

static enum err_code pipeline_open_blocks(struct pipeline *p, struct err *err)
{
    const struct scan_how *how = p->job->how;
    const uint32_t first = how->device_mask != 0 ? (uint32_t)__builtin_ctz(how->device_mask) : 0;
    enum err_code rc = ERR_OK;

    if (how->devices != NULL)
        rc = known_blocks_open_device(p->on->known, NULL, first, p->slot_count, how->segment_len,
                                      &p->device, err);
    return rc == ERR_OK ? known_blocks_open(p->on->known, p->device, how->threads, p->slot_count,
                                            &p->totals->known, &p->blocks, err)
                        : rc;
}

static enum err_code pipeline_open_plan(struct pipeline *p, struct err *err)
{
    struct plan_options plan = p->job->plan;

    plan.threads = p->job->how->threads;
    plan.keep = pipeline_keep(p);
    plan.sums = p->sums;
    return plan_open(&plan, &p->lookback, p->on->record, &p->plan, err);
}

static enum err_code pipeline_open_matcher(struct pipeline *p, struct err *err)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < p->on->range_count; i++)
        bytes += p->on->ranges[i].len;
    return pipeline_matcher_take(&p->early, bytes, &p->matcher, err);
}

static enum err_code pipeline_open(struct pipeline *p, struct err *err)
{
    const struct scan_how *how = p->job->how;
    const struct io_reader_options read = { .ranges = p->on->ranges,
                                            .range_count = p->on->range_count,
                                            .segment_len = how->segment_len,
                                            .depth = p->slot_count,
                                            .backend = how->io };
    const bool blocks = p->on->known != NULL && known_scan_wants(p->on->known, true);
    enum err_code rc = pipeline_open_matcher(p, err);

    p->shared = rc == ERR_OK && !blocks && cpus_count() <= PIPELINE_SHARE_CPUS &&
                match_can_read(p->matcher);
    if (rc == ERR_OK)
        rc = pipeline_read_open(p->on->image, &read, p->matcher, p->shared, &p->read, err);
    if (rc == ERR_OK && pipeline_checks(p))
        rc = sums_open(&p->lookback, p->slot_count, how->segment_len, SUMS_REACH, &p->sums, err);
    if (rc == ERR_OK && p->sums != NULL)
        match_set_look(p->matcher, sums_look, p->sums);
    if (rc == ERR_OK)
        rc = pipeline_open_plan(p, err);
    if (rc == ERR_OK && blocks)
        rc = pipeline_open_blocks(p, err);
    if (rc != ERR_OK)
        return rc;
    assert(match_carry(p->matcher) < PLAN_LOOKAHEAD);
    snprintf(p->totals->reader, sizeof p->totals->reader, "%s", pipeline_read_backend(p->read));
    return ERR_OK;
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
        .devices_later = how->device_delay > 0,
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

    if (p->matcher != NULL) {
        snprintf(totals->engine, sizeof totals->engine, "%s", match_engine(p->matcher));
        match_engine_why(p->matcher, totals->engine_why, sizeof totals->engine_why);
    }
    totals->recorded = *record_totals(p->on->record);
    if (p->plan != NULL) {
        totals->plan = *plan_totals(p->plan);
        totals->reread = plan_reread(p->plan);
    }
}

static void pipeline_close(struct pipeline *p)
{
    plan_close(p->plan);           /* first, for its validators read the matcher's slots */
    known_blocks_close(p->blocks); /* likewise */
    match_hasher_close(p->device);
    if (p->read != NULL)
        pipeline_read_stop(p->read);
    if (p->matcher != NULL)
        match_drain(p->matcher);  /* its threads may be reading */
    pipeline_read_close(p->read); /* fills them */
    match_close(p->matcher);
    sums_close(p->sums); /* its threads look at it */
}

enum err_code pipeline_run(struct pipeline *p, const struct pipeline_image *image,
                           struct pipeline_totals *totals, struct err *err)
{
    assert(p->on == NULL);
    *totals = (struct pipeline_totals){ 0 };
    p->on = image;
    p->totals = totals;
    p->lookback.image = image->image;
    enum err_code rc = pipeline_open(p, err);
    if (rc == ERR_OK)
        rc = pipeline_loop(p, err);
    pipeline_count(p);
    pipeline_close(p);
    return rc;
}

void pipeline_end(struct pipeline *p)
{
    if (p == NULL)
        return;
    pipeline_matcher_end(&p->early);
    free(p);
}
