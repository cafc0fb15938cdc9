/* carver/record.c - see record.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "carver/record.h"
#include "carver/record_writer.h"

enum {
    RECORD_COMMIT_MIN_NS = 50000000, /* between commits, at least, */
    RECORD_COMMIT_MAX_NS = 1000000000,
    RECORD_COMMIT_SHARE = 20, /* or so many times as long as the last one took */
};

void record_name(char out[RECORD_NAME_MAX], const struct sig_type *type, uint64_t offset)
{
    snprintf(out, RECORD_NAME_MAX, "%s/%016" PRIx64 "%s%s", type->name, offset, type->extension[0] != '\0' ? "." : "",
             type->extension);
}

static record_write record_write_batch;

enum err_code record_open(struct db_case *db, int64_t image_id, int64_t run_id, const int64_t *signature_ids,
                          struct record *out, struct err *err)
{
    enum err_code rc = ERR_OK;

    *out = (struct record){ .db = db, .image_id = image_id, .run_id = run_id, .signature_ids = signature_ids };
    out->fill = &out->batches[0];
    out->apart_ns = RECORD_COMMIT_MIN_NS;
    for (uint32_t i = 0; i < 2; i++) {
        out->batches[i].hits = malloc(RECORD_HITS * sizeof *out->batches[i].hits);
        out->batches[i].objects = malloc(RECORD_OBJECTS * sizeof *out->batches[i].objects);
        if (out->batches[i].hits == NULL || out->batches[i].objects == NULL)
            rc = ERR_NO_MEMORY(err, RECORD_HITS * sizeof *out->batches[i].hits);
    }
    if (rc == ERR_OK)
        rc = db_hit_last_id(db, &out->last_hit_id, err);
    if (rc == ERR_OK)
        rc = db_begin(db, err);
    if (rc == ERR_OK)
        rc = record_writer_open(record_write_batch, out, &out->writer, err);
    out->committed_ns = clock_now(CLOCK_MONOTONIC);
    if (rc != ERR_OK)
        record_close(out);
    return rc;
}

void record_close(struct record *record)
{
    record_writer_close(record->writer);
    record->writer = NULL;
    for (uint32_t i = 0; i < 2; i++) {
        free(record->batches[i].hits);
        free(record->batches[i].objects);
        record->batches[i] = (struct record_batch){ 0 };
    }
}

static enum err_code record_write_object(const struct record *record, const struct record_object *object,
                                         struct err *err)
{
    const struct db_extent extent = { .offset = object->offset, .len = object->len };
    char name[RECORD_NAME_MAX];

    record_name(name, object->type, object->offset);
    const struct db_object row = {
        .id = object->hit_id,
        .image_id = record->image_id,
        .signature_id = record->signature_ids[object->sig],
        .type = object->type->name,
        .extension = object->type->extension,
        .state = object->state,
        .reason = object->reason,
        .checked = object->checked,
        .proven = object->proven,
        .container = object->container,
        .offset = object->offset,
        .len = object->len,
        .extents = &extent,
        .extent_count = 1,
        .name = name,
        .slack = object->slack,
    };
    return db_object_insert(record->db, &row, err);
}

/*
 * Commits, and folds that into the file soon: this thread can wait for the disk while the scan goes on. Else the scan would have to wait at
 * its end, for all of it.
 */
static enum err_code record_commit(const struct record *record, struct record_batch *batch, struct err *err)
{
    const uint64_t begin = clock_now(CLOCK_MONOTONIC);
    enum err_code rc = db_run_progress(record->db, record->run_id, batch->position, err);

    if (rc == ERR_OK)
        rc = db_commit(record->db, err);
    if (rc == ERR_OK && batch->fold)
        db_fold(record->db);
    if (rc == ERR_OK)
        rc = db_begin(record->db, err);
    batch->commit_ns = clock_now(CLOCK_MONOTONIC) - begin;
    return rc;
}

/* Hits first: an object refers to its header's hit. */
static enum err_code record_write_batch(void *arg, struct record_batch *batch, struct err *err)
{
    const struct record *record = arg;
    enum err_code rc = ERR_OK;

