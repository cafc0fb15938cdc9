/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/plan.c - see plan.h. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "carver/plan/plan_impl.h"

enum { PLAN_COUNT = 9 /* see plan_count_open */ };

bool plan_wants(const struct plan_options *options, uint32_t sig, const struct sig_type *type)
{
    return options->wanted == NULL ||
           options->wanted(options->wanted_arg, options->sigs[sig], type);
}

/*
 * File systems fill the rest of a file's last sector with zeros. Bytes behind an object that are
 * none say that this is not its last sector, if this image's file systems do so; containment.c
 * decides that when all objects are there.
 */
static enum err_code plan_slack(struct plan *plan, struct found_object *object, struct err *err)
{
    const bool loose =
        !object->proven || (plan->options.sigs[object->sig]->flags & SIG_LOOSE_END) != 0;
    const uint64_t end = object->offset + object->len;
    const uint64_t left = plan->part.range_end - end;
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
        rc = io_salvage_read(plan->lookback->image, end, rest, len, NULL, NULL, err);
        lookback_view_saw(objects_view(plan->objects), end, end + len);
    }
    if (rc != ERR_OK || bytes == NULL)
        return rc;
    const bool zeros = bytes[0] == 0 && memcmp(bytes, bytes + 1, len - 1) == 0;
    object->slack = zeros ? DB_SLACK_ZEROS : loose ? DB_SLACK_FOREIGN : DB_SLACK_OTHER;
    return ERR_OK;
}

/*
 * The facts of the object. A validator may believe a length, so the last bytes may not have come
 * by yet: they are read from the image.
 */
static enum err_code plan_facts(struct plan *plan, struct found_object *object, struct err *err)
{
    const struct sig *sig = plan->options.sigs[object->sig];
    struct lookback_view *view = objects_view(plan->objects);
    const uint64_t limit = plan->lookback->limit;

    if (sig->facts == NULL)
        return ERR_OK;
    if (limit < object->offset + object->len)
        plan->lookback->limit = object->offset + object->len;
    sig_facts_read(sig, object->type, &view->source, object->offset, object->len, plan->facts);
    plan->lookback->limit = limit;
    object->facts = fact_pack(&plan->found->facts, plan->facts);
    return plan->found->facts.failed ? ERR_NO_MEMORY(err, sizeof *plan->facts)
                                     : lookback_view_error(view, err);
}

static enum err_code plan_note_unpack(struct plan *plan, const struct objects_verdict *verdict,
                                      struct err *err)
{
    const struct found_unpack unpack = { .start = verdict->start,
                                         .ends_by = verdict->ends_by,
                                         .len = verdict->result.len,
                                         .type = verdict->type,
                                         .why = verdict->result.why,
                                         .verdict = verdict->result.verdict,
                                         .sig = verdict->sig,
                                         .sharers = verdict->sharers,
                                         .sharers_most = verdict->sharers_most,
                                         .spent = verdict->result.spent };

    plan->totals.unpacked += verdict->unpacked;
    return (plan->options.sigs[verdict->sig]->flags & SIG_UNPACKS) != 0
               ? found_add_unpack(plan->found, &unpack, err)
               : ERR_OK;
}

static enum err_code plan_checked(void *arg, const struct objects_verdict *verdict, struct err *err)
{
    struct plan *plan = arg;
    struct found_object object = { .tag = verdict->tag,
                                   .sig = verdict->sig,
                                   .type = verdict->type,
                                   .complete = verdict->result.verdict == SIG_COMPLETE,
                                   .proven = verdict->result.proven,
                                   .spent = verdict->result.spent,
                                   .offset = verdict->start,
                                   .len = verdict->result.len,
                                   .ends_by = verdict->ends_by,
                                   .why = verdict->result.why };
    enum err_code rc = plan_note_unpack(plan, verdict, err);

    if (plan->told != NULL)
        objects_set_ends_by(plan->told->objects, verdict->sig, verdict->start, verdict->ends_by);
    if (verdict->result.verdict == SIG_REJECT)
        plan->totals.rejected++;
    else
        plan->totals.cut += verdict->result.spent;
    if (rc != ERR_OK || verdict->result.verdict == SIG_REJECT ||
        !plan_wants(&plan->options, verdict->sig, verdict->type))
        return rc;
    if (object.complete)
        rc = plan_slack(plan, &object, err);
    if (rc == ERR_OK)
        rc = plan_facts(plan, &object, err);
    return rc == ERR_OK ? plan_sums_add(&plan->sums, plan->found, &object,
                                        verdict->has_before ? &verdict->before : NULL, err)
                        : rc;
}

