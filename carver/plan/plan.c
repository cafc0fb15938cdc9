/* carver/plan/plan.c - see plan.h. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "carver/plan/objects.h"
#include "carver/plan/pair.h"
#include "carver/plan/pair_text.h"
#include "carver/plan/plan.h"
#include "carver/plan/plan_queue.h"
#include "carver/plan/plan_sums.h"
#include "carver/plan/relabel.h"

/* Headers of rules in the present PLAN_CROWD bytes. */
struct plan_crowd {
    uint64_t place; /* number of these bytes, + 1 */
    uint32_t count, rule_count;
    struct {
        uint64_t place;
        uint32_t count;
    } * rules; /* by rule */
};

struct plan {
    struct plan_options options;
    struct lookback *lookback;
    struct lookback_view look; /* for options.confirm */
    struct record *record;
    struct objects *objects;
    struct pair *pair;
    const struct sig **rules; /* those of the signatures that have no validator */
    uint32_t *rule_sigs;      /* index of a rule -> index of its signature */
    uint32_t *sig_rules;      /* and back */
    struct pair_text *texts;  /* by rule: the last text of an ASCII rule */
    uint64_t *last_start;     /* by signature: start of the object begun last, + 1 */
    uint32_t *begun;          /* by signature: objects of the range so far, modulo PLAN_ROUND */
    struct plan_queue queue;
    struct plan_sums sums;
    struct plan_totals totals;
    struct plan_crowd crowd;
    uint64_t labelled; /* bytes of the range that validators were asked about for rules */
    uint64_t
        share_page;   /* number + 1 of the PLAN_SHARE bytes with the last header of what unpacks */
    uint32_t sharers; /* that unpack: open when these bytes began, or begun in those before */
    uint32_t mates;   /* and begun in these */
    uint64_t range_offset, range_end;
    uint64_t read_to; /* image offset: the open objects have been run up to here */
};

static bool plan_wanted(const struct plan *plan, uint32_t sig, const struct sig_type *type)
{
    return plan->options.wanted == NULL ||
           plan->options.wanted(plan->options.wanted_arg, plan->options.sigs[sig], type);
}

static enum err_code plan_read(void *image, uint64_t offset, uint8_t *dst, uint32_t len,
                               struct err *err)
{
    return io_salvage_read(image, offset, dst, len, NULL, NULL, err);
}

/*
 * File systems fill the rest of a file's last sector with zeros. Bytes behind an object that are
 * none say that this is not its last sector, if this image's file systems do so; containment.c
 * decides that when all objects are there.
 */
static enum err_code plan_slack(struct plan *plan, struct record_object *object, struct err *err)
{
    const bool loose =
        !object->proven || (plan->options.sigs[object->sig]->flags & SIG_LOOSE_END) != 0;
    const uint64_t end = object->offset + object->len;
    const uint64_t left = plan->range_end - end;
    uint32_t len = (uint32_t)((LIMIT_SECTOR - end % LIMIT_SECTOR) % LIMIT_SECTOR), have = 0;
    uint8_t rest[LIMIT_SECTOR];
    const uint8_t *bytes = rest;
    enum err_code rc = ERR_OK;

    len = len < left ? len : (uint32_t)left;
    if (len == 0 || object->offset % LIMIT_SECTOR != 0)
        return ERR_OK;
    if (end + len <= plan->lookback->limit) {
        struct lookback_view *view = objects_view(plan->objects);

        bytes = view->source.view(&view->source, end, len, &have);
        rc = lookback_view_error(view, err);
    } else {
        rc = plan_read(plan->lookback->image, end, rest, len, err);
    }
    if (rc != ERR_OK || bytes == NULL)
        return rc;
    const bool zeros = bytes[0] == 0 && memcmp(bytes, bytes + 1, len - 1) == 0;
    object->slack = zeros ? DB_SLACK_ZEROS : loose ? DB_SLACK_FOREIGN : DB_SLACK_OTHER;
    return ERR_OK;
}

