/* SPDX-License-Identifier: Apache-2.0
 * db/references.h - whether the rows that a new row refers to are there, asked of memory: between
 * db_bulk_begin and db_bulk_end, when SQLite does not look. Not for other folders.
 */
#ifndef BURIN_DB_REFERENCES_H
#define BURIN_DB_REFERENCES_H

#include "db/connection.h"

/* ERR_INPUT when no row of the table has the id. Outside of a bulk: ERR_OK, for SQLite looks; and
 * of objects where some stay in shards. */
ERR_MUST_CHECK enum err_code db_refer(struct db_case *db, enum db_parent parent, int64_t id,
                                      struct err *err);
/* Hits with the ids first .. last have been inserted. */
void db_refer_to_hits(struct db_case *db, int64_t first, int64_t last);
/* An object has been inserted. Where there is no room to keep that, it is looked up. */
void db_refer_to_object(struct db_case *db, int64_t id);
/* Rows may have gone: what was known of them is forgotten. */
void db_refer_again(struct db_case *db);

#endif
