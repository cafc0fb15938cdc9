/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/stitch.c - see stitch.h. */

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/scan/stitch_impl.h"
#include "signatures/crc64.h"

enum { STITCH_BLOCK = 64 * 1024 /* bytes of a read where little else is done than to read */ };

/* Room for the ends of hits, where hits of a pattern are to stand apart. */
static enum err_code stitch_open_past(struct stitch *s, struct err *err)
{
    const struct patterns *patterns = s->options.plan->patterns;
    bool apart = false;

    for (uint32_t i = 0; i < patterns->count && !apart; i++)
        apart = patterns->uses[i].apart;
    if (!apart)
        return ERR_OK;
    s->past = calloc(patterns->count, sizeof *s->past);
    return s->past != NULL ? ERR_OK : ERR_NO_MEMORY(err, patterns->count * sizeof *s->past);
}

/* Whether hits of the pattern depend on those before them: of a rule, where objects are made. */
static bool stitch_is_rule(const struct stitch *s, uint32_t pattern)
{
    const uint32_t sig = s->options.plan->patterns->uses[pattern].sig;

    return s->options.plan->sigs[sig]->check == NULL && !s->options.plan->hits_only;
}

/* Whether hits of shards are recorded whatever was before them. */
static bool stitch_is_plain(const struct stitch *s)
{
    bool plain = s->options.link && s->past == NULL;

    for (uint32_t i = 0; plain && i < s->options.plan->patterns->count; i++)
        plain = !stitch_is_rule(s, i);
    return plain;
}

enum err_code stitch_open(const struct stitch_options *options, struct stitch **out,
                          struct err *err)
{
    const uint32_t count = options->plan->sig_count;
    struct stitch *s = calloc(1, sizeof *s);

    *out = NULL;
    if (s == NULL)
        return ERR_NO_MEMORY(err, sizeof *s);
    s->options = *options;
    s->lookback.image = options->image;
    s->lookback.block = options->link ? STITCH_BLOCK : 0;
    s->runs = (struct known_runs){ .scan = options->known, .totals = options->known_totals };
    s->until = calloc(count + 1u, sizeof *s->until);
    enum err_code rc = s->until != NULL ? ERR_OK : ERR_NO_MEMORY(err, count * sizeof *s->until);
    if (rc == ERR_OK)
        rc = stitch_open_past(s, err);
    s->plain = rc == ERR_OK && stitch_is_plain(s);
    if (rc == ERR_OK)
        rc = found_open(count, &s->again, err);
    if (rc == ERR_OK)
        rc = found_open(count, &s->pending, err);
    if (rc == ERR_OK)
        rc = plan_open(options->plan, &s->lookback, &s->truth, err);
    if (rc == ERR_OK)
        rc = plan_open(options->plan, &s->lookback, &s->scratch, err);
    if (rc == ERR_OK)
        rc = plan_open(options->plan, &s->lookback, &s->trial, err);
    if (rc == ERR_OK)
        rc = found_open(count, &s->spare, err);
    if (rc == ERR_OK)
        rc = sums_chain_open(options->image, options->record, &s->chain, err);
    if (rc == ERR_OK)
        rc = rules_open(options->plan, options->image, options->record, s->chain, &s->rules, err);
    if (rc == ERR_OK)
        *out = s;
    else
        stitch_close(s);
    return rc;
}

void stitch_close(struct stitch *s)
{
    if (s == NULL)
        return;
    plan_close(s->truth);
    plan_close(s->scratch);
    plan_close(s->trial);
    found_release(&s->spare);
    rules_close(s->rules);
    sums_chain_close(s->chain);
    found_release(&s->again);
    found_release(&s->pending);
    free(s->ids);
    free(s->until);
    free(s->past);
    pack_release(&s->left_out);
    free(s);
}

struct lookback *stitch_lookback(struct stitch *s)
{
    return &s->lookback;
}

struct stitch_totals stitch_totals(const struct stitch *s)
{
    struct stitch_totals totals = s->totals;

    plan_totals_add(&totals.plan, rules_totals(s->rules));
    return totals;
}