static enum err_code plan_checked(void *arg, const struct objects_verdict *verdict, struct err *err)
{
    struct plan *plan = arg;
    struct record_object object = {
        .hit_id = (int64_t)verdict->tag,
        .sig = verdict->sig,
        .type = verdict->type,
        .state = verdict->result.verdict == SIG_COMPLETE ? "complete" : "truncated",
        .validated = true,
        .proven = verdict->result.proven,
        .container = (plan->options.sigs[verdict->sig]->flags & SIG_CONTAINER) != 0,
        .offset = verdict->start,
        .len = verdict->result.len,
    };

    plan->totals.unpacked += verdict->unpacked;
    if (verdict->result.verdict == SIG_REJECT) {
        plan->totals.rejected++;
        return ERR_OK;
    }
    plan->totals.cut += verdict->result.spent;
    if (!plan_wanted(plan, verdict->sig, verdict->type))
        return ERR_OK;
    snprintf(object.reason, sizeof object.reason, "%s", verdict->result.why);
    if (verdict->result.verdict == SIG_COMPLETE) {
        const enum err_code rc = plan_slack(plan, &object, err);
        if (rc != ERR_OK)
            return rc;
    }
    return plan_sums_record(&plan->sums, plan->record, &object,
                            verdict->has_before ? &verdict->before : NULL, err);
}

static const char *plan_range_reason(const struct sig *rule, enum pair_how how)
{
    static const char *const by_mode[] = { [SIG_FORWARD] = "first footer after the header",
                                           [SIG_NEXT] = "up to the next footer",
                                           [SIG_REVERSE] = "last footer within the rule's maximum",
                                           [SIG_ASCII] = "printable text around the header" };

    if (how != PAIR_CUT)
        return by_mode[rule->mode];
    return rule->footer.len == 0 ? "the rule has no footer: cut at its maximum"
                                 : "no footer within the rule's maximum: cut there";
}

/*
 * Rules give objects that lie in one another as deep as there are headers: to ask a validator about
 * each would read the same bytes as often.
 */
static bool plan_may_relabel(struct plan *plan, const struct pair_range *range)
{
    const uint64_t passed = range->offset + range->len - plan->range_offset;

    if (plan->labelled + range->len > PLAN_LABEL_FREE + PLAN_LABEL_SHARE * passed) {
        plan->totals.unlabelled++;
        return false;
    }
    plan->labelled += range->len;
    return true;
}

static enum err_code plan_paired(void *arg, const struct pair_range *paired, struct err *err)
{
    struct plan *plan = arg;
    struct pair_range text = *paired;
    const struct pair_range *range = &text;
    bool fresh = true;
    const uint32_t sig = plan->rule_sigs[range->rule];
    const struct sig *rule = plan->options.sigs[sig];
    enum err_code rc = ERR_OK;

    if (paired->how == PAIR_TEXT)
        rc = pair_text_expand(&plan->texts[paired->rule], plan->range_offset, plan->range_end,
                              rule->size_max, plan_read, plan->lookback->image, &text, &fresh, err);
    struct record_object object = {
        .hit_id = (int64_t)range->tag,
        .sig = sig,
        .type = &rule->types[0],
        .state = range->how == PAIR_CUT ? "truncated" : "footer",
        .offset = range->offset,
        .len = range->len,
    };
    if (rc != ERR_OK || !fresh || !plan_wanted(plan, sig, object.type))
        return rc;
    snprintf(object.reason, sizeof object.reason, "%s", plan_range_reason(rule, range->how));
    if (plan->options.label && range->how == PAIR_FOOTER && (rule->flags & SIG_FROM_CONF) != 0 &&
        plan_may_relabel(plan, range))
        rc = relabel_object(objects_view(plan->objects), &object, err);
    if (rc == ERR_OK)
        rc = plan_sums_record(&plan->sums, plan->record, &object, NULL, err);
    return rc;
}

static enum err_code plan_split_rules(struct plan *plan, struct err *err)
{
    const uint32_t count = plan->options.sig_count;
    uint32_t rules = 0;

