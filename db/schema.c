/* SPDX-License-Identifier: Apache-2.0
 * db/schema.c - the tables: made from db/schema.sql, and compared with it when a file comes from
 * outside.
 *
 * What SQLite compiles from the text of a table, an index or a trigger runs in every statement that
 * touches it: constraints, defaults, generated columns, expressions. So the text of each of ours
 * must say what schema.sql says, no other index may stand on our tables, and no other trigger
 * anywhere. An examiner's own tables, their indexes, and views are left alone: no statement of ours
 * touches them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/bind.h"
#include "db/connection.h"
#include "db/row.h"
#include "db/schema.sql.h"
#include "db/views.sql.h"

enum {
    SCHEMA_SQL_MAX = 1 << 16
}; /* longest text of a table, an index or a trigger that we look at, bytes */

enum err_code db_schema_apply(struct db_case *db, struct err *err)
{
    char about[512], now[DB_TIME_SIZE];

    db_time_now(now);
    sqlite3_snprintf(sizeof about, about,
                     "INSERT INTO about VALUES ('writer', %Q), ('created', %Q);"
                     "PRAGMA application_id = %d; PRAGMA user_version = %d;",
                     db_writer(), now, DB_APPLICATION_ID, DB_SCHEMA_VERSION);
    enum err_code rc = db_begin(db, err);
    if (rc != ERR_OK)
        return rc;
    rc = db_exec(db, (const char *)db_schema_sql, "making its tables", err);
    if (rc == ERR_OK)
        rc = db_exec(db, (const char *)db_views_sql, "making its views", err);
    if (rc == ERR_OK)
        rc = db_exec(db, about, "making its tables", err);
    db->failed = rc != ERR_OK;
    const enum err_code end = db_commit(db, rc == ERR_OK ? err : NULL);
    return rc == ERR_OK ? end : rc;
}

struct schema_pair {
    struct db_case *theirs;
    sqlite3 *ours; /* schema.sql, in memory: what fails there fails for want of memory */
    sqlite3_stmt *find;
    char canon[2][SCHEMA_SQL_MAX];
};

enum { SCHEMA_OURS_SIZE = 1 << 20 }; /* about what it takes, bytes */

static bool schema_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static char schema_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/*
 * What a text says, whoever wrote it down: without comments, and with one blank where two words
 * would meet; words in small letters, and names without their quotes, which SQLite adds when it
 * renames. Strings stay as they are. out has as much room as sql, which is enough.
 */
