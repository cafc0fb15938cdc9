/* SPDX-License-Identifier: Apache-2.0
 * carver/case/record_rows.c - see record_rows.h. */
#include "carver/case/record_rows.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/uninitialized.h"

/* Objects as the case file takes them, with what they point to. */
struct rows_objects {
    struct db_object objects[DB_OBJECTS_AT_ONCE];
    struct db_extent extents[DB_OBJECTS_AT_ONCE];
    char names[DB_OBJECTS_AT_ONCE][RECORD_NAME_MAX];
    struct db_fact facts[DB_OBJECTS_AT_ONCE][SIG_FACTS_MAX];
};

static void rows_set_object(const struct record_rows *rows, const struct record_batch *batch,
                            const struct record_object *object, struct rows_objects *out,
                            uint32_t at)
{
    const uint32_t facts = fact_unpack(&batch->facts, object->facts, object->len, out->facts[at]);

    out->extents[at] = (struct db_extent){ .offset = object->offset, .len = object->len };
    record_name(out->names[at], object->type, object->offset);
    out->objects[at] = (struct db_object){
        .id = object->hit_id,
        .image_id = rows->image_id,
        .signature_id = rows->signature_ids[object->sig],
        .type = object->type->name,
        .extension = object->type->extension,
        .state = object->state,
        .reason = object->reason,
        .validated = object->validated,
        .proven = object->proven,
        .container = object->container,
        .offset = object->offset,
        .len = object->len,
        .extents = &out->extents[at],
        .extent_count = 1,
        .name = out->names[at],
        .slack = object->slack,
        .has_crc64 = object->has_crc64,
        .crc64 = object->crc64,
        .facts = out->facts[at],
        .fact_count = facts,
    };
}

/* Which object of a batch has this id. */
struct rows_place {
    int64_t hit_id;
    uint32_t at;
};

static int rows_compare(const void *a, const void *b)
{
    const struct rows_place *x = a, *y = b;

    return (x->hit_id > y->hit_id) - (x->hit_id < y->hit_id);
}

/*
 * Objects come in the order of their verdicts, a few hundred hits apart. Rows whose ids ascend go
 * in at the end of each table, which takes SQLite less time, and fewer pages, than to make room
 * among others.
 */
static void rows_sort(const struct record_batch *batch, struct rows_place out[RECORD_OBJECTS])
{
    for (uint32_t i = 0; i < batch->object_count; i++)
        out[i] = (struct rows_place){ batch->objects[i].hit_id, i };
    qsort(out, batch->object_count, sizeof *out, rows_compare);
}

static enum err_code rows_write_objects(const struct record_rows *rows, struct db_case *db,
                                        const struct record_batch *batch, struct err *err)
{
    struct rows_objects out;
    struct rows_place places[RECORD_OBJECTS] UNINITIALIZED;
    enum err_code rc = ERR_OK;

    rows_sort(batch, places);
    for (uint32_t done = 0, count; rc == ERR_OK && done < batch->object_count; done += count) {
        const uint32_t left = batch->object_count - done;

        count = left < DB_OBJECTS_AT_ONCE ? left : DB_OBJECTS_AT_ONCE;
        for (uint32_t i = 0; i < count; i++)
            rows_set_object(rows, batch, &batch->objects[places[done + i].at], &out, i);
        rc = db_objects_insert(db, out.objects, count, err);
    }
    return rc;
}

static enum err_code rows_write_aside(const struct record_rows *rows, struct db_case *db,
                                      struct record_aside *aside, struct err *err)
{
    switch (aside->kind) {
    case RECORD_BAD_RANGE:
        return db_bad_range_add(db, rows->scan_id, &aside->bad, err);
    case RECORD_KNOWN_RUN:
        aside->known.run.digest = aside->known.digest;
        return db_known_run_put(db, &aside->known.run, err);
    case RECORD_PART:
        return db_part_add(db, rows->run_id, &aside->part, err);
    case RECORD_LEAVES:
        return db_leaves_add(db, rows->image_id, rows->scan_id, aside->leaves.first,
                             aside->leaves.bytes, aside->leaves.count, err);
    case RECORD_TEXT_SPOTS:
        return db_text_spots_add(db, rows->scan_id, aside->spots.at, aside->spots.pack.bytes,
                                 aside->spots.pack.len, err);
    case RECORD_LINK:
        aside->link.row.sha256 = aside->link.sha256;
        return db_linked_add(db, &aside->link.row, err);
    case RECORD_LOG:
        break;
    }
    return db_log(db, rows->run_id, aside->log.kind, aside->log.text, err);
}

/*
 * Commits, and folds that into the file soon: this thread can wait for the disk while the scan goes
 * on. Else the scan would have to wait at its end, for all of it.
 */
static enum err_code rows_commit(const struct record_rows *rows, struct db_case *db,
                                 struct record_batch *batch, struct err *err)
{
    const uint64_t begin = clock_now(CLOCK_MONOTONIC);
    enum err_code rc = db_run_progress(db, rows->run_id, batch->position, err);

    if (rc == ERR_OK && batch->state.len > 0)
        rc = db_state_put(db, rows->scan_id, batch->position, batch->state.bytes, batch->state.len,
                          err);
    if (rc == ERR_OK)
        rc = db_commit(db, err);
    if (rc == ERR_OK && batch->fold)
        db_checkpoint(db);
    if (rc == ERR_OK)
        rc = db_begin(db, err);
    batch->commit_ns = clock_now(CLOCK_MONOTONIC) - begin;
    return rc;
}

/* Hits first: an object refers to its header's hit. */
enum err_code record_rows_write(const struct record_rows *rows, struct db_case *db,
                                struct record_batch *batch, struct err *err)
{
    enum err_code rc = ERR_OK;

    if (batch->drop) {
        record_batch_empty(batch);
        db_rollback(db);
        return db_begin(db, err);
    }
    if (batch->hit_count > 0)
        rc = db_hits_insert(db, batch->hits, batch->hit_count, err);
    if (rows->linked && batch->last_hit_id >= rows->first_hit_id)
        db_linked_expect(db, rows->first_hit_id, batch->last_hit_id);
    if (rc == ERR_OK)
        rc = rows_write_objects(rows, db, batch, err);
    for (uint32_t i = 0; rc == ERR_OK && i < batch->sum_count; i++)
        rc = db_object_set_crc64(db, batch->sums[i].hit_id, true, batch->sums[i].crc64, err);
    for (uint32_t i = 0; rc == ERR_OK && i < batch->aside_count; i++)
        rc = rows_write_aside(rows, db, &batch->asides[i], err);
    if (rc == ERR_OK && batch->commit)
        rc = rows_commit(rows, db, batch, err);
    return rc;
}
