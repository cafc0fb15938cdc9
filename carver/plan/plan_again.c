/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/plan_again.c - see plan_again.h. */
#include "carver/plan/plan_again.h"

#include <stdlib.h>
#include <string.h>

#include "carver/plan/plan_impl.h"

enum {
    AGAIN_STEP = 1024,      /* bytes that a tail goes on by, or */
    AGAIN_SHARE = 16,       /* one part in so many of what it has come */
    AGAIN_TRIES = 16,       /* numbers of sharers that an object is tried with, at most */
    AGAIN_BACK = 64 * 1024, /* bytes by which a file may begin before its header's hit, and more */
};

static int again_by_place(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Makes room for so many places more. */
static enum err_code again_room(struct plan_places *places, uint32_t more, struct err *err)
{
    const uint32_t room = 2 * (places->count + more);

    if (places->count + more <= places->room)
        return ERR_OK;
    uint64_t *grown = realloc(places->items, room * sizeof *grown);
    if (grown == NULL)
        return ERR_NO_MEMORY(err, room * sizeof *grown);
    places->items = grown;
    places->room = room;
    return ERR_OK;
}

static bool again_has_place(const struct plan_places *places, uint32_t count, uint64_t place)
{
    return count > 0 && bsearch(&place, places->items, count, sizeof place, again_by_place) != NULL;
}

/* Most come in their order, and behind those that are there. */
enum err_code plan_places_add(struct plan_places *places, const uint64_t *items, uint32_t count,
                              struct err *err)
{
    const uint32_t before = places->count;
    bool sorted = true;
    const enum err_code rc = again_room(places, count, err);

    for (uint32_t i = 0; rc == ERR_OK && i < count; i++) {
        if (again_has_place(places, before, items[i]))
            continue;
        sorted = sorted && (places->count == 0 || places->items[places->count - 1] <= items[i]);
        places->items[places->count++] = items[i];
    }
    if (!sorted)
        qsort(places->items, places->count, sizeof *places->items, again_by_place);
    return rc;
}

static void again_forget_places(struct plan_places *places, uint64_t below)
{
    uint32_t gone = 0;

    while (gone < places->count && places->items[gone] < below)
        gone++;
    places->count -= gone;
    if (gone > 0)
        memmove(places->items, places->items + gone, places->count * sizeof *places->items);
}

static void again_place(struct plan *to, const struct plan *from)
{
    to->part = from->part;
    to->read_to = from->read_to;
    to->share_page = from->share_page;
    to->sharers = from->sharers;
    to->mates = from->mates;
}

static enum err_code again_copy_sig(struct plan *to, const struct plan *from, uint32_t sig,
                                    struct err *err)
{
    const enum err_code rc =
        plan_places_add(&to->claims[sig], from->claims[sig].items, from->claims[sig].count, err);
    return rc != ERR_OK ? rc : objects_copy(to->objects, from->objects, sig, err);
}

enum err_code plan_copy(struct plan *to, const struct plan *from, struct err *err)
{
    const uint32_t count = to->options.sig_count;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; (i = sig_set_next(to->some, i)) < count; i++)
        to->claims[i].count = 0;
    objects_begin(to->objects, from->part.range_end);
    again_place(to, from);
    memcpy(to->last_start, from->last_start, count * sizeof *to->last_start);
    memcpy(to->begun, from->begun, count * sizeof *to->begun);
    memcpy(to->reach, from->reach, count * sizeof *to->reach);
    for (uint32_t i = 0; rc == ERR_OK && (i = sig_set_next(from->some, i)) < count; i++)
        rc = again_copy_sig(to, from, i, err);
    return rc;
}

/* What unpacks is asked about by plan_again_check_unpacking, which must know of it. */
static enum err_code again_put_off(struct plan *plan, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < plan->options.sig_count; i++) {
        const struct sig *sig = plan->options.sigs[i];
        struct found_unpack one = { .ends_by = UINT64_MAX,
                                    .type = &sig->types[0],
                                    .why = "",
                                    .verdict = SIG_MORE,
                                    .sig = i,
                                    .spent = true };

