/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/assemble.c - see assemble.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/share.h"
#include "carver/assemble/assemble_impl.h"
#include "carver/assemble/lead.h"
#include "carver/assemble/skip.h"

enum {
    ASSEMBLE_ROUNDS = 8,
    ASSEMBLE_LOST = 20000, /* the chance that a deleted file was written over, of 10^6 */
};

/* Whether a file system says what is in use. */
static bool assemble_is_mapped(const struct assemble *a)
{
    uint32_t owned = 0;

    if (a->map != NULL)
        io_fsmap_owned(a->map, &owned);
    return owned > 0;
}

/*
 * Where none does, others may have been written over a deleted file since: its layout alone proves
 * nothing then.
 */
static void assemble_doubt(const struct assemble *a, struct whole *whole)
{
    if (whole->start != NULL && !assemble_is_mapped(a) && !whole->living &&
        whole->bits < WHOLE_EXACT_BITS)
        whole->wrong = ASSEMBLE_LOST;
}

static enum err_code assemble_task(void *arg, size_t number, struct trial *trial, struct err *err)
{
    const struct assemble *a = arg;
    const size_t at = a->first + number;
    const struct claim *claim = &a->claims.items[at];

    /* What was put together in a round before has its first cluster, and is not read again. */
    if (claim->lead > 0 || claim->open_end != a->open_end || (a->unmapped && claim->mapped) ||
        ground_is_told(&a->ground, a->claims.runs[claim->first_run].offset))
        return ERR_OK;
    const enum err_code rc =
        claim->open_end ? skip_try(claim, &a->claims.runs[claim->first_run], &a->starts, &a->ground,
                                   a->unmapped, trial, &a->wholes[number], err)
                        : claim_try(&a->claims, at, &a->starts, trial, &a->wholes[number], err);
    if (rc == ERR_OK)
        assemble_doubt(a, &a->wholes[number]);
    return rc;
}

/* As assemble_task, of a claim whose first clusters are not known. */
static enum err_code assemble_lead(void *arg, size_t number, struct trial *trial, struct err *err)
{
    const struct assemble *a = arg;
    const struct claim *claim = &a->claims.items[a->first + number];
    const struct io_range *runs = &a->claims.runs[claim->first_run];

    return lead_is_open(claim, runs, &a->ground)
               ? lead_try(claim, runs, &a->starts, &a->ground, a->lead_budget, trial,
                          &a->wholes[number], err)
               : ERR_OK;
}

static enum err_code assemble_leads(struct assemble *a, struct err *err)
{
    const uint64_t all = LEAD_ALL + a->reach / LEAD_SHARE;
    uint64_t open = 1;

    for (size_t i = 0; i < a->claims.count; i++)
        open += lead_is_open(&a->claims.items[i], &a->claims.runs[a->claims.items[i].first_run],
                             &a->ground);
    a->lead_budget = (all / open < LEAD_WORK ? all / open : LEAD_WORK) * (uint64_t)a->job->effort;
    return assemble_all(a, assemble_lead, a->claims.count, err);
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
    /* Where nobody says what is in use, what is left is likely. */
    a->unmapped = !assemble_is_mapped(a);
    if (rc == ERR_OK && a->unmapped)
        rc = assemble_all(a, assemble_task, a->claims.count, err);
    if (rc == ERR_OK && !a->unmapped)
        rc = assemble_leads(a, err);
    return rc == ERR_OK ? assemble_tries(a, err) : rc;
}

/* What living files and the file systems themselves own. */
static enum err_code assemble_ground(struct assemble *a, struct err *err)
{
    uint32_t count;
    const struct io_range *owned = io_fsmap_owned(a->map, &count);
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < count; i++)
        rc = ground_add(&a->ground, owned[i].offset, owned[i].offset + owned[i].len,
                        GROUND_FILE_SYSTEM, err);
    return rc;
}

/* What folders own where their file system does not say so. */
static enum err_code assemble_folders(struct assemble *a, struct err *err)
{
    const struct io_range *folders = a->claims.folders;
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && i < a->claims.folder_count; i++)
        rc = ground_add(&a->ground, folders[i].offset, folders[i].offset + folders[i].len,
                        GROUND_FILE_SYSTEM, err);
    return rc;
}

static enum err_code assemble_map(void *arg, const struct io_fsmap **map, struct err *err)
{
    const struct assemble *a = arg;

    (void)err;
    *map = a->map;
    return ERR_OK;
}

/* Takes what is ahead, when it is there. */
static enum err_code assemble_take_ahead(struct assemble *a, struct err *err)
{
    struct ahead *ahead = a->job->ahead;
    const enum err_code rc = ahead_wait(ahead, err);

    a->map = ahead->map;
    a->starts = ahead->starts;
    a->claims = ahead->claims;
    ahead->starts = (struct starts){ 0 };
    ahead->claims = (struct claims){ 0 };
    ahead->made = false;
    return rc;
}

/* What hangs on the objects alone comes first: headers may still be looked at, by what is ahead. */
static enum err_code assemble_load(struct assemble *a, struct err *err)
{
    const struct assemble_image *job = a->job;
    const bool ahead = job->ahead != NULL && job->ahead->made;
    enum err_code rc = job->seen != NULL ? owners_take(job->seen, &a->owners, &a->ground, err)
                                         : owners_load(job->db, job->image_id, &a->owners,
                                                       &a->ground, &a->tell.seams, err);

