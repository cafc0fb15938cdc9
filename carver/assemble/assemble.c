/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/assemble.c - see assemble.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "carver/assemble/assemble.h"
#include "carver/assemble/claims.h"
#include "carver/assemble/fork.h"
#include "carver/assemble/skip.h"
#include "carver/assemble/tasks.h"
#include "carver/assemble/whole.h"

enum {
    ASSEMBLE_ROUNDS = 8,
    ASSEMBLE_AT_ONCE = 4096,        /* tasks that are done before what they gave is told */
    ASSEMBLE_SHARE = 4,             /* work of forks for each byte of the image, */
    ASSEMBLE_SHARE_LEAST = 1 << 30, /* or so much, times the effort */
    ASSEMBLE_START_LEAST = 4 << 20, /* and for each start, in the first round, */
    ASSEMBLE_MORE = 8,              /* times as much from round to round */
    ASSEMBLE_FORK_ROUNDS = 3,
};

struct assemble {
    const struct assemble_image *job;
    struct assemble_totals *totals;
    struct starts starts;
    struct owners owners;
    struct ground ground;
    struct claims claims;
    struct whole_tell tell;
    struct splice splice; /* of telling */
    struct islands islands;
    size_t *forks; /* [fork_count]: numbers of starts of files that may go on elsewhere */
    size_t fork_count;
    uint64_t fork_budget; /* of each */
    uint64_t *had;        /* [starts.count]: the budget that a start has spent; 0: not all of one */
    bool *done;           /* [starts.count]: tried, and budget was left */
    size_t first;         /* the claim, or fork, of task 0 */
    bool open_end;        /* the claims without an end are tried */
    struct whole *wholes; /* [ASSEMBLE_AT_ONCE]: what the tasks gave */
};

static enum err_code assemble_task(void *arg, size_t number, struct trial *trial, struct err *err)
{
    const struct assemble *a = arg;
    const size_t at = a->first + number;
    const struct claim *claim = &a->claims.items[at];

    /* What was put together in a round before has its first cluster, and is not read again. */
    if (claim->open_end != a->open_end ||
        ground_is_told(&a->ground, a->claims.runs[claim->first_run].offset))
        return ERR_OK;
    return claim->open_end ? skip_try(claim, &a->claims.runs[claim->first_run], &a->starts,
                                      &a->ground, trial, &a->wholes[number], err)
                           : claim_try(&a->claims, at, &a->starts, trial, &a->wholes[number], err);
}

static enum err_code assemble_fork(void *arg, size_t number, struct trial *trial, struct err *err)
{
    const struct assemble *a = arg;
    const size_t start = a->forks[a->first + number];
    const struct fork_job job = { .start = &a->starts.items[start],
                                  .islands = &a->islands,
                                  .ground = &a->ground,
                                  .image_len = io_image_size(a->job->image),
                                  .budget = a->fork_budget };
    bool spent = false;
    const enum err_code rc = fork_try(&job, trial, &a->wholes[number], &spent, err);

    a->had[start] = spent ? a->fork_budget : 0; /* each start is one task's alone */
    a->done[start] = !spent;
    return rc;
}

/* Does some tasks and tells what they gave. */
static enum err_code assemble_some(struct assemble *a, task_fn run, size_t count, struct err *err)
{
    const struct tasks tasks = { .image = a->job->image,
                                 .unread = a->job->unread,
                                 .threads = a->job->threads,
                                 .run = run,
                                 .arg = a,
                                 .stop = a->job->stop };
    enum err_code rc = tasks_run(&tasks, count, &a->totals->work, err);

    for (size_t i = 0; i < count; i++) {
        const struct whole *whole = &a->wholes[i];

        if (rc == ERR_OK && whole->start != NULL &&
            (a->job->wanted == NULL ||
             a->job->wanted(a->job->wanted_arg, whole->start->sig, whole->type)))
            rc = whole_tell(&a->tell, whole, err);
        whole_release(&a->wholes[i]);
    }
    return rc;
}