        while (rc == ERR_OK && objects_in_step(sig) &&
               objects_put_off(plan->objects, i, &one.start, &one.sharers))
            if ((sig->flags & SIG_UNPACKS) != 0)
                rc = found_add_unpack(plan->found, &one, err);
    }
    return rc;
}

enum err_code plan_tail(struct plan *plan, struct plan *at, uint64_t far, struct err *err)
{
    const uint64_t begin = plan->lookback->limit, end = plan->part.range_end;
    uint64_t limit = begin;
    enum err_code rc = ERR_OK;

    plan->told = at;
    for (uint64_t need = 0; rc == ERR_OK && need != UINT64_MAX;) {
        const uint64_t come = (limit - begin) / AGAIN_SHARE;

        limit += come > AGAIN_STEP ? come : AGAIN_STEP;
        limit = limit < need ? need : limit;
        limit = limit < end ? limit : end;
        plan->lookback->limit = limit;
        rc = objects_run_all(plan->objects, err);
        if (rc == ERR_OK && limit - begin >= far)
            rc = again_put_off(plan, err);
        need = objects_next_need(plan->objects);
    }
    for (uint32_t i = 0;
         rc == ERR_OK && (i = sig_set_next(plan->some, i)) < plan->options.sig_count; i++) {
        const uint64_t reach = objects_covered(plan->objects, i);
        uint32_t count = 0;

        sig_set_add(at->some, i);
        const uint64_t *claims = objects_claims(plan->objects, i, &count);

        at->reach[i] = at->reach[i] > reach ? at->reach[i] : reach;
        rc = plan_places_add(&at->claims[i], claims, count, err);
    }
    plan->told = NULL;
    return rc;
}

/* Whether a tail of the signature has something to tell: an object of which it was not said by
 * where it ends, or what objects claim and cover that have had their verdict in the part. */
static bool again_has_tail(const struct plan *truth, uint32_t sig)
{
    uint32_t claims = 0;

    objects_claims(truth->objects, sig, &claims);
    return claims > 0 || objects_covered(truth->objects, sig) > 0 ||
           objects_count_at(truth->objects, sig, UINT64_MAX - 1) > 0;
}

enum err_code plan_again_tail(struct plan *truth, struct plan *scratch, struct found *again,
                              struct err *err)
{
    enum err_code rc = ERR_OK;

    plan_begin(scratch, &truth->part, again, NULL);
    scratch->lookback->limit = plan_shown(truth, truth->part.to);
    for (uint32_t i = 0;
         rc == ERR_OK && (i = sig_set_next(truth->some, i)) < truth->options.sig_count; i++)
        if (again_has_tail(truth, i))
            rc = objects_copy_untold(scratch->objects, truth->objects, i, err);
    return rc == ERR_OK ? plan_tail(scratch, truth, UINT64_MAX, err) : rc;
}

enum err_code plan_again_enter(struct plan *truth, const struct plan_part *part, struct err *err)
{
    const uint64_t before = part->from < AGAIN_BACK ? 0 : part->from - AGAIN_BACK;
    const struct sig *const *sigs = truth->options.sigs;

    truth->part = *part;
    truth->read_to = part->from;
    for (uint32_t i = 0; (i = sig_set_next(truth->some, i)) < truth->options.sig_count; i++) {
        again_forget_places(&truth->claims[i], before);
        objects_forget_ended(truth->objects, i,
                             objects_in_step(sigs[i]) ? before : plan_shown(truth, part->from));
        if (truth->reach[i] == 0 && truth->claims[i].count == 0 &&
            objects_is_blank(truth->objects, i))
            sig_set_remove(truth->some, i);
    }
    truth->entry_page = truth->share_page;
    truth->entry_mates = truth->mates;
    struct plan_places *ends = &truth->entry_ends;
    const uint32_t count = objects_unpacking_ends(truth->objects, NULL, 0);
    ends->count = 0;
    const enum err_code rc = again_room(ends, count, err);
    if (rc == ERR_OK)
        ends->count = objects_unpacking_ends(truth->objects, ends->items, count);
    return rc;
}

