/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/assemble_tries.c - see assemble_impl.h. */
#include <stdlib.h>

#include "base/limits.h"
#include "carver/assemble/assemble_impl.h"
#include "carver/assemble/fork.h"
#include "carver/assemble/mapped.h"
#include "carver/assemble/members.h"
#include "carver/assemble/pages.h"

enum {
    ASSEMBLE_SHARE = 2,             /* work of forks for each byte in reach of starts, */
    ASSEMBLE_SHARE_LEAST = 1 << 29, /* or so much, times the effort */
    ASSEMBLE_START_LEAST = 4 << 20, /* and for each start, in the first round, */
    ASSEMBLE_MORE = 8,              /* times as much from round to round */
    ASSEMBLE_FORK_ROUNDS = 3,
    ASSEMBLE_GUESS_WORK = 1 << 23, /* work of validators for each guess, times the effort, */
    ASSEMBLE_GUESS_SHARE = 8,      /* and of all of them for each byte in reach of starts, */
    ASSEMBLE_GUESS_MIN = 1 << 30,  /* or so much, times the effort */
    ASSEMBLE_GUESS_EACH = 1 << 17, /* bytes in reach of starts for which one is guessed about, */
    ASSEMBLE_GUESS_LEAST = 256,    /* and so many beside, times the effort */
    ASSEMBLE_SOON = 64,            /* starts that are asked for before the one that is read */
};

/* The bytes that are looked at first of what begins here will be read soon. */
static void assemble_soon(const struct assemble *a, const struct start *start)
{
    const struct owner *owner =
        a->believed ? owners_find(&a->owners, start->offset, start->hit_id) : NULL;

    splice_soon(a->job->image, start->offset + (owner != NULL ? owner->len : 0), 1);
}

/* The start that a task is about. Those of tasks that come later begin to be read. */
static size_t assemble_start(const struct assemble *a, size_t number)
{
    const size_t end = a->first + number + ASSEMBLE_SOON + 1;
    const size_t last = end < a->fork_count ? end : a->fork_count;

    for (size_t i = number == 0 ? a->first : end - 1; i < last; i++)
        assemble_soon(a, &a->starts.items[a->forks[i]]);
    return a->forks[a->first + number];
}

static enum err_code assemble_fork(void *arg, size_t number, struct trial *trial, struct err *err)
{
    const struct assemble *a = arg;
    const size_t start = assemble_start(a, number);
    const struct fork_job job = { .start = &a->starts.items[start],
                                  .islands = &a->islands,
                                  .ground = &a->ground,
                                  .starts = &a->starts,
                                  .image_len = io_image_size(a->job->image),
                                  .budget = a->fork_budget,
                                  .memo = a->memo,
                                  .followed = &a->followed[start] };
    const uint64_t before = trial->work;
    bool spent = false;
    const enum err_code rc = fork_try(&job, trial, &a->wholes[number], &spent, err);

    a->had[start] = spent ? a->fork_budget : 0; /* each start is one task's alone */
    a->done[start] = !spent;
    a->within[start] = trial->work - before < a->fork_budget;
    return rc;
}

static struct fork_job assemble_guess_job(const struct assemble *a, const struct start *start)
{
    const struct owner *owner =
        start->object ? owners_find(&a->owners, start->offset, start->hit_id) : NULL;

    return (struct fork_job){ .start = start,
                              .islands = &a->islands,
                              .ground = &a->ground,
                              .starts = &a->starts,
                              .image_len = io_image_size(a->job->image),
                              .budget = a->guess_budget,
                              .known = owner != NULL ? owner->len : 0,
                              .believed = owner != NULL && owner->complete };
}

/* As assemble_fork, by resemblance. */
static enum err_code assemble_guess(void *arg, size_t number, struct trial *trial, struct err *err)
{
    const struct assemble *a = arg;
    const struct fork_job job = assemble_guess_job(a, &a->starts.items[assemble_start(a, number)]);
    struct whole *whole = &a->wholes[number];

