/* SPDX-License-Identifier: Apache-2.0
 * carver/carve/carve_record.c - see carve_record.h. */
#include <inttypes.h>
#include <stdio.h>

#include "carver/carve/audit.h"
#include "carver/carve/carve_likely.h"
#include "carver/carve/carve_record.h"
#include "carver/carve/dfxml.h"
#include "carver/cli/interrupt.h"

/*
 * What was written so far is on record, whatever becomes of this program. It need not be on the
 * disk: only a run that is done says that, and waits for it (carve_settle).
 */
static enum err_code carve_record_commit(struct carve_record *record, struct err *err)
{
    interrupt_hold();
    enum err_code rc = outdir_stream_flush(record->audit, false, err);
    if (rc == ERR_OK)
        rc = outdir_stream_flush(record->report, false, err);
    if (rc == ERR_OK)
        rc = db_commit(record->o->db, err);
    if (rc == ERR_OK)
        rc = db_begin(record->o->db, err);
    interrupt_release();
    record->since = 0;
    return rc;
}

/* Bytes of the object that could not be read when the image was scanned. */
static enum err_code carve_record_known_bad(struct carve_record *record,
                                            const struct db_object *object, uint64_t *bytes,
                                            struct err *err)
{
    enum err_code rc = ERR_OK;

    *bytes = 0;
    for (uint32_t i = 0; i < object->extent_count && rc == ERR_OK; i++) {
        uint64_t part = 0;

        rc = db_bad_bytes(record->o->db, object->image_id, object->extents[i].offset,
                          object->extents[i].len, &part, err);
        *bytes += part;
    }
    return rc;
}

/* Unreadable ranges that the case does not know yet. */
static enum err_code carve_record_bad(struct carve_record *record, int64_t image_id,
                                      const struct extract_result *result, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; i < result->bad_count && rc == ERR_OK; i++) {
        const struct io_bad_range *bad = &result->bad[i];
        const struct db_bad_range row = {
            image_id,   bad->offset, bad->len, bad->cause, io_bad_source_name(bad->source),
            bad->status
        };
        uint64_t known = 0;

        rc = db_bad_bytes(record->o->db, image_id, bad->offset, bad->len, &known, err);
        if (rc == ERR_OK && known < bad->len)
            rc = db_bad_range_add(record->o->db, record->o->run_id, &row, err);
    }
    return rc;
}

/* The rows of the case for a file that was written. */
static enum err_code carve_record_rows(struct carve_record *record, const struct db_object *object,
                                       const struct extract_result *result, struct err *err)
{
    char path[LIMIT_PATH + OBJECT_PATH_MAX + 2], text[sizeof path + 256];
    const struct db_output output = { record->o->run_id, object->id, path, result->len,
                                      result->sha256 };
    const bool likely = carve_likely_is(object); /* it has no row of its own but in the log */
    enum err_code rc = ERR_OK;

    snprintf(path, sizeof path, "%s/%s", record->o->dir->path, result->path);
    snprintf(text, sizeof text,
             "%s %" PRId64 " -> %s, %" PRIu64 " bytes, sha256 %s, %" PRIu64 " bytes unreadable",
             likely ? "likely file of hit" : "object", object->id, path, result->len,
             result->sha256, result->bad_bytes);
    if (!likely)
        rc = db_output_add(record->o->db, &output, err);
    if (rc == ERR_OK && !likely &&
        result->bad_bytes == 0) /* a hash over zeros that stand for bytes is not the object's */
        rc = db_object_set_sha256(record->o->db, object->id, result->sha256, err);
    if (rc == ERR_OK)
        rc = db_log(record->o->db, record->o->run_id, "output", text, err);
    if (rc == ERR_OK)
        rc = carve_record_bad(record, object->image_id, result, err);
    return rc;
}

/* The object is in no file: the reports and the log say why. */
static enum err_code carve_record_failed(struct carve_record *record,
                                         const struct db_object *object, const struct err *why,
                                         struct err *err)
{
    const struct written_object written = { .object = object, .error = why->text };
    char text[ERR_TEXT_MAX + 64];

    record->totals->failed++;
    audit_object(outdir_stream_file(record->audit), &written,
                 record->o->images->paths[object->image_id - 1]);
    dfxml_object(outdir_stream_file(record->report), &written);
    record->o->tell(record->o->tell_arg, &written);
    snprintf(text, sizeof text, "object %" PRId64 " not written: %s", object->id, why->text);
    return db_log(record->o->db, record->o->run_id, "note", text, err);
}

static void carve_record_reports(struct carve_record *record, const struct written_object *written,
                                 const char *image_path)
{
    audit_object(outdir_stream_file(record->audit), written, image_path);
    dfxml_object(outdir_stream_file(record->report), written);
    record->totals->files++;
    record->totals->bytes += written->object->len;
    record->totals->shared += written->shared;
    if (written->bad_bytes != 0) {
        record->totals->unreadable++;
        record->o->tell(record->o->tell_arg, written);
    }
}

/* The reports and the rows for a file that was written. */
static enum err_code carve_record_written(struct carve_record *record, const struct crew_done *done,
                                          struct err *err)
{
    const struct db_object *object = &done->object;
    const struct extract_result *result = &done->result;
    uint64_t known_bad = 0;
    struct seams seams;
    enum err_code rc = carve_record_known_bad(record, object, &known_bad, err);

    if (rc == ERR_OK)
        rc = carve_likely_is(object) ? carve_likely_seams(record->o->db, object, &seams, err)
                                     : seams_read(record->o->db, object, &seams, err);
    if (rc != ERR_OK)
        return rc;
    const struct written_object written = { .object = object,
                                            .path = result->path,
                                            .sha256 = result->sha256,
                                            .date = result->dated ? &done->date : NULL,
                                            .shared = result->shared,
                                            .seams = &seams,
                                            .bad_bytes = known_bad > result->bad_bytes
                                                             ? known_bad
                                                             : result->bad_bytes };
    carve_record_reports(record, &written, record->o->images->paths[object->image_id - 1]);
    record->position += result->len;
    progress_update(record->o->progress, record->position, UINT64_MAX, record->totals->files);
    return carve_record_rows(record, object, result, err);
}

enum err_code carve_record_done(struct carve_record *record, const struct crew_done *done,
                                struct err *err)
{
    const struct db_object *object = &done->object;
    enum err_code rc;

    record->totals->uncompared += !object->has_crc64 && object->sha256 == NULL;
    if (object->image_id != record->image_id) {
        record->image_id = object->image_id;
        audit_image(outdir_stream_file(record->audit),
                    record->o->images->paths[object->image_id - 1]);
    }
    rc = done->rc == ERR_OK ? carve_record_written(record, done, err)
                            : carve_record_failed(record, object, &done->why, err);
    if (rc == ERR_OK && ++record->since >= CARVE_CHECKPOINT)
        rc = carve_record_commit(record, err);
    return rc;
}