/* Objects that unpack, were open when the true planner entered, and do not end by image offset at.
 */
static uint32_t again_unpacking(const struct plan *truth, uint64_t at)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < truth->entry_ends.count; i++)
        count += truth->entry_ends.items[i] > at;
    return count;
}

/* The header of the note on a signature in step. */
static uint64_t again_start(const struct plan *truth, const struct plan_done *done, uint32_t hit)
{
    const struct hit *of = &done->found->hits[hit];

    return of->offset - truth->options.patterns->uses[of->pattern].at;
}

/* Whether a header of the part lies where something claims or covers. */
static bool again_reached(const struct plan *truth, const struct plan_done *done, uint32_t sig)
{
    const struct plan_places *claims = &truth->claims[sig];

    if (truth->reach[sig] == 0 && claims->count == 0)
        return false;
    for (uint32_t i = 0; i < done->found->step_count; i++) {
        if (done->found->steps[i].sig != sig)
            continue;
        const uint64_t start = again_start(truth, done, done->found->steps[i].hit);

        if (start < truth->reach[sig] || again_has_place(claims, claims->count, start))
            return true;
    }
    return false;
}

uint32_t plan_again_next(const struct plan *truth, const struct plan_done *done, uint32_t sig)
{
    return sig_set_next_of(truth->some, &done->found->some, sig);
}

enum plan_trouble plan_again_check(const struct plan *truth, const struct plan_done *done,
                                   uint32_t sig)
{
    const struct found_sig *note = &done->found->sigs[sig];

    if (note->most == 0 && note->first_start == 0 && truth->reach[sig] == 0 &&
        truth->claims[sig].count == 0)
        return PLAN_RIGHT;
    const struct sig *def = truth->options.sigs[sig];
    const bool in_step = objects_in_step(def);
    const uint32_t open = objects_count_at(truth->objects, sig, plan_shown(truth, done->part.from));
    const bool room = note->most == 0 || open + note->most <= plan_open_most(def) ||
                      (open == 0 && (in_step || truth->begun[sig] == 0));
    const bool same = note->first_start != 0 && note->first_start == truth->last_start[sig];

    if (in_step && again_reached(truth, done, sig))
        return PLAN_ONE;
    return room && !same ? PLAN_RIGHT : in_step ? PLAN_ONE : PLAN_ALL;
}

static uint64_t again_page(const struct plan_part *part, uint64_t start)
{
    return (start - part->range_begin) / PLAN_SHARE + 1;
}

/* The image offset at which these bytes end. */
static uint64_t again_page_end(const struct plan_part *part, uint64_t page)
{
    return part->range_begin + page * PLAN_SHARE;
}

/* Objects of `found` that share bytes with one that begins at start, at most: those that began a
 * page before at the earliest, or have not ended. */
static uint32_t again_around(const struct plan_part *part, const struct found *found,
                             uint64_t start)
{
    const uint64_t page = again_page(part, start);
    uint32_t count = 0;

    for (uint32_t i = 0; i < found->unpack_count; i++) {
        const struct found_unpack *one = &found->unpacks[i];

        count += one->start <= start && (again_page(part, one->start) + 1 >= page ||
                                         one->ends_by > again_page_end(part, page));
    }
    return count;
}

/* Whether the object comes out the same with so many sharers: it is run once more, by itself. */
static enum err_code again_try(const struct plan *truth, struct plan *trial,
                               const struct found_unpack *one, uint32_t sharers,
                               struct found *spare, bool *same, struct err *err)
{
    found_clear(spare);
    plan_begin(trial, &truth->part, spare, NULL);
    trial->lookback->limit = plan_shown(truth, one->start);
    enum err_code rc = objects_start(trial->objects, one->sig, one->start, 0, sharers, err);
    if (rc == ERR_OK)
        rc = plan_tail(trial, trial, UINT64_MAX, err);
    const struct found_unpack *now = spare->unpack_count > 0 ? &spare->unpacks[0] : NULL;
    *same = now != NULL && now->verdict == one->verdict && now->len == one->len &&
            now->type == one->type && strcmp(now->why, one->why) == 0 && !now->spent;
    return rc;
}

