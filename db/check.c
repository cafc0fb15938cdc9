/* SPDX-License-Identifier: Apache-2.0
 * db/check.c - whether a case file is whole. */
#include <stdio.h>
#include <string.h>

#include "db/connection.h"

/* Hits in shards are there by the table linked: SQLite looks for them in main.hits. */
#define CHECK_LINKED                                                                               \
    "SELECT f.\"table\" FROM pragma_foreign_key_check f WHERE f.parent <> 'hits' OR "              \
    "coalesce((SELECT l.first_id + l.hits FROM linked l WHERE l.first_id <= f.rowid "              \
    "ORDER BY l.first_id DESC LIMIT 1), 0) <= f.rowid LIMIT 1"

/* The first line that a PRAGMA answers, which is "ok" or nothing where all is well. */
static enum err_code check_ask(struct db_case *db, const char *sql, char *out, size_t size,
                               struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    bool found = false;
    enum err_code rc = db_prepare_once(db, sql, &stmt, err);

    out[0] = '\0';
    if (rc == ERR_OK)
        rc = db_step(db, stmt, &found, "checking it", err);
    if (rc == ERR_OK && found) {
        const char *text = (const char *)sqlite3_column_text(stmt, 0);

        snprintf(out, size, "%s", text != NULL ? text : "");
    }
    sqlite3_finalize(stmt);
    return rc;
}

enum err_code db_check_pages(struct db_case *db, struct db_check *out, struct err *err)
{
    char table[sizeof out->text / 2];
    enum err_code rc = check_ask(db, "PRAGMA integrity_check(1)", out->text, sizeof out->text, err);

    out->whole = rc == ERR_OK && strcmp(out->text, "ok") == 0;
    if (!out->whole)
        return rc;
    rc = check_ask(db, db->linked != NULL ? CHECK_LINKED : "PRAGMA foreign_key_check", table,
                   sizeof table, err);
    out->whole = rc == ERR_OK && table[0] == '\0';
    out->text[0] = '\0';
    if (!out->whole)
        snprintf(out->text, sizeof out->text, "a row of table %s refers to a row that is missing",
                 table);
    return rc;
}
