/* SPDX-License-Identifier: Apache-2.0
 * carver/text/text_rows.c - see text_rows.h. */
#include "carver/text/text_rows.h"

enum err_code text_rows_begin(struct text_rows *rows, struct db_case *db, int64_t image_id,
                              int64_t signature_id, struct err *err)
{
    *rows = (struct text_rows){ .db = db, .image_id = image_id, .signature_id = signature_id };
    return db_hit_last_id(db, &rows->last, err);
}

enum err_code text_rows_add(struct text_rows *rows, const struct text_row *row, struct err *err)
{
    rows->rows[rows->count++] = *row;
    rows->found++;
    return rows->count == DB_OBJECTS_AT_ONCE ? text_rows_store(rows, err) : ERR_OK;
}

enum err_code text_rows_store(struct text_rows *rows, struct err *err)
{
    struct db_hit hits[DB_OBJECTS_AT_ONCE];
    struct db_object objects[DB_OBJECTS_AT_ONCE];
    struct db_extent extents[DB_OBJECTS_AT_ONCE];
    char names[DB_OBJECTS_AT_ONCE][RECORD_NAME_MAX];

    for (uint32_t i = 0; i < rows->count; i++) {
        const struct text_row *row = &rows->rows[i];
        const int64_t id = rows->last + 1 + i;

        record_name(names[i], row->type, row->offset);
        extents[i] = (struct db_extent){ row->offset, row->len };
        hits[i] = (struct db_hit){ .id = id,
                                   .image_id = rows->image_id,
                                   .signature_id = rows->signature_id,
                                   .offset = row->offset };
        objects[i] = (struct db_object){ .id = id,
                                         .image_id = rows->image_id,
                                         .signature_id = rows->signature_id,
                                         .type = row->type->name,
                                         .extension = row->type->extension,
                                         .state = row->complete ? "complete" : "truncated",
                                         .reason = row->why,
                                         .validated = true,
                                         .offset = row->offset,
                                         .len = row->len,
                                         .extents = &extents[i],
                                         .extent_count = 1,
                                         .name = names[i],
                                         .slack = row->slack ? DB_SLACK_ZEROS : DB_SLACK_NONE,
                                         .has_crc64 = true,
                                         .crc64 = row->crc64 };
    }
    enum err_code rc = db_hits_insert(rows->db, hits, rows->count, err);
    if (rc == ERR_OK)
        rc = db_objects_insert(rows->db, objects, rows->count, err);
    rows->last += rows->count;
    rows->count = 0;
    return rc;
}
