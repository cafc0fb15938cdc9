/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/containment_rows.h - what containment.c says of objects, on its way into the case
 * file.
 */
#ifndef BURIN_CARVER_PLAN_CONTAINMENT_ROWS_H
#define BURIN_CARVER_PLAN_CONTAINMENT_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "db/case.h"

struct containment_row {
    struct db_nested nested; /* with static texts; that of a cut object gets its reason when it is
                                stored */
    uint64_t at;             /* image offset: where it is cut */
};

/* Zeroed is empty. */
struct containment_rows {
    struct containment_row *items;
    size_t count, room;
    int64_t *deep; /* [deep_count]: objects that lie in too many others to have a CRC */
    size_t deep_count, deep_room;
};

/* Adds a row; an object that is too deep. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code containment_rows_add(struct containment_rows *rows,
                                                  const struct containment_row *row,
                                                  struct err *err);
ERR_MUST_CHECK enum err_code containment_rows_add_deep(struct containment_rows *rows, int64_t id,
                                                       struct err *err);
/* By the ids of the objects, for containment_rows_find; and so they are stored soonest. */
void containment_rows_sort(struct containment_rows *rows);
/* What is said of this object; NULL: nothing. Any number of threads may ask. */
const struct db_nested *containment_rows_find(const struct containment_rows *rows, int64_t id);
/* Stores all, while others may ask. Inside a transaction. Errors: those of the case file. */
ERR_MUST_CHECK enum err_code containment_rows_store(const struct containment_rows *rows,
                                                    struct db_case *db, struct err *err);
void containment_rows_clear(struct containment_rows *rows); /* forgets all */
void containment_rows_release(struct containment_rows *rows);

#endif