    if (rc == ERR_OK && ahead)
        rc = assemble_take_ahead(a, err);
    else if (rc == ERR_OK)
        rc = starts_load(job->db, job->image_id, NULL, job->threads, &a->starts, err);
    a->reach = starts_reach(&a->starts, io_image_size(job->image));
    if (rc == ERR_OK && a->starts.count > 0)
        rc = resemble_table_make(&a->table, err);
    if (rc == ERR_OK && a->map != NULL && a->starts.count > 0)
        rc = assemble_ground(a, err);
    if (rc == ERR_OK && a->map != NULL && a->starts.count > 0 && !ahead)
        rc = claims_load(job->image, assemble_map, a, job->spots, &a->starts, job->threads,
                         job->stop, &a->claims, err);
    if (rc == ERR_OK && !assemble_is_mapped(a))
        rc = assemble_folders(a, err);
    if (rc == ERR_OK)
        rc = assemble_doubts(a, err);
    ground_settle(&a->ground);
    if (rc == ERR_OK) {
        a->forks = malloc((a->starts.count + 1) * sizeof *a->forks);
        a->had = calloc(a->starts.count + 1, sizeof *a->had);
        a->done = calloc(a->starts.count + 1, sizeof *a->done);
        a->within = calloc(a->starts.count + 1, sizeof *a->within);
        a->followed = calloc(a->starts.count + 1, sizeof *a->followed);
        if (a->forks == NULL || a->had == NULL || a->done == NULL || a->within == NULL ||
            a->followed == NULL)
            rc = ERR_NO_MEMORY(err, a->starts.count * sizeof *a->forks);
    }
    return rc;
}

static void assemble_close_trial(void *arg, size_t number, uint32_t worker)
{
    struct trial *trials = arg;

    (void)worker;
    trial_close(&trials[number]);
}

enum err_code assemble_image(const struct assemble_image *job, struct assemble_totals *totals,
                             struct err *err)
{
    struct assemble a = { .job = job, .totals = totals, .map = job->map };
    enum err_code rc;

    *totals = (struct assemble_totals){ 0 };
    a.wholes = memory_sparse(ASSEMBLE_AT_ONCE * sizeof *a.wholes);
    a.trials = calloc(job->threads, sizeof *a.trials);
    struct sig_facts *facts = aligned_alloc(_Alignof(struct sig_facts), sizeof *facts);
    rc = a.wholes != NULL && a.trials != NULL && facts != NULL
             ? trial_open(job->image, job->unread, job->threads, &a.trials[0], err)
             : ERR_NO_MEMORY(err, ASSEMBLE_AT_ONCE * sizeof *a.wholes);
    struct splice *splice = a.trials != NULL ? &a.trials[0].splice : NULL;
    struct told *rows = job->db != NULL ? &a.own : job->rows;

    a.tell = (struct whole_tell){ .rows = rows,
                                  .image_id = job->image_id,
                                  .owners = &a.owners,
                                  .ground = &a.ground,
                                  .unread = job->unread,
                                  .splice = splice,
                                  .facts = facts };
    a.likely = (struct likely_tell){
        .rows = rows, .image_id = job->image_id, .unread = job->unread, .splice = splice
    };
    if (rc == ERR_OK && job->db != NULL)
        rc = db_likely_clear(job->db, job->image_id, err);
    if (rc == ERR_OK)
        rc = assemble_load(&a, err);
    if (rc == ERR_OK)
        rc = assemble_rounds(&a, err);
    totals->claims = a.claims.count;
    totals->assembled = a.tell.count;
    totals->likely = a.likely.count;
    totals->more = a.claims.more || a.starts.more || a.starts.weak_left_out;
    filled_release(&a.order);
    ground_release(&a.tell.told);
    seams_release(&a.tell.seams);
    ground_release(&a.likely.told);
    told_release(&a.own);
    if (a.trials != NULL) /* each has read blocks: megabytes to give back */
        share_out("close", job->threads, job->threads, assemble_close_trial, a.trials);
    free(a.trials);
    claims_release(&a.claims);
    holes_release(&a.holes);
    ground_release(&a.ground);
    owners_release(&a.owners);
    for (size_t i = 0; a.followed != NULL && i < a.starts.count; i++)
        free(a.followed[i]);
    free(a.followed);
    starts_release(&a.starts);
    free(a.open);
    free(a.forks);
    free(a.had);
    free(a.done);
    free(a.within);
    memory_sparse_free(a.wholes, ASSEMBLE_AT_ONCE * sizeof *a.wholes);
    resemble_table_free(a.table);
    resemble_sample_free(a.sample);
    memo_close(a.memo);
    free(facts);
    if (rc != ERR_OK && rc != ERR_INTERRUPTED)
        err_while(err, "putting files in pieces together");
    return rc;
}

enum err_code assemble_store(struct db_case *db, int64_t image_id, int64_t run_id,
                             struct told *rows, struct err *err)
{
    enum err_code rc = db_likely_clear(db, image_id, err);

    if (rc == ERR_OK)
        rc = told_store(rows, db, run_id, err);
    if (rc != ERR_OK)
        err_while(err, "storing files in pieces");
    return rc;
}

enum err_code assemble_log(struct db_case *db, int64_t run_id, const struct assemble_totals *totals,
                           struct err *err)
{
    char text[192];

    snprintf(text, sizeof text,
             "assembled %" PRIu64 " file%s in pieces, and %" PRIu64 " likely; %" PRIu64
             " layouts were tried, %" PRIu64 " bytes of work%s",
             totals->assembled, totals->assembled == 1 ? "" : "s", totals->likely, totals->claims,
             totals->work,
             totals->more ? "; the image has too many headers or layouts to try all" : "");
    return db_log(db, run_id, "note", text, err);
}