/* All of them, some at a time; what those gave is owned then. */
static enum err_code assemble_all(struct assemble *a, task_fn run, size_t count, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (a->first = 0; rc == ERR_OK && a->first < count; a->first += ASSEMBLE_AT_ONCE) {
        const size_t left = count - a->first;

        rc = assemble_some(a, run, left < ASSEMBLE_AT_ONCE ? left : ASSEMBLE_AT_ONCE, err);
        if (rc == ERR_OK && a->tell.told.count > 0)
            rc = ground_take(&a->ground, &a->tell.told, err);
    }
    return rc;
}

/* Whether the file that begins here may go on elsewhere, and its validator could prove it. */
static bool assemble_forks_from(const struct assemble *a, const struct start *start)
{
    const struct owner *owner =
        start->object ? owners_find(&a->owners, start->offset, start->hit_id) : NULL;

    return start->sig->seam >= SIG_SEAM_UNIT && (owner == NULL || !owner->complete) &&
           ground_owner(&a->ground, start->offset, start->offset + 1, NULL, 0) == NULL;
}

/* The free places, and the starts of files that may go on there. again: also of those that had been
 * tried to the end, as the free places are others now. */
static enum err_code assemble_find_forks(struct assemble *a, bool again, struct err *err)
{
    enum err_code rc =
        islands_find(&a->owners, &a->ground, io_image_size(a->job->image), &a->islands, err);

    /* What lies in a proven file is a part of it, wherever that file begins. */
    uint64_t proven_to = 0;
    size_t owner = 0;