    plan->rules = calloc(count + 1u, sizeof *plan->rules);
    plan->rule_sigs = calloc(count + 1u, sizeof *plan->rule_sigs);
    plan->sig_rules = calloc(count + 1u, sizeof *plan->sig_rules);
    plan->last_start = calloc(count + 1u, sizeof *plan->last_start);
    plan->begun = calloc(count + 1u, sizeof *plan->begun);
    plan->texts = calloc(count + 1u, sizeof *plan->texts);
    plan->crowd.rules = calloc(count + 1u, sizeof *plan->crowd.rules);
    if (plan->rules == NULL || plan->rule_sigs == NULL || plan->sig_rules == NULL ||
        plan->last_start == NULL || plan->begun == NULL || plan->texts == NULL ||
        plan->crowd.rules == NULL)
        return ERR_NO_MEMORY(err, count * sizeof *plan->rules);
    for (uint32_t i = 0; i < count; i++) {
        if (plan->options.sigs[i]->check != NULL)
            continue;
        plan->rules[rules] = plan->options.sigs[i];
        plan->rule_sigs[rules] = i;
        plan->sig_rules[i] = rules++;
    }
    plan->crowd.rule_count = rules;
    return pair_open(plan->rules, rules, plan->options.compat, plan_paired, plan, &plan->pair, err);
}

enum err_code plan_open(const struct plan_options *options, struct lookback *lookback,
                        struct record *record, struct plan **out, struct err *err)
{
    struct plan *plan = calloc(1, sizeof *plan);

    *out = plan;
    if (plan == NULL)
        return ERR_NO_MEMORY(err, sizeof *plan);
    plan->options = *options;
    plan->lookback = lookback;
    plan->record = record;
    plan->sums.sums = options->sums;
    enum err_code rc = plan_split_rules(plan, err);
    if (rc == ERR_OK && options->confirm != NULL)
        rc = lookback_view_open(lookback, &plan->look, err);
    if (rc == ERR_OK)
        rc = objects_open(options->sigs, options->sig_count, lookback, options->threads,
                          plan_checked, plan, &plan->objects, err);
    if (rc != ERR_OK) {
        plan_close(plan);
        *out = NULL;
    }
    return rc;
}

void plan_close(struct plan *plan)
{
    if (plan == NULL)
        return;
    objects_close(plan->objects);
    lookback_view_close(&plan->look);
    pair_close(plan->pair);
    plan_queue_release(&plan->queue);
    plan_sums_release(&plan->sums);
    free(plan->rules);
    free(plan->rule_sigs);
    free(plan->sig_rules);
    free(plan->last_start);
    free(plan->begun);
    free(plan->texts);
    free(plan->crowd.rules);
    free(plan);
}

uint64_t plan_held(const struct plan *plan)
{
    return objects_held(plan->objects);
}

enum err_code plan_wait(struct plan *plan, struct err *err)
{
    return objects_wait(plan->objects, err);
}

enum err_code plan_leave(struct plan *plan, uint64_t below, struct err *err)
{
    return plan->sums.sums == NULL ? ERR_OK
                                   : objects_leave(plan->objects, plan->sums.sums, below, err);
}

enum err_code plan_summed(struct plan *plan, struct err *err)
{
    return plan_sums_front(&plan->sums, plan->record, err);
}

uint64_t plan_reread(const struct plan *plan)
{
    return objects_reread(plan->objects) +
           (plan->sums.sums != NULL ? sums_reread(plan->sums.sums) : 0);
}

const struct plan_totals *plan_totals(const struct plan *plan)
{
    return &plan->totals;
}

enum err_code plan_begin_range(struct plan *plan, uint64_t offset, uint64_t end, struct err *err)
{
    plan->range_offset = offset;
    plan->range_end = end;
    plan->read_to = offset;
    plan->share_page = 0;
    plan->labelled = 0;
    plan->crowd.place = 0;
    for (uint32_t i = 0; i < plan->crowd.rule_count; i++)
        plan->crowd.rules[i].place = 0;
    memset(plan->texts, 0, plan->options.sig_count * sizeof *plan->texts);
    memset(plan->last_start, 0, plan->options.sig_count * sizeof *plan->last_start);
    memset(plan->begun, 0, plan->options.sig_count * sizeof *plan->begun);
    objects_set_end(plan->objects, end);
    return pair_begin(plan->pair, offset, end, err);
}

/*
 * Ends objects of which too many are open. Those that are not in step may lag behind, and what they
 * have read decides nothing but this: so it is done when so many headers have been met, which does
 * not depend on how far the objects have come.
 */