void stitch_cut(const struct stitch *s, struct found_object *object)
{
    const struct runs *runs = s->options.plan->runs;
    const struct io_range *run = runs == NULL ? NULL : runs_at(runs, object->offset);

    if (run == NULL || object->len <= run->offset + run->len - object->offset)
        return;
    const struct io_range *range =
        stitch_range(s->options.ranges, s->options.range_count, object->offset);
    if (!object->complete || !object->proven) {
        object->len = run->offset + run->len - object->offset;
        object->complete = object->proven = false;
        object->slack = DB_SLACK_NONE;
        object->why = "cut where bytes begin that are in use, or were not asked for";
        object->has_crc64 = false;
    } else {
        object->why = "runs into bytes that are in use, or were not asked for";
    }
    /* Part and range are cut in different places: only the range counts. */
    if (range == NULL || object->len > range->offset + range->len - object->offset)
        object->has_crc64 = false;
}

/* Whether the object ends in the range in which it begins: else it has no CRC. */
static bool stitch_in_range(const struct stitch *s, const struct found_object *object)
{
    const struct io_range *range =
        s->options.plan->runs == NULL
            ? NULL
            : stitch_range(s->options.ranges, s->options.range_count, object->offset);

    return range == NULL || object->len <= range->offset + range->len - object->offset;
}

static struct record_object stitch_row(const struct stitch *s, const struct found_object *object,
                                       int64_t id)
{
    const struct sig *sig = s->options.plan->sigs[object->sig];

    return (struct record_object){ .hit_id = id,
                                   .sig = object->sig,
                                   .type = object->type,
                                   .state = object->complete ? "complete" : "truncated",
                                   .validated = true,
                                   .proven = object->proven,
                                   .container = (sig->flags & SIG_CONTAINER) != 0,
                                   .offset = object->offset,
                                   .len = object->len,
                                   .slack = object->slack,
                                   .has_crc64 = object->has_crc64,
                                   .crc64 = object->crc64,
                                   .facts = object->facts };
}

/* found: what the object stands in. */
static enum err_code stitch_record(struct stitch *s, const struct found *found,
                                   const struct found_object *whole, int64_t id, struct err *err)
{
    struct found_object cut = *whole;
    const struct found_object *object = &cut;

    stitch_cut(s, &cut);
    struct record_object row = stitch_row(s, object, id);

    snprintf(row.reason, sizeof row.reason, "%s", object->why);
    if (!stitch_in_range(s, object))
        return record_object(s->options.record, &row, &found->facts, err);
    return sums_chain_record(s->chain, &row, object->has_before ? &object->before : NULL,
                             &found->facts, err);
}

enum err_code stitch_hold(struct stitch *s, const struct found *found,
                          const struct found_object *object, struct err *err)
{
    struct found_object held = *object;
    enum err_code rc = ERR_OK;

    stitch_cut(s, &held);
    if (held.has_crc64 || !stitch_in_range(s, &held))
        held.has_before = false;
    else if (!held.has_before && sums_chain_has(s->chain, held.offset)) {
        rc = sums_chain_at(s->chain, held.offset, &held.before, err);
        held.has_before = true;
    } else if (!held.has_before) { /* it began before a gap that was not gone over */
        rc = sums_chain_read(s->chain, held.offset, held.offset + held.len, &held.crc64, err);
        held.has_crc64 = true;
    }
    return rc == ERR_OK ? found_take_object(&s->pending, &held, found, err) : rc;
}

static bool stitch_is_footer(const struct stitch *s, const struct hit *hit)
{
    return s->options.plan->patterns->uses[hit->pattern].footer;
}

/* A hit of a rule, in the run that it lies in. */
static enum err_code stitch_rule(struct stitch *s, const struct hit *hit, int64_t *id,
                                 struct err *err)
{
    const struct runs *runs = s->options.plan->runs;
    const struct io_range *run = runs == NULL ? NULL : runs_at(runs, hit->offset);
    enum err_code rc = ERR_OK;

    if (run != s->run && run != NULL)
        rc = rules_next(s->rules, run->offset, run->offset + run->len, err);
    s->run = run;
    return rc == ERR_OK ? rules_hit(s->rules, hit, id, err) : rc;
}

/* All hits of rules before image offset front have been taken. */
static enum err_code stitch_rules_front(struct stitch *s, uint64_t front, struct err *err)
{
    if (s->options.plan->runs == NULL)
        return rules_front(s->rules, front, err);
    if (s->run == NULL)
        return ERR_OK;
    if (front < s->run->offset + s->run->len)
        return rules_front(s->rules, front, err);
    s->run = NULL;
    return rules_end(s->rules, err);
}

