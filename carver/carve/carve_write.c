/* carver/carve/carve_write.c - see carve_write.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "carver/carve/audit.h"
#include "carver/carve/carve_write.h"
#include "carver/carve/dfxml.h"
#include "carver/carve/extract.h"
#include "carver/cli/about.h"
#include "carver/cli/interrupt.h"

enum {
    CARVE_CHECKPOINT = 256, /* objects between two commits of the case and two syncs of audit.txt */
    CARVE_ENTRY_BYTES =
        1024,                /* of one object in both reports, without its extents and its reason */
    CARVE_EXTENT_BYTES = 96, /* of one extent in report.xml */
    CARVE_REPORT_BYTES = 65536, /* of the heads and ends of the reports */
};

struct carve_job {
    const struct carve_write_options *o;
    struct extract *extract;
    struct object_names *names;
    struct outdir_stream *audit, *report;
    struct written_totals *totals;
    char ended[ABOUT_TIME_MAX];
    int64_t image_id;  /* the audit's table is of this image; 0: none yet */
    uint64_t since;    /* objects since the last checkpoint */
    uint64_t position; /* bytes written, for progress */
};

enum err_code carve_write_needs(struct db_case *db, struct carve_choice *choice,
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
        out->files++;
        out->bytes = out->bytes > UINT64_MAX - object.len ? UINT64_MAX : out->bytes + object.len;
        out->report_bytes += CARVE_ENTRY_BYTES + 6 * strlen(object.reason) +
                             (uint64_t)object.extent_count * CARVE_EXTENT_BYTES;
        if (interrupt_requested())
            rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted; nothing was written");
    }
    db_objects_close(cursor);
    return rc;
}

/* What was written so far is on the disk before the case says so. */
static enum err_code carve_commit_point(struct carve_job *job, struct err *err)
{
    interrupt_hold();
    enum err_code rc = outdir_stream_flush(job->audit, true, err);
    if (rc == ERR_OK)
        rc = outdir_stream_flush(job->report, false, err);
    if (rc == ERR_OK)
        rc = db_commit(job->o->db, err);
    if (rc == ERR_OK)
        rc = db_begin(job->o->db, err);
    interrupt_release();
    job->since = 0;
    return rc;
}

/* Bytes of the object that could not be read when the image was scanned. */
static enum err_code carve_known_bad(struct carve_job *job, const struct db_object *object,
                                     uint64_t *bytes, struct err *err)
{
    enum err_code rc = ERR_OK;

    *bytes = 0;
    for (uint32_t i = 0; i < object->extent_count && rc == ERR_OK; i++) {
        uint64_t part = 0;

        rc = db_bad_bytes(job->o->db, object->image_id, object->extents[i].offset,
                          object->extents[i].len, &part, err);
        *bytes += part;
    }
    return rc;
}

/* Unreadable ranges that the case does not know yet. */
static enum err_code carve_record_bad(struct carve_job *job, int64_t image_id,
                                      const struct extract_result *result, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; i < result->bad_count && rc == ERR_OK; i++) {
        const struct io_bad_range *bad = &result->bad[i];
        const struct db_bad_range row = { image_id, bad->offset, bad->len, bad->cause,
                                          io_bad_source_name(bad->source) };
        uint64_t known = 0;

        rc = db_bad_bytes(job->o->db, image_id, bad->offset, bad->len, &known, err);
        if (rc == ERR_OK && known < bad->len)
            rc = db_bad_range_add(job->o->db, job->o->run_id, &row, err);
    }
    return rc;
}

/* The rows of the case for a file that was written. */
static enum err_code carve_record(struct carve_job *job, const struct db_object *object,
                                  const struct extract_result *result, struct err *err)
{
    char path[LIMIT_PATH + OBJECT_PATH_MAX + 2], text[sizeof path + 256];
    const struct db_output output = { job->o->run_id, object->id, path, result->len,
                                      result->sha256 };
    enum err_code rc;

    snprintf(path, sizeof path, "%s/%s", job->o->dir->path, result->path);
    snprintf(text, sizeof text,
             "object %" PRId64 " -> %s, %" PRIu64 " bytes, sha256 %s, %" PRIu64 " bytes unreadable",
             object->id, path, result->len, result->sha256, result->bad_bytes);
    rc = db_output_add(job->o->db, &output, err);
    if (rc == ERR_OK &&
        result->bad_bytes == 0) /* a hash over zeros that stand for bytes is not the object's */
        rc = db_object_set_sha256(job->o->db, object->id, result->sha256, err);
    if (rc == ERR_OK)
        rc = db_log(job->o->db, job->o->run_id, "output", text, err);
    if (rc == ERR_OK)
        rc = carve_record_bad(job, object->image_id, result, err);
    return rc;
}

/* The object is in no file: the reports and the log say why. */
static enum err_code carve_failed(struct carve_job *job, const struct db_object *object,
                                  const struct err *why, struct err *err)
{
    const struct written_object written = { .object = object, .error = why->text };
    char text[ERR_TEXT_MAX + 64];

    job->totals->failed++;
    audit_object(outdir_stream_file(job->audit), &written,
                 job->o->images->paths[object->image_id - 1]);
    dfxml_object(outdir_stream_file(job->report), &written);
    job->o->tell(job->o->tell_arg, &written);
    snprintf(text, sizeof text, "object %" PRId64 " not written: %s", object->id, why->text);
    return db_log(job->o->db, job->o->run_id, "note", text, err);
}