/*
 * Whether all of them would have come out the same with further sharers: those that were open in
 * the true planner, and those that were planned otherwise. own: found is what the part's own
 * planner found; else it is what was planned again, where objects had no sharers.
 */
static enum err_code again_alike(const struct plan *truth, struct plan *trial,
                                 const struct found *found, const struct found *others, bool own,
                                 struct found *spare, bool *alike, struct err *err)
{
    const struct plan_part *part = &truth->part;
    const uint64_t first = again_page(part, part->from);
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && *alike && i < found->unpack_count; i++) {
        const struct found_unpack *one = &found->unpacks[i];
        const uint64_t page = again_page(part, one->start);
        uint32_t more = again_unpacking(truth, again_page_end(part, page));

        if (!own && one->start < part->from)
            continue; /* it began before, and was asked about there */
        more += page == first && truth->entry_page + 1 == page ? truth->entry_mates : 0;
        more += others->unpack_count > 0 ? again_around(part, others, one->start) : 0;
        more += own ? 0 : again_around(part, found, one->start);
        if (more == 0 || (one->sharers + more <= one->sharers_most && !one->spent))
            continue;
        *alike = !one->spent && more <= AGAIN_TRIES;
        for (uint32_t n = 1; rc == ERR_OK && *alike && n <= more; n++)
            rc = again_try(truth, trial, one, one->sharers + n, spare, alike, err);
    }
    return rc;
}

/* Whether the true planner has an object that was put off: its header was not planned again, or is
 * open in it. */
static bool again_has_put_off(const struct plan *truth, const struct found *found,
                              const uint32_t *until, const struct found_unpack *one)
{
    const uint32_t end = until[one->sig];
    uint32_t i = 0;

    while (i < found->begin_count &&
           (found->begins[i].sig != one->sig || found->begins[i].start != one->start))
        i++;
    return i == found->begin_count || found->begins[i].hit >= end ||
           (end < found->hit_count && objects_is_open(truth->objects, one->sig, one->start));
}

void plan_again_forget_put_off(const struct plan *truth, struct found *found, const uint32_t *until)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < found->unpack_count; i++)
        if (found->unpacks[i].verdict != SIG_MORE ||
            again_has_put_off(truth, found, until, &found->unpacks[i]))
            found->unpacks[kept++] = found->unpacks[i];
    found->unpack_count = kept;
}

enum err_code plan_again_check_unpacking(const struct plan *truth, struct plan *trial,
                                         const struct plan_done *done, const struct found *again,
                                         const uint32_t *until, struct found *spare, bool *alike,
                                         struct err *err)
{
    bool unpacks = false, spent = false, open = false;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; i < truth->options.sig_count; i++)
        unpacks = unpacks || (until[i] > 0 && (truth->options.sigs[i]->flags & SIG_UNPACKS) != 0);
    for (uint32_t i = 0; i < done->found->unpack_count; i++)
        spent = spent || done->found->unpacks[i].spent;
    for (uint32_t i = 0; i < again->begin_count; i++) {
        const struct found_begin *begin = &again->begins[i];

        open = open || (until[begin->sig] == done->found->hit_count &&
                        objects_is_open(truth->objects, begin->sig, begin->start));
    }
    /* With fewer sharers more would have been unpacked, perhaps of what was put off too; and what
     * is open cannot be asked about. */
    *alike = !open && (!unpacks || !spent);
    if (*alike)
        rc = again_alike(truth, trial, done->found, again, true, spare, alike, err);
    if (rc == ERR_OK && *alike)
        rc = again_alike(truth, trial, again, done->found, false, spare, alike, err);
    return rc;
}

static enum err_code again_meet(struct plan *truth, const struct plan_done *done, uint32_t sig,
                                uint32_t hit, const uint64_t *expected, bool *met, struct err *err)
{
    truth->lookback->limit = plan_shown(truth, done->found->hits[hit].offset);
    return plan_header(truth, sig, again_start(truth, done, hit), hit, (uint64_t)done->ids[hit],
                       expected, met, err);
}