static enum err_code plan_make_room(struct plan *plan, uint32_t sig, bool in_step, struct err *err)
{
    const uint32_t asked = plan->options.sigs[sig]->open_max,
                   most = asked != 0 ? asked : PLAN_OPEN_MAX;
    enum err_code rc = ERR_OK;

    plan->begun[sig] = (plan->begun[sig] + 1) % (most < PLAN_ROUND ? most : PLAN_ROUND);
    if (in_step)
        return objects_trim(plan->objects, sig, most - 1, &plan->totals.evicted, err);
    if (plan->begun[sig] != 0)
        return ERR_OK;
    rc = objects_wait(plan->objects, err);
    if (rc == ERR_OK)
        rc = objects_run(plan->objects, sig, err);
    return rc == ERR_OK ? objects_trim(plan->objects, sig, most, &plan->totals.evicted, err) : rc;
}

/*
 * With how many others an object that begins at image offset start shares the bytes that it
 * unpacks: those that are open, and, since many may have ended soon, all that began before it in
 * the same PLAN_SHARE bytes and in those before. To know what is open they are all run, which takes
 * its time, so that is done once for these bytes. What comes out depends on the headers alone.
 */
static enum err_code plan_sharers(struct plan *plan, uint32_t sig, uint64_t start,
                                  uint32_t *sharers, struct err *err)
{
    const uint64_t page = start / PLAN_SHARE + 1;
    enum err_code rc = ERR_OK;

    *sharers = 0;
    if ((plan->options.sigs[sig]->flags & SIG_UNPACKS) == 0)
        return ERR_OK;
    if (plan->share_page != page) {
        rc = objects_unpacking(plan->objects, &plan->sharers, err);
        plan->sharers += plan->share_page + 1 == page ? plan->mates : 0;
        plan->mates = 0;
    }
    plan->share_page = page;
    *sharers = plan->sharers + plan->mates++;
    return rc;
}

/* A header of a signature with a validator. The lookback's limit stands PLAN_LOOKAHEAD behind it.
 */
static enum err_code plan_header(struct plan *plan, uint32_t sig, uint64_t start, int64_t hit_id,
                                 struct err *err)
{
    const bool in_step = objects_in_step(plan->options.sigs[sig]);
    uint32_t sharers = 0;
    enum err_code rc = in_step ? objects_run(plan->objects, sig, err) : ERR_OK;

    if (rc != ERR_OK)
        return rc;
    if (in_step && objects_claimed(plan->objects, sig, start)) {
        plan->totals.claimed++;
        return ERR_OK;
    }
    if (plan->last_start[sig] == start + 1)
        return ERR_OK; /* two headers of one signature name the same file */
    plan->last_start[sig] = start + 1;
    plan->totals.headers++;
    rc = plan_make_room(plan, sig, in_step, err);
    if (rc == ERR_OK)
        rc = plan_sharers(plan, sig, start, &sharers, err);
    if (rc == ERR_OK)
        rc = objects_start(plan->objects, sig, start, (uint64_t)hit_id, sharers, err);
    return rc == ERR_OK && in_step ? objects_run(plan->objects, sig, err) : rc;
}

static enum err_code plan_footer(struct plan *plan, uint32_t sig, const struct hit *hit,
                                 struct err *err)
{
    int64_t id;
    bool useful;
    enum err_code rc =
        pair_footer(plan->pair, plan->sig_rules[sig], hit->offset, hit->len, &useful, err);

    if (rc == ERR_OK && (useful || plan->options.all_hits))
        rc = record_hit(plan->record, sig, hit->offset, hit->len, true, &id, err);
    return rc;
}

/* What cannot be looked at is not confirmed: it lies in the lookback, or the pipeline has lost it.
 */
static bool plan_confirmed(struct plan *plan, const struct hit *hit)
{
    uint32_t have;

    if (plan->options.confirm == NULL)
        return true;
    const uint8_t *bytes = plan->look.source.view(&plan->look.source, hit->offset, hit->len, &have);
    return bytes != NULL && plan->options.confirm(plan->options.confirm_arg, hit->pattern, bytes);
}