void plan_totals_add(struct plan_totals *totals, const struct plan_totals *more)
{
    totals->headers += more->headers;
    totals->claimed += more->claimed;
    totals->rejected += more->rejected;
    totals->evicted += more->evicted;
    totals->cut += more->cut;
    totals->unpacked += more->unpacked;
    if (totals->crowded == 0)
        totals->crowd_at = more->crowd_at;
    totals->crowded += more->crowded;
    totals->unlabelled += more->unlabelled;
}

void plan_totals_save(const struct plan_totals *totals, struct pack *out)
{
    pack_number(out, totals->headers);
    pack_number(out, totals->claimed);
    pack_number(out, totals->rejected);
    pack_number(out, totals->evicted);
    pack_number(out, totals->cut);
    pack_number(out, totals->unpacked);
    pack_number(out, totals->crowded);
    pack_number(out, totals->crowd_at);
    pack_number(out, totals->unlabelled);
}

void plan_totals_restore(struct plan_totals *totals, struct unpack *in)
{
    totals->headers = unpack_number(in, UINT64_MAX);
    totals->claimed = unpack_number(in, UINT64_MAX);
    totals->rejected = unpack_number(in, UINT64_MAX);
    totals->evicted = unpack_number(in, UINT64_MAX);
    totals->cut = unpack_number(in, UINT64_MAX);
    totals->unpacked = unpack_number(in, UINT64_MAX);
    totals->crowded = unpack_number(in, UINT64_MAX);
    totals->crowd_at = unpack_number(in, UINT64_MAX);
    totals->unlabelled = unpack_number(in, UINT64_MAX);
}

enum err_code plan_open(const struct plan_options *options, struct lookback *lookback,
                        struct plan **out, struct err *err)
{
    const uint32_t count = options->sig_count;
    struct plan *plan = calloc(1, sizeof *plan);

