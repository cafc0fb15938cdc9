/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/containment_rows.c - see containment_rows.h. */
#include <inttypes.h>
#include <stdio.h>

#include "carver/plan/containment_rows.h"

enum err_code containment_rows_store(struct containment_rows *rows, struct db_case *db,
                                     struct err *err)
{
    const enum err_code rc = db_nested_insert(db, rows->items, rows->count, err);

    rows->count = 0;
    return rc;
}

enum err_code containment_rows_add(struct containment_rows *rows, struct db_case *db,
                                   const struct db_nested *row, uint64_t at, struct err *err)
{
    char *reason = rows->reasons[rows->count];
    struct db_nested *to = &rows->items[rows->count++];

    *to = *row;
    if (row->cut) {
        snprintf(reason, CONTAINMENT_REASON, "another file begins inside, at offset %" PRIu64, at);
        to->reason = reason;
    }
    return rows->count == CONTAINMENT_ROWS ? containment_rows_store(rows, db, err) : ERR_OK;
}