static void schema_canonical(const char *sql, char *out)
{
    char *to = out;

    for (const char *at = sql; *at != '\0';) {
        if (at[0] == '-' && at[1] == '-') {
            at += strcspn(at, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");

            at = end != NULL ? end + 2 : at + strlen(at);
        } else if (*at == '\'') {
            do
                *to++ = *at++;
            while (*at != '\0' && *at != '\'');
            if (*at != '\0')
                *to++ = *at++;
        } else if (strchr(" \t\r\n\f\"", *at) != NULL) {
            at++;
        } else {
            /* A blank where two words would become one: something was skipped between them. */
            if (to > out && at > sql && schema_is_word(to[-1]) && schema_is_word(*at) &&
                !schema_is_word(at[-1]))
                *to++ = ' ';
            *to++ = schema_lower(*at++);
        }
    }
    *to = '\0';
}

/* The text that schema.sql has for this kind and name, canonical, in canon[0]. *found false: there
 * is none. */
static enum err_code schema_find(struct schema_pair *pair, const char *type, const char *name,
                                 bool *found, struct err *err)
{
    enum err_code rc = ERR_OK;

    *found = false;
    sqlite3_reset(pair->find);
    if (sqlite3_bind_text(pair->find, 1, type, -1, SQLITE_STATIC) != SQLITE_OK ||
        sqlite3_bind_text(pair->find, 2, name, -1, SQLITE_STATIC) != SQLITE_OK)
        return ERR_NO_MEMORY(err, SCHEMA_OURS_SIZE);
    const int step = sqlite3_step(pair->find);
    if (step == SQLITE_ROW) {
        const char *sql = (const char *)sqlite3_column_text(pair->find, 0);

        *found = sql != NULL && strlen(sql) < SCHEMA_SQL_MAX;
        if (*found)
            schema_canonical(sql, pair->canon[0]);
    } else if (step != SQLITE_DONE) {
        rc = ERR_NO_MEMORY(err, SCHEMA_OURS_SIZE);
    }
    return rc;
}

/* One row of their sqlite_schema. *ours: it is one of ours, as it should be. */
static enum err_code schema_check_row(struct schema_pair *pair, struct row *row, bool *ours,
                                      struct err *err)
{
    struct db_case *db = pair->theirs;
    const char *type = row_text(row, "type", DB_WORD_MAX);
    const char *name = row_text(row, "name", SCHEMA_SQL_MAX);
    const char *table = row_text(row, "tbl_name", SCHEMA_SQL_MAX);
    const char *sql = row_text_or_null(row, "sql", DB_TEXT_MAX);
    const int64_t root = row_int(row, "rootpage", INT64_MIN, INT64_MAX);
    bool on_ours = false;
    enum err_code rc =
        row->rc == ERR_OK ? schema_find(pair, "table", table, &on_ours, err) : row->rc;

    *ours = false;
    if (rc != ERR_OK || (sql == NULL && strcmp(type, "index") == 0)) /* those that UNIQUE makes */
        return rc;
    if (strcmp(type, "view") == 0 && !on_ours)
        return ERR_OK;
    rc = schema_find(pair, type, name, ours, err);
    if (rc != ERR_OK)
        return rc;
    if (*ours && sql != NULL && strlen(sql) < SCHEMA_SQL_MAX &&
        (root > 0 || strcmp(type, "trigger") == 0)) {
        schema_canonical(sql, pair->canon[1]);
        if (strcmp(pair->canon[0], pair->canon[1]) == 0)
            return ERR_OK;
    }
    if (*ours || on_ours || (strcmp(type, "table") != 0 && strcmp(type, "index") != 0))
        rc = ERR_RAISE(
            err, ERR_INPUT,
            "%s: the case file is damaged or was changed: %s \"%s\" does not belong in a case file "
            "of schema "
            "%d, or says something else there; remove it with sqlite3, or try sqlite3 %s .recover",
            db->path, type, name, DB_SCHEMA_VERSION, db->path);
    *ours = false;
    return rc;
}

static enum err_code schema_check_theirs(struct schema_pair *pair, uint32_t *found_ours,
                                         struct err *err)
{
    struct db_case *db = pair->theirs;
    sqlite3_stmt *stmt = NULL;
    bool found = true;
    enum err_code rc = db_prepare_once(
        db, "SELECT lower(type), lower(name), lower(tbl_name), sql, rootpage FROM sqlite_schema",
        &stmt, err);

    while (rc == ERR_OK && found) {
        rc = db_step(db, stmt, &found, "reading its schema", err);
        if (rc != ERR_OK || !found)
            break;
        struct row row = row_init(db, stmt, "sqlite_schema", err);
        bool ours = false;

        rc = schema_check_row(pair, &row, &ours, err);
        *found_ours += ours;
    }
    sqlite3_finalize(stmt);
    return rc;
}

/* Each of ours is there: says which one is not. */
static enum err_code schema_check_missing(struct schema_pair *pair, struct err *err)
{
    static const char sql[] = "SELECT type, name FROM sqlite_schema WHERE sql IS NOT NULL";
    static const char theirs[] =
        "SELECT 1 FROM sqlite_schema WHERE lower(type) = ? AND lower(name) = ?";
    struct db_case *db = pair->theirs;
    sqlite3_stmt *ours = NULL, *stmt = NULL;
    bool found = true;
    enum err_code rc = db_prepare_once(db, theirs, &stmt, err);

    if (rc == ERR_OK && sqlite3_prepare_v2(pair->ours, sql, -1, &ours, NULL) != SQLITE_OK)
        rc = ERR_NO_MEMORY(err, SCHEMA_OURS_SIZE);
    while (rc == ERR_OK && found && sqlite3_step(ours) == SQLITE_ROW) {
        const char *type = (const char *)sqlite3_column_text(ours, 0);
        const char *name = (const char *)sqlite3_column_text(ours, 1);
        struct bind bind = bind_init(db, stmt, err);

        sqlite3_reset(stmt);
        bind_text(&bind, "type", type, DB_WORD_MAX);
        bind_text(&bind, "name", name, DB_WORD_MAX);
        rc = bind.rc == ERR_OK ? db_step(db, stmt, &found, "reading its schema", err) : bind.rc;
        if (rc == ERR_OK && !found)
            rc = db_damaged(db, err, "%s %s is missing", type, name);
    }
    sqlite3_finalize(ours);
    sqlite3_finalize(stmt);
    return rc;
}

static enum err_code schema_open_ours(struct schema_pair *pair, uint32_t *count, struct err *err)
{
    static const char find[] = "SELECT sql FROM sqlite_schema WHERE type = ? AND name = ?";
    sqlite3_stmt *stmt = NULL;

    if (sqlite3_open_v2(":memory:", &pair->ours, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK ||
        sqlite3_exec(pair->ours, (const char *)db_schema_sql, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(pair->ours, find, -1, &pair->find, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(pair->ours, "SELECT count(*) FROM sqlite_schema WHERE sql IS NOT NULL",
                           -1, &stmt, NULL) != SQLITE_OK ||
        sqlite3_step(stmt) != SQLITE_ROW) {
        sqlite3_finalize(stmt);
        return ERR_NO_MEMORY(err, SCHEMA_OURS_SIZE);
    }
    *count = (uint32_t)sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return ERR_OK;
}

enum err_code db_schema_check(struct db_case *db, struct err *err)
{
    struct schema_pair *pair = calloc(1, sizeof *pair);
    uint32_t count = 0, found = 0;

    if (pair == NULL)
        return ERR_NO_MEMORY(err, sizeof *pair);
    pair->theirs = db;
    enum err_code rc = schema_open_ours(pair, &count, err);
    if (rc == ERR_OK)
        rc = schema_check_theirs(pair, &found, err);
    if (rc == ERR_OK && found != count)
        rc = schema_check_missing(pair, err);
    if (rc == ERR_OK && found != count)
        rc = db_damaged(
            db, err, "%" PRIu32 " of its tables and indexes are those of a case file, not %" PRIu32,
            found, count);
    sqlite3_finalize(pair->find);
    sqlite3_close(pair->ours);
    free(pair);
    return rc;
}