    *out = plan;
    if (plan == NULL)
        return ERR_NO_MEMORY(err, sizeof *plan);
    plan->options = *options;
    plan->lookback = lookback;
    lookback_view_open(lookback, &plan->look);
    plan->last_start = calloc(count + 1u, sizeof *plan->last_start);
    plan->begun = calloc(count + 1u, sizeof *plan->begun);
    plan->reach = calloc(count + 1u, sizeof *plan->reach);
    plan->claims = calloc(count + 1u, sizeof *plan->claims);
    plan->facts = aligned_alloc(_Alignof(struct sig_facts), sizeof *plan->facts);
    enum err_code rc =
        plan->last_start != NULL && plan->begun != NULL && plan->reach != NULL &&
                plan->claims != NULL && plan->facts != NULL
            ? objects_open(options->sigs, count, lookback, plan_checked, plan, &plan->objects, err)
            : ERR_NO_MEMORY(err, count * sizeof *plan->last_start);
    if (rc == ERR_OK) {
        plan->some = objects_some(plan->objects);
    } else {
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
    plan_queue_release(&plan->queue);
    plan_sums_release(&plan->sums);
    free(plan->last_start);
    free(plan->begun);
    free(plan->reach);
    for (uint32_t i = 0; plan->claims != NULL && i < plan->options.sig_count; i++)
        free(plan->claims[i].items);
    free(plan->claims);
    free(plan->entry_ends.items);
    free(plan->facts);
    free(plan);
}

enum err_code plan_leave(struct plan *plan, uint64_t below, struct err *err)
{
    return plan->sums.sums == NULL ? ERR_OK
                                   : objects_leave(plan->objects, plan->sums.sums, below, err);
}

enum err_code plan_summed(struct plan *plan, struct err *err)
{
    return plan_sums_front(&plan->sums, plan->found, err);
}

bool plan_looked(const struct plan *plan, struct io_range *out)
{
    const struct lookback_view *view = objects_view(plan->objects);

    *out = (struct io_range){ 0, 0 };
    if (view->low < view->high)
        *out = (struct io_range){ view->low, view->high - view->low };
    return out->len > 0;
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

void plan_begin(struct plan *plan, const struct plan_part *part, struct found *found,
                struct sums *sums)
{
    const uint32_t count = plan->options.sig_count;

    plan->part = *part;
    plan->found = found;
    plan->read_to = part->from;
    plan->share_page = 0;
    plan->sharers = plan->mates = 0;
    plan->queue.first = plan->queue.count = 0;
    plan->totals = (struct plan_totals){ 0 };
    memset(plan->last_start, 0, count * sizeof *plan->last_start);
    memset(plan->begun, 0, count * sizeof *plan->begun);
    memset(plan->reach, 0, count * sizeof *plan->reach);
    for (uint32_t i = 0; (i = sig_set_next(plan->some, i)) < count; i++)
        plan->claims[i].count = 0;
    objects_begin(plan->objects, part->range_end);
    plan_sums_begin(&plan->sums, sums);
}

uint32_t plan_open_most(const struct sig *sig)
{
    return sig->open_max != 0 ? sig->open_max : PLAN_OPEN_MAX;
}

uint32_t plan_round(const struct sig *sig)
{
    const uint32_t most = plan_open_most(sig);

    return most < PLAN_ROUND ? most : PLAN_ROUND;
}

/*
 * Ends objects of which too many are open. Those that are not in step may lag behind, and what they
 * have read decides nothing but this: so it is done when so many headers have been met, which does
 * not depend on how far the objects have come.
 */
static enum err_code plan_make_room(struct plan *plan, uint32_t sig, bool in_step, struct err *err)
{
    const uint32_t most = plan_open_most(plan->options.sigs[sig]);
    enum err_code rc = ERR_OK;

    plan->begun[sig] = (plan->begun[sig] + 1) % plan_round(plan->options.sigs[sig]);
    if (in_step)
        return objects_trim(plan->objects, sig, most - 1, &plan->totals.evicted, err);
    if (plan->begun[sig] != 0)
        return ERR_OK;
    rc = objects_run(plan->objects, sig, err);
    return rc == ERR_OK ? objects_trim(plan->objects, sig, most, &plan->totals.evicted, err) : rc;
}

/*
 * Objects that lag behind count as open, although they may have ended. Where so many seem to be
 * open that with some from before the part there could be too many, they are run now and then, so
 * that the note on their number is no greater than it must be.
 */
static enum err_code plan_count_open(struct plan *plan, uint32_t sig, struct err *err)
{
    const uint32_t most = plan_open_most(plan->options.sigs[sig]);
    const bool runs = objects_count(plan->objects, sig) > most / 2 &&
                      plan->found->sigs[sig].most <= most &&
                      plan->begun[sig] % (most / PLAN_COUNT + 1) == 0;

    return runs && !objects_in_step(plan->options.sigs[sig]) ? objects_run(plan->objects, sig, err)
                                                             : ERR_OK;
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
    const uint64_t page = (start - plan->part.range_begin) / PLAN_SHARE + 1;
    enum err_code rc = ERR_OK;

    *sharers = 0;
    if ((plan->options.sigs[sig]->flags & SIG_UNPACKS) == 0 || plan->alone)
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

/* Notes what there is of the signature now that its object has begun. */
static enum err_code plan_note_begun(struct plan *plan, uint32_t sig, uint64_t start, uint32_t hit,
                                     struct err *err)
{
    struct found_sig *note = &plan->found->sigs[sig];
    const uint32_t open = objects_count(plan->objects, sig);

    sig_set_add(&plan->found->some, sig);
    if (note->first_start == 0)
        note->first_start = start + 1;
    if (note->most < open)
        note->most = open;
    return (plan->options.sigs[sig]->flags & SIG_UNPACKS) != 0
               ? found_add_begin(plan->found, &(struct found_begin){ start, hit, sig }, err)
               : ERR_OK;
}

enum err_code plan_header(struct plan *plan, uint32_t sig, uint64_t start, uint32_t hit,
                          uint64_t tag, const uint64_t *expected, bool *met, struct err *err)
{
    const bool in_step = objects_in_step(plan->options.sigs[sig]);
    uint32_t sharers = 0;
    enum err_code rc = in_step ? objects_run(plan->objects, sig, err) : ERR_OK;

    *met = false;
    if (rc == ERR_OK && in_step) {
        const uint64_t hash = objects_hash(plan->objects, sig, start) + plan->last_start[sig];

        *met = expected != NULL && *expected == hash;
        if (*met)
            return ERR_OK;
        rc = found_add_step(plan->found, &(struct found_step){ hit, sig, hash }, err);
    }
    if (rc != ERR_OK)
        return rc;
    if (in_step && objects_claimed(plan->objects, sig, start)) {
        plan->totals.claimed++;
        return ERR_OK;
    }
    if (plan->last_start[sig] == start + 1)
        return ERR_OK; /* two headers of one signature name the same file */
    sig_set_add(plan->some, sig);
    plan->last_start[sig] = start + 1;
    plan->totals.headers++;
    rc = plan_make_room(plan, sig, in_step, err);
    if (rc == ERR_OK)
        rc = plan_sharers(plan, sig, start, &sharers, err);
    if (rc == ERR_OK)
        rc = objects_start(plan->objects, sig, start, tag, sharers, err);
    if (rc == ERR_OK)
        rc = plan_count_open(plan, sig, err);
    if (rc == ERR_OK)
        rc = plan_note_begun(plan, sig, start, hit, err);
    return rc == ERR_OK && in_step ? objects_run(plan->objects, sig, err) : rc;
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

/* For rules, which are paired later: CRCs of the part at the places that they will ask for. */
static enum err_code plan_note_sum(struct plan *plan, const struct sig *sig, const struct hit *hit,
                                   bool footer, uint64_t start, struct err *err)
{
    struct found_sum sum = { .at = !footer                 ? start
                                   : sig->mode == SIG_NEXT ? hit->offset
                                                           : hit->offset + hit->len };

    if (plan->sums.sums == NULL || sum.at < sums_first(plan->sums.sums) ||
        sum.at > sums_front(plan->sums.sums))
        return ERR_OK;
    const enum err_code rc = sums_at(plan->sums.sums, sum.at, &sum.value, err);
    return rc == ERR_OK ? found_add_sum(plan->found, &sum, err) : rc;
}

/* Whether the hit lies where hits count. What a rule begins has to begin where its header lies. */
static bool plan_in_runs(const struct plan *plan, const struct sig *sig, uint64_t start,
                         const struct hit *hit)
{
    const struct runs *runs = plan->options.runs;
    const struct io_range *run = runs == NULL ? NULL : runs_at(runs, start);

    return runs == NULL ||
           (run != NULL && (sig->check != NULL || hit->offset - run->offset < run->len));
}

static enum err_code plan_hit(struct plan *plan, const struct hit *hit, struct err *err)
{
    const struct pattern_use *use = &plan->options.patterns->uses[hit->pattern];
    const struct sig *sig = plan->options.sigs[use->sig];
    const uint32_t index = plan->found->hit_count;
    bool met;

    if (!use->footer && hit->offset - plan->part.range_begin < use->at)
        return ERR_OK; /* the file would begin before the range */
    const uint64_t start = hit->offset - (use->footer ? 0 : use->at);
    if ((!use->footer && start % plan->options.align != 0) || !plan_in_runs(plan, sig, start, hit))
        return ERR_OK;
    enum err_code rc = found_add_hit(plan->found, hit, err);
    if (rc != ERR_OK || plan->options.hits_only)
        return rc;
    return sig->check != NULL ? plan_header(plan, use->sig, start, index, index, NULL, &met, err)
                              : plan_note_sum(plan, sig, hit, use->footer, start, err);
}

uint64_t plan_shown(const struct plan *plan, uint64_t header)
{
    const uint64_t shown = header + PLAN_LOOKAHEAD;

    return shown < plan->part.range_end ? shown : plan->part.range_end;
}

enum err_code plan_hits(struct plan *plan, const struct hit *hits, uint32_t count, uint64_t known,
                        uint64_t front, struct err *err)
{
    const bool last = front == plan->part.range_end;
    struct hit hit;
    enum err_code rc = plan_queue_add(&plan->queue, hits, count, err);

    if (!last && known + PLAN_LOOKAHEAD > front)
        known = front < PLAN_LOOKAHEAD ? 0 : front - PLAN_LOOKAHEAD;
    while (rc == ERR_OK && plan_queue_take(&plan->queue, known, &hit)) {
        if (hit.offset < plan->part.from || hit.offset >= plan->part.to)
            continue;
        plan->lookback->limit = plan_shown(plan, hit.offset);
        if (plan_confirmed(plan, &hit))
            rc = plan_hit(plan, &hit, err);
    }
    return rc;
}

enum err_code plan_front(struct plan *plan, uint64_t front, struct err *err)
{
    plan->lookback->limit = front;
    if (front != plan->part.range_end && front - plan->read_to < PLAN_BATCH)
        return ERR_OK;
    plan->read_to = front;
    return objects_run_all(plan->objects, err);
}

void plan_end(struct plan *plan, uint64_t to)
{
    plan->part.to = to;
    plan->queue.first = plan->queue.count = 0;
}