/* Whether the hit begins in one of its pattern that was recorded; else it is the last one. */
static bool stitch_overlaps(struct stitch *s, const struct hit *hit)
{
    if (s->past == NULL || !s->options.plan->patterns->uses[hit->pattern].apart)
        return false;
    if (hit->offset < s->past[hit->pattern])
        return true;
    s->past[hit->pattern] = hit->offset + hit->len;
    return false;
}

/* Numbers the hits of the part, which stay in their shard, all at once. False: each is to be looked
 * at. */
static bool stitch_number(struct stitch *s, uint32_t count)
{
    int64_t first = 0;

    if (!s->plain || !record_hits_stay(s->options.record, count, &first))
        return false;
    for (uint32_t i = 0; i < count; i++)
        s->ids[i] = first + i;
    return true;
}

/* Numbers and records the hits of the part. */
static enum err_code stitch_hits(struct stitch *s, const struct part *part, struct err *err)
{
    const struct found *found = &part->found;
    enum err_code rc = ERR_OK;

    if (found->hit_count > s->id_room) {
        int64_t *ids = realloc(s->ids, found->hit_count * sizeof *ids);

        if (ids == NULL)
            return ERR_NO_MEMORY(err, found->hit_count * sizeof *ids);
        s->ids = ids;
        s->id_room = found->hit_count;
    }
    const uint32_t numbered = stitch_number(s, found->hit_count) ? found->hit_count : 0;
    for (uint32_t i = numbered; rc == ERR_OK && i < found->hit_count; i++) {
        const struct hit *hit = &found->hits[i];

        s->ids[i] = 0;
        if (stitch_overlaps(s, hit))
            continue;
        rc = stitch_is_rule(s, hit->pattern)
                 ? stitch_rule(s, hit, &s->ids[i], err)
                 : record_hit(s->options.record, s->options.plan->patterns->uses[hit->pattern].row,
                              hit->offset, hit->len, stitch_is_footer(s, hit), &s->ids[i], err);
    }
    return rc == ERR_OK && !s->options.plan->hits_only ? stitch_rules_front(s, part->place.to, err)
                                                       : rc;
}

/* Ranges of the part that could not be read; the part may have been read further than it goes. */
static enum err_code stitch_bad(struct stitch *s, const struct part *part, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < part->bad_count; i++) {
        struct io_bad_range range = part->bad[i];
        const uint64_t left = part->place.to > range.offset ? part->place.to - range.offset : 0;

        range.len = range.len < left ? range.len : left;
        if (range.len > 0)
            rc = record_bad_range(s->options.record, &range, err);
    }
    return rc;
}

/* Records what no later part can change: what the true planner has no longer open. */
static enum err_code stitch_settle(struct stitch *s, bool all, struct err *err)
{
    struct found *pending = &s->pending;
    uint32_t kept = 0;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; i < pending->object_count; i++) {
        const struct found_object *object = &pending->objects[i];

        if (!all && plan_again_is_open(s->truth, object->sig, object->offset))
            pending->objects[kept++] = *object;
        else if (rc == ERR_OK)
            rc = stitch_record(s, pending, object, (int64_t)object->tag, err);
    }
    pending->object_count = kept;
    found_settle(pending);
    return rc;
}

/* Of signatures that were planned again only the verdicts of what is open still count. */
static void stitch_drop(struct stitch *s)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < s->pending.object_count; i++) {
        const struct found_object *object = &s->pending.objects[i];

        if (s->until[object->sig] == 0 || plan_again_is_open(s->truth, object->sig, object->offset))
            s->pending.objects[kept++] = *object;
    }
    s->pending.object_count = kept;
    found_settle(&s->pending);
}

static enum err_code stitch_all(struct stitch *s, const struct plan_done *done, struct err *err)
{
    s->totals.again_all++;
    for (uint32_t i = 0; i < s->options.plan->sig_count; i++)
        s->until[i] = done->found->hit_count;
    found_clear(&s->again);
    return plan_again_all(s->truth, done, &s->again, err);
}

/* Plans again what has to be. found: that of done. *all: everything was. */
static enum err_code stitch_check(struct stitch *s, const struct plan_done *done,
                                  struct found *found, bool *all, struct err *err)
{
    bool kept = false; /* scratch has the true planner as it was */
    bool alike = true;
    const uint32_t count = s->options.plan->sig_count;
    enum err_code rc = ERR_OK;

