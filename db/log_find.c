/* SPDX-License-Identifier: Apache-2.0
 * db/log_find.c - single entries of the log. */
#include <stdio.h>
#include <string.h>

#include "db/bind.h"
#include "db/row.h"

static enum err_code log_find_take(struct db_case *db, sqlite3_stmt *stmt, struct db_log_entry *out,
                                   struct err *err)
{
    bool found = false;
    enum err_code rc = db_step(db, stmt, &found, "reading the log", err);

    if (rc != ERR_OK || !found)
        return rc;
    struct row row = row_init(db, stmt, "log", err);
    out->id = row_id(&row, "id");
    out->run_id = row_int(&row, "run_id", 0, INT64_MAX);
    snprintf(out->text, sizeof out->text, "%s", row_text(&row, "text", DB_TEXT_MAX));
    const char *hash = row_text(&row, "hash", DB_SHA256_HEX);
    if (row.rc == ERR_OK && !row_is_sha256(hash))
        row_damaged(&row, "hash", "not 64 hex digits");
    if (row.rc == ERR_OK)
        memcpy(out->hash, hash, sizeof out->hash);
    rc = row.rc;
    sqlite3_reset(stmt);
    return rc;
}

enum err_code db_log_find(struct db_case *db, const char *kind, struct db_log_entry *out,
                          struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code rc =
        db_prepare(db, DB_LOG_FIND,
                   "SELECT id, run_id, text, hash FROM log WHERE kind = ? ORDER BY id DESC LIMIT 1",
                   &stmt, err);

    *out = (struct db_log_entry){ 0 };
    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_text(&bind, "the kind of a log entry", kind, DB_WORD_MAX);
    return bind.rc == ERR_OK ? log_find_take(db, stmt, out, err) : bind.rc;
}

enum err_code db_log_get(struct db_case *db, int64_t id, struct db_log_entry *out, struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(
        db, DB_LOG_GET, "SELECT id, run_id, text, hash FROM log WHERE id = ?", &stmt, err);

    *out = (struct db_log_entry){ 0 };
    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, id);
    return bind.rc == ERR_OK ? log_find_take(db, stmt, out, err) : bind.rc;
}
