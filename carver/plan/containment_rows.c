/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/containment_rows.c - see containment_rows.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"
#include "carver/plan/containment_rows.h"

enum {
    CONTAINMENT_ROWS = 512, /* that are stored together */
    CONTAINMENT_REASON = 80 /* bytes of a reason, the NUL included */
};

enum err_code containment_rows_add(struct containment_rows *rows, const struct containment_row *row,
                                   struct err *err)
{
    const enum err_code rc =
        grow_items(&rows->items, rows->count, &rows->room, sizeof *rows->items, err);

    if (rc == ERR_OK)
        rows->items[rows->count++] = *row;
    return rc;
}

enum err_code containment_rows_add_deep(struct containment_rows *rows, int64_t id, struct err *err)
{
    const enum err_code rc =
        grow_items(&rows->deep, rows->deep_count, &rows->deep_room, sizeof *rows->deep, err);

    if (rc == ERR_OK)
        rows->deep[rows->deep_count++] = id;
    return rc;
}

static int rows_compare(const void *a, const void *b)
{
    const struct containment_row *x = a, *y = b;

    return (x->nested.id > y->nested.id) - (x->nested.id < y->nested.id);
}

void containment_rows_sort(struct containment_rows *rows)
{
    if (rows->count > 0)
        qsort(rows->items, rows->count, sizeof *rows->items, rows_compare);
}

const struct db_nested *containment_rows_find(const struct containment_rows *rows, int64_t id)
{
    const struct containment_row key = { .nested = { .id = id } };
    const struct containment_row *row =
        rows->count > 0 ? bsearch(&key, rows->items, rows->count, sizeof key, rows_compare) : NULL;

    return row != NULL ? &row->nested : NULL;
}

/* Stores so many rows, CONTAINMENT_ROWS at most. */
static enum err_code rows_store(const struct containment_row *rows, uint32_t count,
                                struct db_case *db, struct err *err)
{
    char reasons[CONTAINMENT_ROWS][CONTAINMENT_REASON];
    struct db_nested nested[CONTAINMENT_ROWS];

    for (uint32_t i = 0; i < count; i++) {
        nested[i] = rows[i].nested;
        if (!nested[i].cut)
            continue;
        snprintf(reasons[i], sizeof reasons[i], "another file begins inside, at offset %" PRIu64,
                 rows[i].at);
        nested[i].reason = reasons[i];
    }
    return db_nested_insert(db, nested, count, err);
}

enum err_code containment_rows_store(const struct containment_rows *rows, struct db_case *db,
                                     struct err *err)
{
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && i < rows->deep_count; i++)
        rc = db_object_set_crc64(db, rows->deep[i], false, 0, err);
    for (size_t i = 0; rc == ERR_OK && i < rows->count; i += CONTAINMENT_ROWS) {
        const size_t left = rows->count - i;

        rc = rows_store(&rows->items[i],
                        left < CONTAINMENT_ROWS ? (uint32_t)left : CONTAINMENT_ROWS, db, err);
    }
    return rc;
}

void containment_rows_clear(struct containment_rows *rows)
{
    rows->count = rows->deep_count = 0;
}

void containment_rows_release(struct containment_rows *rows)
{
    free(rows->items);
    free(rows->deep);
    *rows = (struct containment_rows){ 0 };
}