    *all = false;
    for (uint32_t i = 0; rc == ERR_OK && !*all && (i = plan_again_next(s->truth, done, i)) < count;
         i++) {
        const enum plan_trouble trouble = plan_again_check(s->truth, done, i);

        *all = trouble == PLAN_ALL;
        if (trouble != PLAN_ONE)
            continue;
        if (!kept)
            rc = plan_copy(s->scratch, s->truth, err);
        kept = true;
        s->totals.again_one++;
        if (rc == ERR_OK)
            rc = plan_again_one(s->truth, done, i, &s->again, &s->until[i], err);
    }
    if (rc == ERR_OK && !*all)
        plan_again_forget_put_off(s->truth, found, s->until);
    if (rc == ERR_OK && !*all)
        rc = plan_again_check_unpacking(s->truth, s->trial, done, &s->again, s->until, &s->spare,
                                        &alike, err);
    *all = *all || !alike;
    if (rc == ERR_OK && *all && kept)
        rc = plan_copy(s->truth, s->scratch, err);
    return rc == ERR_OK && *all ? stitch_all(s, done, err) : rc;
}

/* Whether an object of the part was planned again, or has another verdict now. */
static bool stitch_void(const struct stitch *s, const struct plan_done *done,
                        const struct found_object *object)
{
    const uint32_t until = s->until[object->sig];

    return object->tag < until && (until == done->found->hit_count ||
                                   !plan_again_is_open(s->truth, object->sig, object->offset));
}

static enum err_code stitch_objects(struct stitch *s, const struct part *part,
                                    const struct plan_done *done, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < part->found.object_count; i++) {
        const struct found_object *found = &part->found.objects[i];
        const bool is_void = stitch_void(s, done, found);
        const int64_t id = s->ids[found->tag];

        if (!is_void && i < part->own_count && stitch_stays(s, found)) {
            stitch_keep(s, found, id);
            continue;
        }
        stitch_leave_out(s, i);
        if (is_void)
            continue;
        struct found_object object = *found;
        object.tag = (uint64_t)id;
        if (i < part->own_count)
            rc = stitch_record(s, &part->found, &object, id, err);
        else
            rc = stitch_hold(s, &part->found, &object, err);
    }
    for (uint32_t i = 0; rc == ERR_OK && i < s->again_own; i++)
        rc = stitch_record(s, &s->again, &s->again.objects[i], (int64_t)s->again.objects[i].tag,
                           err);
    return rc;
}

/* Verdicts of what is open at the end of the part, and was planned again or put off. */
static enum err_code stitch_tail(struct stitch *s, const struct plan_done *done, struct err *err)
{
    enum err_code rc = ERR_OK;

    if (done->found->hit_count > 0) {
        rc = plan_again_tail(s->truth, s->scratch, &s->again, err);
        s->totals.reread += plan_reread(s->scratch);
    }
    for (uint32_t i = s->again_own; rc == ERR_OK && i < s->again.object_count; i++)
        rc = stitch_hold(s, &s->again, &s->again.objects[i], err);
    return rc;
}

static enum err_code stitch_plan(struct stitch *s, struct part *part, struct err *err)
{
    const struct plan_done done = {
        .part = part->place, .found = &part->found, .exit = part->exit, .ids = s->ids
    };
    const uint32_t end = part->found.hit_count;
    bool all = false;
    enum err_code rc = plan_again_enter(s->truth, &part->place, err);

    memset(s->until, 0, s->options.plan->sig_count * sizeof *s->until);
    found_clear(&s->again);
    if (rc == ERR_OK)
        rc = stitch_settle(s, false, err);
    if (rc == ERR_OK && !s->options.trusts)
        rc = stitch_check(s, &done, &part->found, &all, err);
    if (rc != ERR_OK)
        return rc;
    stitch_drop(s);
    s->again_own = s->again.object_count;
    rc = stitch_objects(s, part, &done, err);
    for (uint32_t i = 0; rc == ERR_OK && i < s->options.plan->sig_count; i++)
        if (s->until[i] > 0 && s->until[i] < end)
            plan_again_met(s->truth, i);
    if (rc == ERR_OK && !part->last)
        plan_retag(part->exit, s->ids);
    if (rc == ERR_OK && !all && !part->last)
        rc = plan_again_follow(s->truth, &done, &s->again, s->until, err);
    return rc == ERR_OK ? stitch_tail(s, &done, err) : rc;
}