    if (job.start->sig->marks != NULL && a->sample != NULL && !job.believed) {
        const enum err_code rc = mapped_try(&job, a->table, trial, whole, err);

        if (rc != ERR_OK || whole->start != NULL)
            return rc;
    }
    if (job.start->sig->nest != NULL && !job.believed) {
        bool around = false;
        const enum err_code rc = pages_try(&job, trial, whole, &around, err);

        if (rc != ERR_OK || whole->start != NULL || around)
            return rc;
    }
    return guess_try(&job, a->table, a->sample, trial, whole, err);
}

/* A page that is whole, if it is none of two that lie around each other. */
static enum err_code assemble_page(void *arg, size_t number, struct trial *trial, struct err *err)
{
    const struct assemble *a = arg;
    const struct fork_job job = assemble_guess_job(a, &a->starts.items[assemble_start(a, number)]);
    bool around = false;

    return pages_try(&job, trial, &a->wholes[number], &around, err);
}

static enum err_code assemble_asks(void *arg, size_t number, struct trial *trial, struct err *err)
{
    const struct assemble *a = arg;
    const struct fork_job job = assemble_guess_job(a, &a->starts.items[assemble_start(a, number)]);

    return guess_asks(&job, a->table, trial, &a->asks[a->first + number], err);
}

bool assemble_forks_from(const struct assemble *a, const struct start *start,
                         const struct owner *owner)
{
    return start->sig->seam >= SIG_SEAM_UNIT && (owner == NULL || !owner->complete) &&
           ground_owner(&a->ground, start->offset, start->offset + 1, NULL, 0) == NULL;
}

/* What lies in a proven file is a part of it, wherever that file begins; and that file is whole. */
static enum err_code assemble_open_starts(struct assemble *a, struct err *err)
{
    uint64_t proven_to = 0;
    size_t at = 0; /* the first owner that does not begin before the start */

    a->open = calloc(a->starts.count + 1, sizeof *a->open);
    if (a->open == NULL)
        return ERR_NO_MEMORY(err, a->starts.count * sizeof *a->open);
    for (size_t i = 0; i < a->starts.count; i++) {
        const struct start *start = &a->starts.items[i];

        proven_to = owners_proven_to(&a->owners, start->offset, &at, proven_to);
        if (start->offset < proven_to)
            continue;
        const struct owner *owner =
            start->object ? owners_find_from(&a->owners, at, start->offset, start->hit_id) : NULL;
        if (owner == NULL || !owner->complete || !owner->proven)
            a->open[a->open_count++] = (uint32_t)i;
    }
    return ERR_OK;
}

enum err_code assemble_choose(struct assemble *a, assemble_from_fn from, bool again,
                              struct err *err)
{
    enum err_code rc =
        islands_find(&a->owners, &a->ground, &a->starts, io_image_size(a->job->image),
                     a->free_members, &a->islands, err);

    a->fork_count = 0;
    if (rc == ERR_OK && a->open == NULL)
        rc = assemble_open_starts(a, err);
    for (size_t i = 0; rc == ERR_OK && i < a->open_count; i++) {
        const struct start *start = &a->starts.items[a->open[i]];

        if (!again && a->done[a->open[i]])
            continue;
        const struct owner *owner =
            start->object ? owners_find(&a->owners, start->offset, start->hit_id) : NULL;
        if (from(a, start, owner))
            a->forks[a->fork_count++] = a->open[i];
    }
    return rc;
}

/* Leaves out those that have spent as much before. */
static void assemble_fewer_forks(struct assemble *a)
{
    size_t kept = 0;

    for (size_t i = 0; i < a->fork_count; i++)
        if (a->had[a->forks[i]] < a->fork_budget)
            a->forks[kept++] = a->forks[i];
    a->fork_count = kept;
}

void assemble_not_too_many(struct assemble *a)
{
    const uint64_t most = (a->reach / ASSEMBLE_GUESS_EACH + ASSEMBLE_GUESS_LEAST) * a->job->effort;
    size_t kept = 0;

    if (a->fork_count > most) {
        for (size_t i = 0; i < a->fork_count && kept < most; i++)
            if (a->starts.items[a->forks[i]].object)
                a->forks[kept++] = a->forks[i];
        a->fork_count = kept;
        a->starts.more = true;
    }
}

