/* SPDX-License-Identifier: Apache-2.0
 * db/rows.c - see rows.h. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "db/rows.h"

enum err_code db_rows_prepare(struct db_case *db, enum db_statement which, const char *head,
                              const char *row, sqlite3_stmt **out, struct err *err)
{
    char sql[DB_ROWS_SQL_MAX];
    size_t len = strlen(head);

    assert(len + DB_ROWS * (strlen(row) + 1) < sizeof sql);
    memcpy(sql, head, len + 1);
    for (int i = 0; db->statements[which] == NULL && i < DB_ROWS; i++)
        len += (size_t)sprintf(sql + len, "%s%s", i > 0 ? "," : "", row);
    return db_prepare(db, which, sql, out, err);
}
