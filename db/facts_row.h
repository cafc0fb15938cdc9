/* SPDX-License-Identifier: Apache-2.0
 * db/facts_row.h - a row of the table facts, as those statements give it that begin with
 * FACTS_COLUMNS; for db/facts*.c alone.
 */
#ifndef BURIN_DB_FACTS_ROW_H
#define BURIN_DB_FACTS_ROW_H

#include "db/row.h"

/* f: what stands before each column. */
#define FACTS_COLUMNS(f)                                                                           \
    f "object_id, " f "key, " f "value, " f "number IS NOT NULL, coalesce(" f "number, 0), " f     \
      "reach "

/* Reads the columns, and gives the object's id; texts are valid as of row_text. */
static inline int64_t facts_row(struct row *row, struct db_fact *out)
{
    const int64_t id = row_id(row, "object_id");

    *out = (struct db_fact){ .key = row_text(row, "key", DB_WORD_MAX) };
    out->value = row_text(row, "value", DB_FACT_MAX);
    out->has_number = row_int(row, "number", 0, 1) == 1;
    out->number = row_int(row, "number", INT64_MIN, INT64_MAX);
    out->reach = row_size(row, "reach");
    return id;
}

#endif