static enum err_code stitch_begin(struct stitch *s, const struct part *part, struct err *err)
{
    s->in_range = true;
    s->front = part->place.from;
    s->run = NULL;
    found_clear(&s->pending);
    plan_begin(s->truth, &part->place, &s->again, NULL);
    sums_chain_begin(s->chain, part->place.from);
    return rules_begin(s->rules, part->place.range_begin, part->place.range_end, err);
}

/* Records what is still held back: nothing more of the range comes. */
static enum err_code stitch_end(struct stitch *s, struct err *err)
{
    enum err_code rc = ERR_OK;

    if (!s->in_range)
        return ERR_OK;
    s->in_range = false;
    rc = stitch_settle(s, true, err);
    return rc == ERR_OK && !s->options.plan->hits_only && s->options.plan->runs == NULL
               ? rules_end(s->rules, err)
               : rc;
}

/*
 * Between the parts so far and this image offset nothing is gone over. What was held back, and ends
 * before it, gets its CRC now; what ends behind it gets none.
 */
static enum err_code stitch_skip(struct stitch *s, uint64_t to, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < s->pending.object_count; i++) {
        struct found_object *object = &s->pending.objects[i];
        const uint64_t end = object->offset + object->len;
        uint64_t after = 0;

        if (!object->has_before || end > s->front)
            continue;
        rc = sums_chain_at(s->chain, end, &after, err);
        object->crc64 = crc64_rest(object->before, after, object->len);
        object->has_crc64 = true;
        object->has_before = false;
    }
    sums_chain_begin(s->chain, to);
    s->front = to;
    return rc;
}

/* The part is recorded: all that is known of it, and what the CRC of the range was before it. */
static enum err_code stitch_part(struct stitch *s, const struct part *part, uint64_t before,
                                 struct err *err)
{
    const struct db_part row = { .offset = part->place.from,
                                 .len = part->place.to - part->place.from,
                                 .has_crc64 = !s->options.plan->hits_only,
                                 .crc64 = before };

    return record_part(s->options.record, &row, err);
}

/* Leaves out the blocks that do not lie in one run as a whole. */
static void stitch_known(const struct stitch *s, struct known_block_list *blocks)
{
    const struct runs *runs = s->options.plan->runs;
    uint32_t kept = 0;

    for (uint32_t i = 0; runs != NULL && s->runs.scan != NULL && i < blocks->count; i++) {
        const struct known_block *block = &blocks->items[i];
        const struct io_range *run = runs_at(runs, block->offset);
        const uint64_t len = s->runs.scan->sets[block->set].about.block_len;

        if (run != NULL && len <= run->offset + run->len - block->offset)
            blocks->items[kept++] = *block;
    }
    if (runs != NULL && s->runs.scan != NULL)
        blocks->count = kept;
}

enum err_code stitch_add(struct stitch *s, struct part *part, struct err *err)
{
    const struct io_range *last = &s->options.ranges[s->options.range_count - 1];
    enum err_code rc = s->in_range ? ERR_OK : stitch_begin(s, part, err);
    if (rc == ERR_OK && part->place.from != s->front)
        rc = stitch_skip(s, part->place.from, err);
    const uint64_t before = sums_chain_value(s->chain);

    s->totals.parts++;
    plan_totals_add(&s->totals.plan, &part->totals);
    s->totals.reread += part->reread;
    if (rc == ERR_OK)
        rc = sums_chain_add(s->chain, &part->sums, part->place.from, part->place.to, &part->found,
                            err);
    if (rc == ERR_OK)
        rc = stitch_bad(s, part, err);
    if (rc == ERR_OK)
        rc = stitch_hits(s, part, err);
    if (rc == ERR_OK && !s->options.plan->hits_only)
        rc = stitch_plan(s, part, err);
    s->front = part->place.to;
    stitch_known(s, &part->blocks);
    if (rc == ERR_OK && s->options.link)
        rc = stitch_link(s, part, err);
    if (rc == ERR_OK && s->runs.scan != NULL)
        rc = known_runs_add(&s->runs, &part->blocks, part->place.to, s->options.record, err);
    if (rc == ERR_OK)
        rc = stitch_part(s, part, before, err);
    if (rc == ERR_OK && part->place.to == last->offset + last->len)
        rc = stitch_end(s, err);
    return rc;
}
