/*
 * db/rds.h - reads the hashes out of an NSRL reference data set, version 3: an SQLite database.
 *
 * Its table METADATA (in the full sets, where FILE is a view of it) or FILE (in the minimal ones) has a row for each file, with columns
 * sha256, sha1, md5 and file_name. The database is opened read-only, and nothing is written beside it. Views are not used.
 */
#ifndef BURIN_DB_RDS_H
#define BURIN_DB_RDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct db_rds_row {
    const char *path, *table, *column;
    int64_t id;         /* rowid */
    const char *digest; /* text as it stands there; "" for what is no text */
    size_t digest_len;
    const char *name; /* NULL: none */
    size_t name_len;
};

/* Its first error ends the reading and is handed on. */
typedef enum err_code (*db_rds_fn)(void *arg, const struct db_rds_row *row, struct err *err);

/*
 * column: "sha256", "sha1" or "md5". stop is asked now and then; true ends it; NULL: nothing does.
 * Errors: ERR_INPUT (no such database, table or column; damaged), ERR_INTERRUPTED, ERR_ENV. The
 * time is bounded by the size of the file.
 */
ERR_MUST_CHECK enum err_code db_rds_read(const char *path, const char *column, bool (*stop)(void), db_rds_fn each,
                                         void *arg, struct err *err);

#endif
