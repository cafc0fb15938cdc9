/* SPDX-License-Identifier: Apache-2.0
 * db/feed.h - rows in memory as TEMP tables that SQLite reads: one statement inserts them all, and
 * no value is bound. Not for other folders.
 *
 *   INSERT OR FAIL INTO main.matches (...) SELECT ... FROM temp.feed_matches
 *
 * "OR FAIL" spares SQLite the journal that it would need to undo a statement which fails in its
 * middle: the transaction around it is rolled back whole. Who feeds has checked sizes and lengths
 * (db_check_size and db_check_text in bind.h).
 */
#ifndef BURIN_DB_FEED_H
#define BURIN_DB_FEED_H

#include "db/connection.h"

struct feed_match {
    int64_t id, pattern_id;
    uint64_t offset; /* below 2^63 */
};

/* What the rows are, and the columns that the table has. */
enum feed_kind {
    FEED_MATCHES, /* struct feed_match: pattern_id, offset, id */
    FEED_OBJECTS, /* struct db_object: the columns of objects */
    FEED_EXTENTS, /* struct db_object, each extent a row: the columns of extents */
    FEED_FACTS,   /* struct db_object, each fact a row: the columns of facts */
    FEED_NESTED,  /* struct db_nested: the columns of nested */
    FEED_KINDS
};

struct feed;

/* Makes the tables, empty, of a case that is opened for writing. Outside of a transaction, which
 * would take them with it when it is undone. */
ERR_MUST_CHECK enum err_code feed_open(struct db_case *db, struct err *err);
void feed_close(struct feed *feed); /* behind the connection; NULL is a no-op */

/* Runs the statement with rows[count] in the table of their kind, which is empty before and
 * afterwards; doing is for the error text. */
ERR_MUST_CHECK enum err_code feed_run(struct db_case *db, enum db_statement which, const char *sql,
                                      enum feed_kind kind, const void *rows, uint32_t count,
                                      const char *doing, struct err *err);

#endif