/* Guesses about the starts that were chosen. */
static enum err_code assemble_guess_all(struct assemble *a, struct err *err)
{
    assemble_not_too_many(a);
    const uint64_t share = a->reach * ASSEMBLE_GUESS_SHARE;
    const uint64_t each =
        (share > ASSEMBLE_GUESS_MIN ? share : ASSEMBLE_GUESS_MIN) / (a->fork_count + 1);
    a->guess_budget =
        (each < ASSEMBLE_GUESS_WORK ? each : ASSEMBLE_GUESS_WORK) * (uint64_t)a->job->effort;
    return assemble_all(a, assemble_guess, a->fork_count, err);
}

/* Whether it is a weak header of which the scan made no object: most of those stand there by
 * chance. */
static bool assemble_by_chance(const struct start *start)
{
    return start->weak && !start->object;
}

/*
 * Whether the pieces of such a file are compared before all ways are tried. Where wrong bytes may
 * pass, all are to be tried. Of a chance header the validator refuses them in less time than it
 * takes to compare; and a header of an archive or document that is no object's mostly is a
 * member's, while the end of a file says where its pieces are: one that proves nothing but its
 * units, for which all other places are asked then, was never found sooner so, of 25 in images that
 * were looked at.
 */
static bool assemble_compares(const struct start *start)
{
    return start->sig->seam_lag == 0 && !assemble_by_chance(start) &&
           (start->sig->tail.len == 0 || (start->object && start->sig->seam == SIG_SEAM_EXACT));
}

/* What can be proven of files of two pieces whose ends can be seen. */
static enum err_code assemble_proven(struct assemble *a, struct err *err)
{
    enum err_code rc = assemble_choose(a, assemble_forks_from, false, err);
    size_t kept = 0;

    for (size_t i = 0; i < a->fork_count; i++)
        if (assemble_compares(&a->starts.items[a->forks[i]]))
            a->forks[kept++] = a->forks[i];
    a->fork_count = kept;
    if (rc == ERR_OK)
        rc = assemble_guess_all(a, err);
    islands_release(&a->islands);
    return rc;
}

/*
 * The same in later rounds: not what was tried to the end of a chance header, nor of a file whose
 * codes were followed to all places far around, also where the free ones are others now. Of 85 such
 * files in images that were looked at none was found so.
 */
static bool assemble_forks_again(const struct assemble *a, const struct start *start,
                                 const struct owner *owner)
{
    const size_t at = (size_t)(start - a->starts.items);
    const bool followed = start->sig->flow != NULL && a->within[at];

    return (!a->done[at] || (!assemble_by_chance(start) && !followed)) &&
           assemble_forks_from(a, start, owner);
}

/* And in the last one: files that tell where they go on were found by then, if they are. */
static bool assemble_forks_last(const struct assemble *a, const struct start *start,
                                const struct owner *owner)
{
    return !fork_tells(start->sig) && assemble_forks_again(a, start, owner);
}

/* Little work for each file at first, and more for those that need it, as long as the image has
 * some left. */
static enum err_code assemble_forks(struct assemble *a, struct err *err)
{
    const uint64_t effort = a->job->effort, before = a->totals->work;
    const uint64_t share = a->reach * ASSEMBLE_SHARE;
    const uint64_t most = (share > ASSEMBLE_SHARE_LEAST ? share : ASSEMBLE_SHARE_LEAST) * effort;
    uint64_t least = ASSEMBLE_START_LEAST * effort, told = 0;
    const assemble_from_fn from[ASSEMBLE_FORK_ROUNDS] = { assemble_forks_from, assemble_forks_again,
                                                          assemble_forks_last };
    bool clusters = false;
    enum err_code rc = memo_open(&a->memo, err);

    for (int round = 0; rc == ERR_OK && round < ASSEMBLE_FORK_ROUNDS; round++) {
        const uint64_t spent = a->totals->work - before;
        const uint64_t left = spent < most ? most - spent : 0;

        if (left == 0)
            break;
        /* Where there are clusters, other files free few places that had not been tried. */
        const bool again = round > 0 && a->tell.count > told && !clusters;
        rc = assemble_choose(a, from[round], again, err);
        clusters = a->islands.unit > LIMIT_SECTOR;
        told = a->tell.count;
        a->fork_budget = left / (a->fork_count + 1);
        a->fork_budget = a->fork_budget < least ? a->fork_budget : least;
        assemble_fewer_forks(a);
        if (rc == ERR_OK)
            rc = assemble_all(a, assemble_fork, a->fork_count, err);
        islands_release(&a->islands);
        least *= ASSEMBLE_MORE;
    }
    return rc;
}