/*
 * Whether a header of a rule is one too many. A rule of one byte would make a million objects of
 * one MiB; what is left out is counted. A rule that finds little is not silenced by one that finds
 * much.
 */
static bool plan_crowded(struct plan *plan, uint32_t rule, uint64_t at)
{
    struct plan_crowd *crowd = &plan->crowd;
    const uint64_t place = at / PLAN_CROWD + 1;

    if (crowd->place != place)
        crowd->count = 0;
    if (crowd->rules[rule].place != place)
        crowd->rules[rule].count = 0;
    crowd->place = crowd->rules[rule].place = place;
    if (crowd->count >= PLAN_CROWD_MAX &&
        crowd->rules[rule].count >= PLAN_CROWD_MAX / crowd->rule_count) {
        if (plan->totals.crowded++ == 0)
            plan->totals.crowd_at = at;
        return true;
    }
    crowd->count++;
    crowd->rules[rule].count++;
    return false;
}

static enum err_code plan_hit(struct plan *plan, const struct hit *hit, struct err *err)
{
    const struct pattern_use *use = &plan->options.patterns->uses[hit->pattern];
    const struct sig *sig = plan->options.sigs[use->sig];
    int64_t id;

    if (use->footer && plan->options.hits_only)
        return record_hit(plan->record, use->sig, hit->offset, hit->len, true, &id, err);
    if (use->footer)
        return plan_footer(plan, use->sig, hit, err);
    if (hit->offset - plan->range_offset < use->at)
        return ERR_OK; /* the file would begin before the range */
    const uint64_t start = hit->offset - use->at;
    if (start % plan->options.align != 0)
        return ERR_OK;
    if (sig->check == NULL && !plan->options.hits_only &&
        plan_crowded(plan, plan->sig_rules[use->sig], hit->offset))
        return ERR_OK;
    enum err_code rc = record_hit(plan->record, use->sig, hit->offset, hit->len, false, &id, err);
    if (rc != ERR_OK || plan->options.hits_only)
        return rc;
    if (sig->check != NULL)
        return plan_header(plan, use->sig, start, id, err);
    if (plan->sums.sums != NULL)
        rc = sums_remember(plan->sums.sums, start, err);
    if (rc == ERR_OK)
        rc = pair_header(plan->pair, plan->sig_rules[use->sig], start, hit->len, (uint64_t)id, err);
    return rc;
}

enum err_code plan_hits(struct plan *plan, const struct hit *hits, uint32_t count, uint64_t known,
                        uint64_t front, struct err *err)
{
    const bool last = front == plan->range_end;
    struct hit hit;
    enum err_code rc = plan_queue_add(&plan->queue, hits, count, err);

    if (!last && known + PLAN_LOOKAHEAD > front)
        known = front < PLAN_LOOKAHEAD ? 0 : front - PLAN_LOOKAHEAD;
    while (rc == ERR_OK && plan_queue_take(&plan->queue, known, &hit)) {
        const uint64_t shown = hit.offset + PLAN_LOOKAHEAD;

        plan->lookback->limit = shown < plan->range_end ? shown : plan->range_end;
        if (plan_confirmed(plan, &hit))
            rc = plan_hit(plan, &hit, err);
    }
    return rc;
}

enum err_code plan_front(struct plan *plan, uint64_t front, struct err *err)
{
    const bool last = front == plan->range_end;
    const uint64_t known = last ? front : front < PLAN_LOOKAHEAD ? 0 : front - PLAN_LOOKAHEAD;
    enum err_code rc = ERR_OK;

    plan->lookback->limit = front;
    if (last || front - plan->read_to >= PLAN_BATCH) {
        plan->read_to = front;
        rc = objects_launch(plan->objects, plan->options.keep, err);
        if (rc == ERR_OK && last)
            rc = objects_wait(plan->objects, err);
    }
    if (rc == ERR_OK)
        rc = pair_advance(plan->pair, known, err);
    return rc;
}

enum err_code plan_end_range(struct plan *plan, struct err *err)
{
    assert(plan->queue.count == 0 && plan->lookback->limit == plan->range_end);
    return pair_end(plan->pair, err);
}
