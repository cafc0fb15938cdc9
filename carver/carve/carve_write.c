/* SPDX-License-Identifier: Apache-2.0
 * carver/carve/carve_write.c - see carve_write.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/carve/audit.h"
#include "carver/carve/carve_likely.h"
#include "carver/carve/carve_record.h"
#include "carver/carve/carve_write.h"
#include "carver/carve/crew.h"
#include "carver/carve/dfxml.h"
#include "carver/carve/write_back.h"
#include "carver/case/run.h"
#include "carver/cli/about.h"
#include "carver/cli/interrupt.h"

enum {
    CARVE_ENTRY_BYTES =
        1024,                /* of one object in both reports, without its extents and its reason */
    CARVE_EXTENT_BYTES = 96, /* of one extent in report.xml */
    CARVE_REPORT_BYTES = 65536, /* of the heads and ends of the reports */
};

struct carve_job {
    const struct carve_write_options *o;
    struct carve_record record;
    struct crew *crew;
    struct write_back *back; /* NULL: one thread does all */
    struct written_totals *totals;
    char ended[ABOUT_TIME_MAX];
    _Atomic bool *unshared; /* of image i + 1; see extract.h */
    bool lost;              /* what the crew still writes cannot be put on record any more */
};

struct carve_count {
    struct carve_choice *choice;
    struct carve_needs *out;
};

static void carve_count(struct carve_needs *out, const struct db_object *object)
{
    out->files++;
    out->bytes = out->bytes > UINT64_MAX - object->len ? UINT64_MAX : out->bytes + object->len;
    out->report_bytes += CARVE_ENTRY_BYTES + 6 * strlen(object->reason) +
                         (uint64_t)object->extent_count * CARVE_EXTENT_BYTES;
}

static enum err_code carve_count_likely(void *arg, const struct db_likely *likely, struct err *err)
{
    const struct carve_count *count = arg;
    const struct db_object object = carve_likely_object(likely);

    (void)err;
    if (selection_has(&count->choice->selection, &object))
        carve_count(count->out, &object);
    return ERR_OK;
}

enum err_code carve_write_needs(struct db_case *db, struct carve_choice *choice, uint32_t threads,
                                struct carve_needs *out, struct err *err)
{
    struct db_object_cursor *cursor = NULL;
    struct db_object object;
    bool found = false;
    enum err_code rc = db_objects_open(db, 0, &cursor, err);

    *out = (struct carve_needs){ .report_bytes = CARVE_REPORT_BYTES };
    carve_choice_restart(choice);
    while (rc == ERR_OK && (rc = db_objects_next(cursor, &found, &object, err)) == ERR_OK &&
           found) {
        if (carve_choice_ask(choice, &object) != CARVE_WRITE)
            continue;
        carve_count(out, &object);
        if (interrupt_requested())
            rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted; nothing was written");
    }
    struct carve_count count = { choice, out };
    if (rc == ERR_OK && choice->likely)
        rc = db_likely_walk(db, carve_count_likely, &count, err);
    const uint64_t in_hand = (threads + CREW_AHEAD) * (uint64_t)CARVE_ENTRY_BYTES;
    out->ahead = out->report_bytes < in_hand ? out->report_bytes : in_hand;
    db_objects_close(cursor);
    return rc;
}

/*
 * Takes an object from the crew and puts it on record. What ends the work stops the crew; what the
 * crew has written by then is on record all the same.
 */
static enum err_code carve_take(struct carve_job *job, const struct crew_done *done,
                                struct err *err)
{
    enum err_code rc = done->rc;

    if (crew_ends(done->rc)) {
        *err = done->why;
    } else if (job->lost) {
        if (done->rc == ERR_OK)
            extract_discard(job->o->dir, &done->result);
        rc = ERR_OK;
    } else {
        rc = carve_record_done(&job->record, done, err);
        job->lost = rc != ERR_OK;
    }
    if (rc != ERR_OK)
        crew_stop(job->crew);
    return rc;
}

static enum err_code carve_take_date(void *arg, int64_t object_id, const struct db_date *date,
                                     struct err *err)
{
    struct extract_object *what = arg;

    (void)object_id;
    (void)err;
    what->has_date = true;
    what->date = date->unix_time;
    return ERR_OK;
}

static enum err_code carve_submit(struct carve_job *job, const struct db_object *object,
                                  const struct object_path *path, struct err *err)
{
    const struct carve_images *images = job->o->images;
    struct extract_object what = { .image = images->items[object->image_id - 1],
                                   .path = path,
                                   .unread = &images->unread[object->image_id - 1],
                                   .unshared = &job->unshared[object->image_id - 1] };

    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && crew_is_full(job->crew))
        rc = carve_take(job, crew_take(job->crew), err);
    if (rc == ERR_OK)
        rc = db_date_of(job->o->db, object->id, carve_take_date, &what, err);
    return rc != ERR_OK ? rc : crew_submit(job->crew, &what, object, err);
}