enum err_code plan_again_one(struct plan *truth, const struct plan_done *done, uint32_t sig,
                             struct found *again, uint32_t *until, struct err *err)
{
    const struct found *found = done->found;
    enum err_code rc = ERR_OK;
    bool met = false;

    truth->found = again;
    truth->alone = true;
    *until = found->hit_count;
    for (uint32_t i = 0; rc == ERR_OK && !met && i < found->step_count; i++) {
        const struct found_step *step = &found->steps[i];

        if (step->sig != sig)
            continue;
        rc = again_meet(truth, done, sig, step->hit, &step->hash, &met, err);
        if (met)
            *until = step->hit;
    }
    truth->alone = false;
    return rc;
}

void plan_again_met(struct plan *truth, uint32_t sig)
{
    objects_forget(truth->objects, sig);
    truth->reach[sig] = 0;
    truth->claims[sig].count = 0;
}

void plan_retag(struct plan *plan, const int64_t *ids)
{
    objects_retag(plan->objects, ids);
}

enum err_code plan_again_all(struct plan *truth, const struct plan_done *done, struct found *again,
                             struct err *err)
{
    enum err_code rc = ERR_OK;
    bool met;

    truth->found = again;
    for (uint32_t i = 0; rc == ERR_OK && i < done->found->hit_count; i++) {
        const struct pattern_use *use =
            &truth->options.patterns->uses[done->found->hits[i].pattern];

        if (!use->footer && truth->options.sigs[use->sig]->check != NULL)
            rc = again_meet(truth, done, use->sig, i, NULL, &met, err);
    }
    truth->lookback->limit = plan_shown(truth, done->part.to);
    return rc == ERR_OK ? objects_run_all(truth->objects, err) : rc;
}

bool plan_again_is_open(const struct plan *truth, uint32_t sig, uint64_t start)
{
    return objects_is_open(truth->objects, sig, start);
}

static enum err_code again_follow_sig(struct plan *truth, const struct plan_done *done,
                                      uint32_t sig, struct err *err)
{
    const struct plan *exit = done->exit;

    if (exit->last_start[sig] != 0)
        truth->last_start[sig] = exit->last_start[sig];
    if (exit->begun[sig] != 0)
        truth->begun[sig] =
            (truth->begun[sig] + exit->begun[sig]) % plan_round(truth->options.sigs[sig]);
    if (exit->reach[sig] > truth->reach[sig])
        truth->reach[sig] = exit->reach[sig];
    const enum err_code rc =
        plan_places_add(&truth->claims[sig], exit->claims[sig].items, exit->claims[sig].count, err);
    return rc != ERR_OK ? rc : objects_copy(truth->objects, exit->objects, sig, err);
}

/* Where and how many objects that unpack began in the last bytes of the part, of both plannings. */
static void again_follow_share(struct plan *truth, const struct plan_done *done,
                               const struct found *again, const uint32_t *until)
{
    uint64_t page = truth->share_page;
    uint32_t mates = truth->mates;
    const struct found *const both[] = { done->found, again };

    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t i = 0; i < both[k]->begin_count; i++) {
            const struct found_begin *begin = &both[k]->begins[i];
            const uint64_t at = again_page(&done->part, begin->start);

            if (k == 0 && begin->hit < until[begin->sig])
                continue;
            mates = at > page ? 1 : at == page ? mates + 1 : mates;
            page = at > page ? at : page;
        }
    truth->share_page = page;
    truth->mates = mates;
}

enum err_code plan_again_follow(struct plan *truth, const struct plan_done *done,
                                const struct found *again, const uint32_t *until, struct err *err)
{
    const uint32_t end = done->found->hit_count;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0;
         rc == ERR_OK && (i = sig_set_next(done->exit->some, i)) < truth->options.sig_count; i++)
        if (until[i] == 0 || until[i] < end)
            rc = again_follow_sig(truth, done, i, err);
    again_follow_share(truth, done, again, until);
    return rc;
}
