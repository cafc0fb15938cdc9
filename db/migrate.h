/* SPDX-License-Identifier: Apache-2.0
 * db/migrate.h - brings a case file of an older schema up to date. Not for other folders.
 *
 * A step is SQL that turns one version of the schema into the next. All steps that a file needs
 * happen in one transaction with the new version number and an entry in the log, or not at all.
 */
#ifndef BURIN_DB_MIGRATE_H
#define BURIN_DB_MIGRATE_H

#include "db/connection.h"

struct db_migration {
    int from; /* schema version that this step reads; it leaves from + 1 */
    const char *sql;
};

/* Takes the file from the version it has to version to. steps: one for each version between,
 * ascending. */
ERR_MUST_CHECK enum err_code db_migrate(struct db_case *db, const struct db_migration *steps,
                                        size_t step_count, int to, struct err *err);

/* The version the file says it has. */
ERR_MUST_CHECK enum err_code db_schema_version(struct db_case *db, int64_t *version,
                                               struct err *err);

/* The steps of this burin. */
ERR_MUST_CHECK enum err_code db_migrate_to_present(struct db_case *db, struct err *err);

/* The value for key in the table about, which every version has; "" where there is none. size: of
 * out. */
ERR_MUST_CHECK enum err_code db_about_get(struct db_case *db, const char *key, char *out,
                                          size_t size, struct err *err);

#endif
