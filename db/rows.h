/* SPDX-License-Identifier: Apache-2.0
 * db/rows.h - statements that insert DB_ROWS rows at once. Not for other folders.
 *
 * "OR FAIL" in them spares SQLite the journal that it would need to undo a statement which fails in
 * its middle: the transaction around it is rolled back whole.
 */
#ifndef BURIN_DB_ROWS_H
#define BURIN_DB_ROWS_H

#include "db/connection.h"

enum { DB_ROWS = 64, DB_ROWS_SQL_MAX = 4096 };

/* As db_prepare, for the statement head, then DB_ROWS times row with commas between them. Together
 * they have fewer than DB_ROWS_SQL_MAX bytes. */
ERR_MUST_CHECK enum err_code db_rows_prepare(struct db_case *db, enum db_statement which,
                                             const char *head, const char *row, sqlite3_stmt **out,
                                             struct err *err);

#endif