static enum err_code assemble_member(void *arg, size_t number, struct trial *trial, struct err *err)
{
    const struct assemble *a = arg;
    const struct start *start = &a->starts.items[assemble_start(a, number)];
    const struct owner *owner =
        start->object ? owners_find(&a->owners, start->offset, start->hit_id) : NULL;
    const struct members_job job = { .start = start,
                                     .ground = &a->ground,
                                     .seams = &a->tell.seams,
                                     .known = owner != NULL ? owner->len : 0,
                                     .image_len = io_image_size(a->job->image) };

    return members_try(&job, trial, &a->wholes[number], err);
}

/* Whether the header may be the first of its file, and not that of any member: where there are
 * clusters, a file begins to fill a hole with it. */
static bool assemble_is_first(const struct assemble *a, const struct start *start)
{
    return (start->sig->flags & SIG_LOOSE_START) == 0 || a->islands.unit <= LIMIT_SECTOR ||
           islands_begin(&a->islands, start->offset);
}

/* Whether an archive may begin here that the scan did not find whole. */
static bool assemble_holds_from(const struct assemble *a, const struct start *start,
                                const struct owner *owner)
{
    return islands_on_cluster(&a->islands, start->offset) && assemble_is_first(a, start) &&
           (start->sig->flags & SIG_CONTAINER) != 0 && start->sig->seam < SIG_SEAM_UNIT &&
           (owner == NULL ? !start->object : !owner->complete && owner->parent_id == 0) &&
           ground_owner(&a->ground, start->offset, start->offset + 1, NULL, 0) == NULL;
}

/* Archives whose members are in pieces. */
static enum err_code assemble_members(struct assemble *a, struct err *err)
{
    if (a->tell.seams.count == 0)
        return ERR_OK;
    seams_settle(&a->tell.seams);
    a->free_members = true;
    enum err_code rc = assemble_choose(a, assemble_holds_from, true, err);
    a->free_members = false;
    if (rc == ERR_OK)
        rc = assemble_all(a, assemble_member, a->fork_count, err);
    islands_release(&a->islands);
    return rc;
}

bool assemble_guesses_from(const struct assemble *a, const struct start *start,
                           const struct owner *owner)
{
    /* A header that any member has mostly begins one. */
    const bool member = (start->sig->flags & SIG_LOOSE_START) != 0 &&
                        !(a->free_members && islands_begin(&a->islands, start->offset));
    const bool may = owner == NULL ? !start->object && !start->weak && !member
                                   : !owner->complete && owner->parent_id == 0;

    return may && (!a->free_members || assemble_is_first(a, start)) &&
           islands_on_cluster(&a->islands, start->offset) &&
           ground_owner(&a->ground, start->offset, start->offset + 1, NULL, 0) == NULL;
}

/*
 * Whether a file begins here that is whole by what it says of its length, and by nothing else, and
 * whose last sector may be another file's. One that ends as files do would be asked about for
 * nothing: guess_try would read its end again, to see that.
 */
static bool assemble_believes(const struct assemble *a, const struct start *start,
                              const struct owner *owner)
{
    (void)a;
    return owner != NULL && owner->complete && !owner->proven && owner->parent_id == 0 &&
           !owner->ends_in_zeros && owner->len % LIMIT_SECTOR != 0 &&
           start->sig->seam < SIG_SEAM_UNIT && owner->len > LIMIT_SECTOR;
}

/* The owner of the page that begins with a start; NULL: the scan made no object of it. */
static const struct owner *assemble_page_owner(const struct assemble *a, const struct start *start)
{
    return start->object ? owners_find(&a->owners, start->offset, start->hit_id) : NULL;
}

/* Pages that are whole, as far as their validator knows: that of a page around which another one
 * lies, which breaks where it begins, takes the other one's end. */