    a->fork_count = 0;
    for (size_t i = 0; rc == ERR_OK && i < a->starts.count; i++) {
        const struct start *start = &a->starts.items[i];

        proven_to = owners_proven_to(&a->owners, start->offset, &owner, proven_to);
        if (start->offset >= proven_to && (again || !a->done[i]) && assemble_forks_from(a, start))
            a->forks[a->fork_count++] = i;
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

/* Little work for each file at first, and more for those that need it, as long as the image has
 * some left. */
static enum err_code assemble_forks(struct assemble *a, struct err *err)
{
    const uint64_t effort = a->job->effort, before = a->totals->work;
    const uint64_t share = io_image_size(a->job->image) * ASSEMBLE_SHARE;
    const uint64_t most = (share > ASSEMBLE_SHARE_LEAST ? share : ASSEMBLE_SHARE_LEAST) * effort;
    uint64_t least = ASSEMBLE_START_LEAST * effort, told = 0;
    enum err_code rc = ERR_OK;

    for (int round = 0; rc == ERR_OK && round < ASSEMBLE_FORK_ROUNDS; round++) {
        const uint64_t spent = a->totals->work - before;
        const uint64_t left = spent < most ? most - spent : 0;

        if (left == 0)
            break;
        rc = assemble_find_forks(a, round > 0 && a->tell.count > told, err);
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

/* Each file that is found makes fewer clusters free, and so tells of others. */
static enum err_code assemble_rounds(struct assemble *a, struct err *err)
{
    uint64_t before = UINT64_MAX;
    enum err_code rc = assemble_all(a, assemble_task, a->claims.count, err);

    a->open_end = true;
    for (int round = 0; rc == ERR_OK && round < ASSEMBLE_ROUNDS && a->tell.count != before;
         round++) {
        before = a->tell.count;
        rc = assemble_all(a, assemble_task, a->claims.count, err);
    }
    return rc == ERR_OK ? assemble_forks(a, err) : rc;
}

/* What living files and the file systems themselves own. */
static enum err_code assemble_ground(struct assemble *a, struct err *err)
{
    uint32_t count;
    const struct io_range *owned = io_fsmap_owned(a->job->map, &count);
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < count; i++)
        rc = ground_add(&a->ground, owned[i].offset, owned[i].offset + owned[i].len,
                        GROUND_FILE_SYSTEM, err);
    return rc;
}

static enum err_code assemble_map(void *arg, const struct io_fsmap **map, struct err *err)
{
    const struct assemble *a = arg;

    (void)err;
    *map = a->job->map;
    return ERR_OK;
}

static enum err_code assemble_load(struct assemble *a, struct err *err)
{
    const struct assemble_image *job = a->job;
    const bool ahead = job->ahead != NULL && job->ahead->made;
    enum err_code rc = owners_load(job->db, job->image_id, &a->owners, &a->ground, err);

    if (ahead) {
        a->starts = job->ahead->starts;
        a->claims = job->ahead->claims;
        job->ahead->starts = (struct starts){ 0 };
        job->ahead->claims = (struct claims){ 0 };
    } else if (rc == ERR_OK) {
        rc = starts_load(job->db, job->image_id, NULL, &a->starts, err);
    }
    if (rc == ERR_OK && job->map != NULL && a->starts.count > 0)
        rc = assemble_ground(a, err);
    if (rc == ERR_OK && job->map != NULL && a->starts.count > 0 && !ahead)
        rc = claims_load(job->image, assemble_map, a, job->spots, &a->starts, job->threads,
                         job->stop, &a->claims, err);
    ground_settle(&a->ground);
    if (rc == ERR_OK) {
        a->forks = malloc((a->starts.count + 1) * sizeof *a->forks);
        a->had = calloc(a->starts.count + 1, sizeof *a->had);
        a->done = calloc(a->starts.count + 1, sizeof *a->done);
        if (a->forks == NULL || a->had == NULL || a->done == NULL)
            rc = ERR_NO_MEMORY(err, a->starts.count * sizeof *a->forks);
    }
    return rc;
}

enum err_code assemble_image(const struct assemble_image *job, struct assemble_totals *totals,
                             struct err *err)
{
    struct assemble a = { .job = job, .totals = totals };
    enum err_code rc;

    *totals = (struct assemble_totals){ 0 };
    a.wholes = calloc(ASSEMBLE_AT_ONCE, sizeof *a.wholes);
    struct sig_facts *facts = aligned_alloc(_Alignof(struct sig_facts), sizeof *facts);
    rc = a.wholes != NULL && facts != NULL
             ? splice_open(job->image, job->unread, &a.splice, err)
             : ERR_NO_MEMORY(err, ASSEMBLE_AT_ONCE * sizeof *a.wholes);
    a.tell = (struct whole_tell){ .db = job->db,
                                  .image_id = job->image_id,
                                  .run_id = job->run_id,
                                  .owners = &a.owners,
                                  .ground = &a.ground,
                                  .unread = job->unread,
                                  .splice = &a.splice,
                                  .facts = facts };
    if (rc == ERR_OK)
        rc = assemble_load(&a, err);
    if (rc == ERR_OK)
        rc = assemble_rounds(&a, err);
    totals->claims = a.claims.count;
    totals->assembled = a.tell.count;
    totals->more = a.claims.more || a.starts.more || a.starts.weak_left_out;
    ground_release(&a.tell.told);
    splice_close(&a.splice);
    claims_release(&a.claims);
    ground_release(&a.ground);
    owners_release(&a.owners);
    starts_release(&a.starts);
    free(a.forks);
    free(a.had);
    free(a.done);
    free(a.wholes);
    free(facts);
    if (rc != ERR_OK && rc != ERR_INTERRUPTED)
        err_while(err, "putting files in pieces together");
    return rc;
}

enum err_code assemble_log(struct db_case *db, int64_t run_id, const struct assemble_totals *totals,
                           struct err *err)
{
    char text[192];

    snprintf(text, sizeof text,
             "assembled %" PRIu64 " file%s in pieces; %" PRIu64 " layouts were tried, %" PRIu64
             " bytes of work%s",
             totals->assembled, totals->assembled == 1 ? "" : "s", totals->claims, totals->work,
             totals->more ? "; the image has too many headers or layouts to try all" : "");
    return db_log(db, run_id, "note", text, err);
}
