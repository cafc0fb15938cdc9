/* carver/scan/stitch.c - see stitch.h. */

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/scan/stitch_impl.h"

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
    s->runs = (struct known_runs){ .scan = options->known, .totals = options->known_totals };
    s->until = calloc(count + 1u, sizeof *s->until);
    enum err_code rc = s->until != NULL ? ERR_OK : ERR_NO_MEMORY(err, count * sizeof *s->until);
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

static enum err_code stitch_record(struct stitch *s, const struct found_object *object, int64_t id,
                                   struct err *err)
{
    const struct sig *sig = s->options.plan->sigs[object->sig];
    struct record_object row = { .hit_id = id,
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
                                 .crc64 = object->crc64 };

    snprintf(row.reason, sizeof row.reason, "%s", object->why);
    return sums_chain_record(s->chain, &row, object->has_before ? &object->before : NULL, err);
}

enum err_code stitch_hold(struct stitch *s, const struct found_object *object, struct err *err)
{
    struct found_object held = *object;
    enum err_code rc = ERR_OK;

    if (!held.has_crc64 && !held.has_before)
        rc = sums_chain_at(s->chain, held.offset, &held.before, err);
    held.has_before = !held.has_crc64;
    return rc == ERR_OK ? found_add_object(&s->pending, &held, err) : rc;
}

static bool stitch_is_footer(const struct stitch *s, const struct hit *hit)
{
    return s->options.plan->patterns->uses[hit->pattern].footer;
}

/* A hit that depends on those before it: of a rule, where objects are made. */
static bool stitch_is_rule(const struct stitch *s, const struct hit *hit)
{
    const uint32_t sig = s->options.plan->patterns->uses[hit->pattern].sig;

    return s->options.plan->sigs[sig]->check == NULL && !s->options.plan->hits_only;
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
    for (uint32_t i = 0; rc == ERR_OK && i < found->hit_count; i++) {
        const struct hit *hit = &found->hits[i];

        rc = stitch_is_rule(s, hit)
                 ? rules_hit(s->rules, hit, &s->ids[i], err)
                 : record_hit(s->options.record, s->options.plan->patterns->uses[hit->pattern].sig,
                              hit->offset, hit->len, stitch_is_footer(s, hit), &s->ids[i], err);
    }
    return rc == ERR_OK && !s->options.plan->hits_only ? rules_front(s->rules, part->place.to, err)
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
            rc = stitch_record(s, object, (int64_t)object->tag, err);
    }
    pending->object_count = kept;
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
}

static enum err_code stitch_all(struct stitch *s, const struct plan_done *done, struct err *err)
{
    s->totals.again_all++;
    for (uint32_t i = 0; i < s->options.plan->sig_count; i++)
        s->until[i] = done->found->hit_count;
    found_clear(&s->again);
    return plan_again_all(s->truth, done, &s->again, err);
}

/* Plans again what has to be. *all: everything was. */
static enum err_code stitch_check(struct stitch *s, const struct plan_done *done, bool *all,
                                  struct err *err)
{
    bool kept = false; /* scratch has the true planner as it was */
    bool alike = true;
    enum err_code rc = ERR_OK;

    *all = false;
    for (uint32_t i = 0; rc == ERR_OK && !*all && i < s->options.plan->sig_count; i++) {
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
        struct found_object object = part->found.objects[i];

        if (stitch_void(s, done, &object))
            continue;
        object.tag = (uint64_t)s->ids[object.tag];
        if (i < part->own_count)
            rc = stitch_record(s, &object, (int64_t)object.tag, err);
        else
            rc = stitch_hold(s, &object, err);
    }
    for (uint32_t i = 0; rc == ERR_OK && i < s->again_own; i++)
        rc = stitch_record(s, &s->again.objects[i], (int64_t)s->again.objects[i].tag, err);
    return rc;
}

/* Verdicts of what is open at the end of what was planned again. */
static enum err_code stitch_tail(struct stitch *s, const struct plan_done *done, struct err *err)
{
    enum err_code rc = ERR_OK;

    if (done->found->hit_count > 0)
        rc =
            plan_again_tail(s->truth, s->scratch, s->until, done->found->hit_count, &s->again, err);
    for (uint32_t i = s->again_own; rc == ERR_OK && i < s->again.object_count; i++)
        rc = stitch_hold(s, &s->again.objects[i], err);
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
        rc = stitch_check(s, &done, &all, err);
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
    if (rc == ERR_OK)
        rc = stitch_tail(s, &done, err);
    if (rc == ERR_OK && !all && !part->last)
        rc = plan_again_follow(s->truth, &done, &s->again, s->until, err);
    return rc;
}

static enum err_code stitch_begin(struct stitch *s, const struct part *part, struct err *err)
{
    s->in_range = true;
    s->pending.object_count = 0;
    plan_begin(s->truth, &part->place, &s->again, NULL);
    sums_chain_begin(s->chain, part->place.range_begin);
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
    return rc == ERR_OK && !s->options.plan->hits_only ? rules_end(s->rules, err) : rc;
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

enum err_code stitch_add(struct stitch *s, struct part *part, struct err *err)
{
    enum err_code rc = s->in_range ? ERR_OK : stitch_begin(s, part, err);
    const uint64_t before = sums_chain_value(s->chain);

    s->totals.parts++;
    plan_totals_add(&s->totals.plan, &part->totals);
    s->totals.reread += part->reread;
    if (rc == ERR_OK)
        rc = sums_chain_add(s->chain, &part->sums, part->place.from, part->place.to, err);
    sums_chain_know(s->chain, part->found.sums, part->found.sum_count);
    if (rc == ERR_OK)
        rc = stitch_bad(s, part, err);
    if (rc == ERR_OK)
        rc = stitch_hits(s, part, err);
    if (rc == ERR_OK && !s->options.plan->hits_only)
        rc = stitch_plan(s, part, err);
    if (rc == ERR_OK && s->runs.scan != NULL)
        rc = known_runs_add(&s->runs, &part->blocks, part->place.to, s->options.record, err);
    if (rc == ERR_OK)
        rc = stitch_part(s, part, before, err);
    if (rc == ERR_OK && part->last)
        rc = stitch_end(s, err);
    sums_chain_know(s->chain, NULL, 0);
    return rc;
}