    if (batch->hit_count > 0)
        rc = db_hits_insert(record->db, batch->hits, batch->hit_count, err);
    for (uint32_t i = 0; rc == ERR_OK && i < batch->object_count; i++)
        rc = record_write_object(record, &batch->objects[i], err);
    if (rc == ERR_OK && batch->commit)
        rc = record_commit(record, batch, err);
    batch->hit_count = 0;
    batch->object_count = 0;
    batch->commit = false;
    return rc;
}

/* How long after a commit the next one comes: soon where the disk is quick. */
static uint64_t record_apart(uint64_t commit_ns)
{
    const uint64_t apart = commit_ns < RECORD_COMMIT_MAX_NS ? commit_ns * RECORD_COMMIT_SHARE : RECORD_COMMIT_MAX_NS;

    return apart < RECORD_COMMIT_MIN_NS   ? RECORD_COMMIT_MIN_NS
           : apart < RECORD_COMMIT_MAX_NS ? apart
                                          : RECORD_COMMIT_MAX_NS;
}

/* The batch that fills goes to the writer, and the one that is written fills. */
static enum err_code record_flush(struct record *record, struct err *err)
{
    struct record_batch *full = record->fill;
    const enum err_code rc = record_writer_put(record->writer, full, err);

    if (rc != ERR_OK)
        return rc;
    record->fill = &record->batches[full == record->batches];
    if (record->fill->commit_ns != 0)
        record->apart_ns = record_apart(record->fill->commit_ns);
    record->fill->commit_ns = 0;
    return ERR_OK;
}

enum err_code record_hit(struct record *record, uint32_t sig, uint64_t offset, uint32_t len, bool footer, int64_t *id,
                         struct err *err)
{
    enum err_code rc = ERR_OK;

    if (record->fill->hit_count == RECORD_HITS)
        rc = record_flush(record, err);
    if (rc != ERR_OK)
        return rc;
    *id = ++record->last_hit_id;
    record->hits_total++;
    record->fill->hits[record->fill->hit_count++] = (struct db_hit){ .id = *id,
                                                                     .image_id = record->image_id,
                                                                     .signature_id = record->signature_ids[sig],
                                                                     .offset = offset,
                                                                     .len = len,
                                                                     .footer = footer };
    return ERR_OK;
}

enum err_code record_object(struct record *record, const struct record_object *object, struct err *err)
{
    enum err_code rc = ERR_OK;

    if (record->fill->object_count == RECORD_OBJECTS)
        rc = record_flush(record, err);
    if (rc != ERR_OK)
        return rc;
    record->objects_total++;
    record->fill->objects[record->fill->object_count++] = *object;
    return ERR_OK;
}

enum err_code record_bad_range(struct record *record, uint64_t offset, uint64_t len, int cause, struct err *err)
{
    const struct db_bad_range range = { .image_id = record->image_id, .offset = offset, .len = len, .cause = cause };
    char text[200];

    snprintf(text, sizeof text, "%" PRIu64 " bytes at offset %" PRIu64 " could not be read (%s); zeros stand for them",
             len, offset, cause != 0 ? strerror(cause) : "no cause given");
    enum err_code rc = record_writer_wait(record->writer, err);
    if (rc == ERR_OK)
        rc = db_bad_range_add(record->db, record->run_id, &range, err);
    if (rc == ERR_OK)
        rc = db_log(record->db, record->run_id, "read-error", text, err);
    return rc;
}

enum err_code record_known_run(struct record *record, const struct db_known_run *run, struct err *err)
{
    const enum err_code rc = record_writer_wait(record->writer, err);

    return rc == ERR_OK ? db_known_run_put(record->db, run, err) : rc;
}

enum err_code record_note(struct record *record, const char *text, struct err *err)
{
    const enum err_code rc = record_writer_wait(record->writer, err);

    return rc == ERR_OK ? db_log(record->db, record->run_id, "note", text, err) : rc;
}

enum err_code record_checkpoint(struct record *record, uint64_t position, bool now, struct err *err)
{
    const uint64_t time = clock_now(CLOCK_MONOTONIC);

    if (!now && time - record->committed_ns < record->apart_ns)
        return ERR_OK;
    record->fill->commit = true;
    record->fill->fold = !now; /* it is waited for */
    record->fill->position = position;
    enum err_code rc = record_flush(record, err);
    if (rc == ERR_OK && now)
        rc = record_writer_wait(record->writer, err);
    record->committed_ns = time;
    return rc;
}