/* The rest of what is in hand. rc, with *err: what ended the work before, or ERR_OK. */
static enum err_code carve_take_all(struct carve_job *job, enum err_code rc, struct err *err)
{
    const struct crew_done *done;

    if (rc != ERR_OK)
        crew_stop(job->crew);
    while ((done = crew_take(job->crew)) != NULL) {
        struct err late = { 0 };
        const enum err_code late_rc = carve_take(job, done, &late);

        if (rc == ERR_OK && late_rc != ERR_OK)
            *err = late;
        rc = rc != ERR_OK ? rc : late_rc;
    }
    return rc;
}

/* Hands a likely file to the crew, which has room for it. */
static enum err_code carve_submit_likely(void *arg, const struct db_likely *likely, struct err *err)
{
    struct carve_job *job = arg;
    const struct carve_images *images = job->o->images;
    const struct db_object object = carve_likely_object(likely);
    struct object_path path;

    if (!selection_has(&job->o->choice->selection, &object))
        return ERR_OK;
    if (object.image_id < 1 || object.image_id > images->count)
        return ERR_RAISE(err, ERR_INPUT,
                         "the case file is damaged: the likely file of hit %" PRId64
                         " lies in image %" PRId64 ", which is not there",
                         object.id, object.image_id);
    carve_likely_path(likely, images->count, &path);
    const struct extract_object what = { .image = images->items[object.image_id - 1],
                                         .path = &path,
                                         .unread = &images->unread[object.image_id - 1],
                                         .unshared = &job->unshared[object.image_id - 1] };
    return crew_submit(job->crew, &what, &object, err);
}

/* The likely files, behind all objects. */
static enum err_code carve_likely(struct carve_job *job, struct err *err)
{
    struct ids ids = { 0 };
    enum err_code rc = carve_likely_ids(job->o->db, &ids, err);

    for (size_t i = 0; rc == ERR_OK && i < ids.count; i++) {
        while (rc == ERR_OK && crew_is_full(job->crew))
            rc = carve_take(job, crew_take(job->crew), err);
        if (rc == ERR_OK && interrupt_requested())
            rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
        if (rc == ERR_OK)
            rc = write_back_check(job->back, err);
        if (rc == ERR_OK)
            rc = db_likely_find(job->o->db, ids.items[i], carve_submit_likely, job, err);
    }
    ids_close(&ids);
    return rc;
}

/* Counts an object that is left out, or hands it to the crew. */
static enum err_code carve_object(struct carve_job *job, const struct db_object *object,
                                  const struct object_path *path, struct err *err)
{
    if (object->image_id < 1 || object->image_id > job->o->images->count)
        return ERR_RAISE(err, ERR_INPUT,
                         "the case file is damaged: object %" PRId64 " lies in image %" PRId64
                         ", which is not there",
                         object->id, object->image_id);
    switch (carve_choice_ask(job->o->choice, object)) {
    case CARVE_EMBEDDED:
        job->totals->embedded++;
        break;
    case CARVE_TRUNCATED:
        cut_short_add(&job->totals->truncated, object->type, 1);
        break;
    case CARVE_OTHER:
        job->totals->other++;
        break;
    case CARVE_WRITE:
        return carve_submit(job, object, path, err);
    }
    return ERR_OK;
}

static enum err_code carve_objects(struct carve_job *job, struct err *err)
{
    struct db_object_cursor *cursor = NULL;
    struct object_names *names = NULL;
    struct db_object object;
    struct object_path path;
    bool found = false;
    enum err_code rc = db_objects_open(job->o->db, 0, &cursor, err);

    carve_choice_restart(job->o->choice);
    if (rc == ERR_OK)
        rc = object_names_open(job->o->db, &names, err);
    while (rc == ERR_OK && (rc = db_objects_next(cursor, &found, &object, err)) == ERR_OK &&
           found) {
        if (interrupt_requested())
            rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
        if (rc == ERR_OK)
            rc = write_back_check(job->back, err);
        if (rc == ERR_OK)
            rc = object_names_next(names, &object, &path, err);
        if (rc == ERR_OK)
            rc = carve_object(job, &object, &path, err);
    }
    if (rc == ERR_OK && job->o->choice->likely)
        rc = carve_likely(job, err);
    rc = carve_take_all(job, rc, err);
    object_names_close(names);
    db_objects_close(cursor);
    return rc;
}

/* Both reports get their ends and are closed, whatever happened. */
static enum err_code carve_close_reports(struct carve_job *job, struct err *err)
{
    struct err second = { 0 };