static void assemble_choose_pages(struct assemble *a)
{
    const struct start *before = NULL; /* the last page that begins elsewhere */
    const struct start *last = NULL;

    a->fork_count = 0;
    for (size_t i = 0; i < a->starts.count; i++) {
        const struct start *start = &a->starts.items[i];

        if (start->sig->nest == NULL)
            continue;
        before = last != NULL && last->offset != start->offset ? last : before;
        last = start;
        const struct owner *owner = assemble_page_owner(a, start);
        if (owner == NULL || !owner->complete || owner->parent_id != 0 || before == NULL)
            continue;
        const struct owner *other = assemble_page_owner(a, before);
        if (other == NULL || (!other->complete && other->offset + other->len == start->offset))
            a->forks[a->fork_count++] = i;
    }
}

static enum err_code assemble_spot(void *arg, size_t number, struct trial *trial, struct err *err)
{
    const struct assemble *a = arg;

    return resemble_sample_take(a->sample, (uint32_t)number, a->table, &trial->splice,
                                io_image_size(a->job->image), err);
}

enum err_code assemble_sample(struct assemble *a, struct err *err)
{
    const struct tasks tasks = assemble_tasks(a, assemble_spot, a);
    enum err_code rc = resemble_sample_open(&a->sample, err);

    if (rc != ERR_OK)
        return rc;
    resemble_sample_soon(a->job->image);
    rc = tasks_run(&tasks, RESEMBLE_SPOTS, &a->totals->work, err);
    resemble_sample_settle(a->sample);
    return rc;
}

/*
 * Leaves out the starts at which there is nothing to compare, where no start is an object's:
 * headers that were refused, as most of those are, need no sample, which is read all over the
 * image.
 */
static enum err_code assemble_fewer_guesses(struct assemble *a, struct err *err)
{
    size_t kept = 0;
    bool objects = a->sample != NULL;

    for (size_t i = 0; i < a->fork_count; i++)
        objects = objects || a->starts.items[a->forks[i]].object;
    if (objects)
        return ERR_OK;
    assemble_not_too_many(a);
    a->asks = calloc(a->fork_count + 1, sizeof *a->asks);
    if (a->asks == NULL)
        return ERR_NO_MEMORY(err, a->fork_count * sizeof *a->asks);
    const enum err_code rc = assemble_all(a, assemble_asks, a->fork_count, err);
    for (size_t i = 0; rc == ERR_OK && i < a->fork_count; i++)
        if (a->asks[i])
            a->forks[kept++] = a->forks[i];
    a->fork_count = kept;
    free(a->asks);
    a->asks = NULL;
    return rc;
}

/* What is likely of files that are still in pieces. It owns nothing, so one round is enough. */
static enum err_code assemble_likely(struct assemble *a, struct err *err)
{
    /* What pieces near each other are like says less than the order in which holes were filled. */
    if (a->order.follows)
        return ERR_OK;
    enum err_code rc = assemble_choose(a, assemble_guesses_from, true, err);

    if (rc == ERR_OK)
        rc = assemble_fewer_guesses(a, err);
    if (rc == ERR_OK && a->fork_count > 0 && a->sample == NULL)
        rc = assemble_sample(a, err);
    if (rc == ERR_OK)
        rc = assemble_guess_all(a, err);
    islands_release(&a->islands);
    if (rc == ERR_OK)
        rc = assemble_choose(a, assemble_believes, true, err);
    a->believed = true;
    if (rc == ERR_OK && a->fork_count > 0 && a->sample == NULL)
        rc = assemble_sample(a, err);
    if (rc == ERR_OK)
        rc = assemble_guess_all(a, err);
    islands_release(&a->islands);
    if (rc != ERR_OK)
        return rc;
    assemble_choose_pages(a);
    return assemble_all(a, assemble_page, a->fork_count, err);
}

enum err_code assemble_tries(struct assemble *a, struct err *err)
{
    enum err_code rc = assemble_proven(a, err);

    if (rc == ERR_OK)
        rc = assemble_fills(a, false, err);
    if (rc == ERR_OK)
        rc = assemble_forks(a, err);
    if (rc == ERR_OK)
        rc = assemble_members(a, err);
    if (rc == ERR_OK)
        rc = assemble_fills(a, true, err);
    return rc == ERR_OK ? assemble_likely(a, err) : rc;
}