static void carve_report(struct carve_job *job, const struct written_object *written,
                         const char *image_path)
{
    audit_object(outdir_stream_file(job->audit), written, image_path);
    dfxml_object(outdir_stream_file(job->report), written);
    job->totals->files++;
    job->totals->bytes += written->object->len;
    if (written->bad_bytes != 0) {
        job->totals->unreadable++;
        job->o->tell(job->o->tell_arg, written);
    }
}

static enum err_code carve_object(struct carve_job *job, const struct db_object *object,
                                  const struct object_path *path, struct err *err)
{
    const struct carve_images *images = job->o->images;
    const char *image_path = images->paths[object->image_id - 1];
    const struct extract_object what = { .image = images->items[object->image_id - 1],
                                         .extents = object->extents,
                                         .extent_count = object->extent_count,
                                         .path = path,
                                         .unread = &images->unread[object->image_id - 1],
                                         .has_crc64 = object->has_crc64,
                                         .crc64 = object->crc64,
                                         .sha256 = object->sha256 };
    struct extract_result result;
    uint64_t known_bad = 0;

    job->totals->uncompared += !object->has_crc64 && object->sha256 == NULL;

    if (object->image_id != job->image_id) {
        job->image_id = object->image_id;
        audit_image(outdir_stream_file(job->audit), image_path);
    }
    enum err_code rc = extract_write(job->extract, &what, &result, err);
    if (rc == ERR_INPUT || rc == ERR_FULL) {
        const struct err why = *err;

        return carve_failed(job, object, &why, err);
    }
    if (rc == ERR_OK)
        rc = carve_known_bad(job, object, &known_bad, err);
    if (rc != ERR_OK)
        return rc;
    const struct written_object written = { .object = object,
                                            .path = result.path,
                                            .sha256 = result.sha256,
                                            .bad_bytes = known_bad > result.bad_bytes
                                                             ? known_bad
                                                             : result.bad_bytes };
    carve_report(job, &written, image_path);
    job->position += result.len;
    progress_update(job->o->progress, job->position, UINT64_MAX, job->totals->files);
    return carve_record(job, object, &result, err);
}

static enum err_code carve_objects(struct carve_job *job, struct err *err)
{
    struct db_object_cursor *cursor = NULL;
    struct db_object object;
    struct object_path path;
    bool found = false;
    enum err_code rc = db_objects_open(job->o->db, 0, &cursor, err);

    carve_choice_restart(job->o->choice);
    if (rc == ERR_OK)
        rc = object_names_open(job->o->db, &job->names, err);
    while (rc == ERR_OK && (rc = db_objects_next(cursor, &found, &object, err)) == ERR_OK &&
           found) {
        if (interrupt_requested()) {
            rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
            break;
        }
        if (object.image_id < 1 || object.image_id > job->o->images->count) {
            rc = ERR_RAISE(err, ERR_INPUT,
                           "the case file is damaged: object %" PRId64 " lies in image %" PRId64
                           ", which is not there",
                           object.id, object.image_id);
            break;
        }
        rc = object_names_next(job->names, &object, &path, err);
        if (rc != ERR_OK)
            break;
        switch (carve_choice_ask(job->o->choice, &object)) {
        case CARVE_EMBEDDED:
            job->totals->embedded++;
            continue;
        case CARVE_TRUNCATED:
            job->totals->truncated++;
            continue;
        case CARVE_OTHER:
            job->totals->other++;
            continue;
        case CARVE_WRITE:
            break;
        }
        rc = carve_object(job, &object, &path, err);
        if (rc == ERR_OK && ++job->since >= CARVE_CHECKPOINT)
            rc = carve_commit_point(job, err);
    }
    object_names_close(job->names);
    db_objects_close(cursor);
    return rc;
}

/* Both reports get their ends and are closed, whatever happened. */
static enum err_code carve_close_reports(struct carve_job *job, struct err *err)
{
    struct err second = { 0 };

    if (job->audit != NULL)
        audit_end(outdir_stream_file(job->audit), job->totals);
    if (job->report != NULL)
        dfxml_end(outdir_stream_file(job->report), job->o->run, job->totals);
    const enum err_code rc = outdir_stream_close(job->audit, err);
    const enum err_code second_rc = outdir_stream_close(job->report, &second);
    job->audit = NULL;
    job->report = NULL;
    if (rc == ERR_OK && second_rc != ERR_OK)
        *err = second;
    return rc != ERR_OK ? rc : second_rc;
}

/* A transaction of its own: it is on record even when the last one of the outputs was lost. */
static enum err_code carve_close_run(struct carve_job *job, enum err_code rc, struct err *err)
{
    const char *status = rc == ERR_OK ? "done" : rc == ERR_INTERRUPTED ? "interrupted" : "failed";
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
    struct carve_job job = { .o = options, .totals = totals };

    *totals = (struct written_totals){ .ended = "", .status = "" };
    enum err_code rc = outdir_reserve(options->dir, err);
    if (rc == ERR_OK)
        rc = outdir_stream_open(options->dir, "audit.txt", &job.audit, err);
    if (rc == ERR_OK)
        rc = outdir_stream_open(options->dir, "report.xml", &job.report, err);
    if (rc == ERR_OK) {
        audit_begin(outdir_stream_file(job.audit), options->run);
        dfxml_begin(outdir_stream_file(job.report), options->run);
        rc = extract_open(options->dir, &job.extract, err);
    }
    if (rc == ERR_OK)
        rc = db_begin(options->db, err);
    const bool began = rc == ERR_OK;
    if (began)
        rc = carve_objects(&job, err);
    rc = carve_settle(&job, began, rc, err);
    extract_close(job.extract);
    return rc;
}