    if (job->record.audit != NULL)
        audit_end(outdir_stream_file(job->record.audit), job->totals);
    if (job->record.report != NULL)
        dfxml_end(outdir_stream_file(job->record.report), job->o->run, job->totals);
    const enum err_code rc = outdir_stream_close(job->record.audit, err);
    const enum err_code second_rc = outdir_stream_close(job->record.report, &second);
    job->record.audit = NULL;
    job->record.report = NULL;
    if (rc == ERR_OK && second_rc != ERR_OK)
        *err = second;
    return rc != ERR_OK ? rc : second_rc;
}

/* A transaction of its own: it is on record even when the last one of the outputs was lost. */
static enum err_code carve_close_run(struct carve_job *job, enum err_code rc, struct err *err)
{
    const char *status = run_status(rc);
    char text[ERR_TEXT_MAX + 128];

    snprintf(text, sizeof text,
             "carve %s: %" PRIu64 " files, %" PRIu64 " bytes, %" PRIu64 " not written",
             job->totals->status, job->totals->files, job->totals->bytes, job->totals->failed);
    enum err_code late = db_begin(job->o->db, err);
    if (late == ERR_OK)
        late = db_run_finish(job->o->db, job->o->run_id, status, err);
    if (late == ERR_OK)
        late = db_log(job->o->db, job->o->run_id, "end", text, err);
    if (late == ERR_OK)
        late = db_commit(job->o->db, err);
    return late;
}

/* Keeps the first of two errors: rc with *err, or late_rc with *late. */
static enum err_code carve_first(enum err_code rc, struct err *err, enum err_code late_rc,
                                 const struct err *late)
{
    if (rc == ERR_OK && late_rc != ERR_OK)
        *err = *late;
    return rc != ERR_OK ? rc : late_rc;
}

/* The disk is full, and a report needs what is left of it. */
static void carve_full(void *arg)
{
    const struct carve_job *job = arg;
    struct err why = { 0 };

    if (job->crew != NULL)
        crew_give_up(job->crew,
                     ERR_RAISE(&why, ERR_ENV,
                               "%s: the disk is full; make room and carve into a new folder",
                               job->o->dir->path),
                     &why);
}

/* Reports, disk and case are settled whatever rc is. began: a transaction of the case is open. */
static enum err_code carve_settle(struct carve_job *job, bool began, enum err_code rc,
                                  struct err *err)
{
    const struct err why = *err; /* the reports quote it while *err may change */
    struct err late = { 0 };

    interrupt_hold();
    about_now(job->ended);
    job->totals->ended = job->ended;
    job->totals->status = rc == ERR_OK ? "done" : why.text;
    outdir_give_up_reserve(job->o->dir); /* it was kept for what comes now */
    rc = carve_first(rc, err, carve_close_reports(job, &late), &late);
    rc = carve_first(rc, err, write_back_close(job->back, &late), &late);
    rc = carve_first(rc, err, outdir_sync(job->o->dir, &late), &late);
    if (began)
        rc = carve_first(rc, err, db_commit(job->o->db, &late), &late);
    rc = carve_first(rc, err, carve_close_run(job, rc, &late), &late);
    interrupt_release();
    job->totals->ended = job->totals->status = ""; /* they stood here */
    return rc;
}

enum err_code carve_write(const struct carve_write_options *options, struct written_totals *totals,
                          struct err *err)
{
    struct carve_job job = { .o = options,
                             .totals = totals,
                             .record = { .o = options, .totals = totals } };
    struct err ignored = { 0 };

    *totals = (struct written_totals){ .ended = "", .status = "" };
    options->dir->full = carve_full;
    options->dir->full_arg = &job;
    enum err_code rc = outdir_reserve(options->dir, err);
    if (rc == ERR_OK)
        rc = outdir_stream_open(options->dir, "audit.txt", options->ahead, &job.record.audit, err);
    if (rc == ERR_OK)
        rc =
            outdir_stream_open(options->dir, "report.xml", options->ahead, &job.record.report, err);
    if (rc == ERR_OK) {
        audit_begin(outdir_stream_file(job.record.audit), options->run);
        dfxml_begin(outdir_stream_file(job.record.report), options->run);
        if (options->threads > 1)
            (void)!write_back_open(options->dir, &job.back, &ignored); /* the end takes longer */
        rc = crew_open(options->dir, options->threads, job.back, &job.crew, err);
    }
    if (rc == ERR_OK) {
        job.unshared = calloc(options->images->count + 1u, sizeof *job.unshared);
        rc = job.unshared != NULL ? db_begin(options->db, err)
                                  : ERR_NO_MEMORY(err, options->images->count);
    }
    const bool began = rc == ERR_OK;
    if (began)
        rc = carve_objects(&job, err);
    rc = carve_settle(&job, began, rc, err);
    options->dir->full = NULL;
    crew_close(job.crew);
    free(job.unshared);
    return rc;
}
