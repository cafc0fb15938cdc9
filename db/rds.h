/* SPDX-License-Identifier: Apache-2.0
 * db/rds.h - reads the hashes of an NSRL reference data set, version 3, which is an SQLite
 * database.
 *
 * One table has a row for each file, with the columns sha256, sha1, md5 and file_name. It is
 * METADATA in the full sets, where FILE is a view of it, and FILE in the minimal sets. Views are
 * not read. The database is opened read-only, and no file is written beside it.
 */
#ifndef BURIN_DB_RDS_H
#define BURIN_DB_RDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* One row. All strings are valid until the callback returns. */
struct db_rds_row {
    const char *path, *table, *column; /* where the row is, for messages */
    int64_t id;                        /* rowid */
    const char *digest;                /* the column's text, unchanged; "" when it is not text */
    size_t digest_len;                 /* bytes */
    const char *name;                  /* NULL: the row has no file name */
    size_t name_len;                   /* bytes */
};

/* Called for each row. An error that it returns ends the reading, and db_rds_read returns it. */
typedef enum err_code (*db_rds_fn)(void *arg, const struct db_rds_row *row, struct err *err);

/*
 * Reads the column, "sha256", "sha1" or "md5", of all rows.
 *
 * stop    Is asked now and then; true ends the call with ERR_INTERRUPTED. NULL: nothing stops it.
 * Time    Bounded by the size of the file.
 * Errors  ERR_INPUT for a database, table or column that does not exist, or a damaged file;
 *         ERR_INTERRUPTED; ERR_ENV.
 */
ERR_MUST_CHECK enum err_code db_rds_read(const char *path, const char *column, bool (*stop)(void),
                                         db_rds_fn each, void *arg, struct err *err);

#endif
