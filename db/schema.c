/*
 * db/schema.c - the tables: made from db/schema.sql, and compared with it when a file comes from outside.
 *
 * The comparison is about safety and sense: each of our tables must be a real table with our columns (no virtual table,
 * no generated column), and no trigger may stand on it but ours. An examiner's own tables, views and indexes are left
 * alone.
 */
#include <stdio.h>
#include <string.h>

#include "db/bind.h"
#include "db/connection.h"
#include "db/row.h"
#include "db/schema.sql.h"
#include "db/views.sql.h"

enum { SCHEMA_SQL_MAX = 1 << 16 }; /* longest CREATE TRIGGER in a file that we look at, bytes */

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
};

enum { SCHEMA_OURS_SIZE = 1 << 20 }; /* about what it takes, bytes */

/* The columns of a table as "NAME HIDDEN, NAME HIDDEN, ..."; HIDDEN is 0 for a column that is stored and shown. */
static enum err_code schema_columns(struct schema_pair *pair, bool ours, const char *table, char *out, size_t size,
                                    struct err *err)
{
    static const char sql[] =
        "SELECT coalesce(group_concat(name || ' ' || hidden, ', '), '') FROM pragma_table_xinfo(?)";
    sqlite3 *sqlite = ours ? pair->ours : pair->theirs->sqlite;
    sqlite3_stmt *stmt = NULL;
    const char *text = NULL;
    enum err_code rc = ERR_OK;

    if (sqlite3_prepare_v2(sqlite, sql, -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_bind_text(stmt, 1, table, -1, SQLITE_STATIC) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW)
        text = (const char *)sqlite3_column_text(stmt, 0);
    if (text != NULL)
        snprintf(out, size, "%s", text);
    else if (ours)
        rc = ERR_NO_MEMORY(err, SCHEMA_OURS_SIZE);
    else
        rc = DB_FAIL(pair->theirs, err, "reading its schema");
    sqlite3_finalize(stmt);
    return rc;
}

static enum err_code schema_check_table(struct schema_pair *pair, const char *table, struct err *err)
{
    static const char sql[] = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ? AND rootpage > 0";
    struct db_case *db = pair->theirs;
    char ours[1024] = "", theirs[1024] = "";
    sqlite3_stmt *stmt = NULL;
    bool found = false;
    enum err_code rc = db_prepare_once(db, sql, &stmt, err);

    if (rc == ERR_OK) {
        struct bind bind = bind_init(db, stmt, err);

        bind_text(&bind, "table", table, DB_WORD_MAX);
        rc = bind.rc;
    }
    if (rc == ERR_OK)
        rc = db_step(db, stmt, &found, "reading its schema", err);
    sqlite3_finalize(stmt);
    if (rc == ERR_OK && !found)
        rc = db_damaged(db, err, "table %s is missing", table);
    if (rc == ERR_OK)
        rc = schema_columns(pair, true, table, ours, sizeof ours, err);
    if (rc == ERR_OK)
        rc = schema_columns(pair, false, table, theirs, sizeof theirs, err);
    if (rc == ERR_OK && strcmp(ours, theirs) != 0)
        rc = db_damaged(db, err, "table %s has other columns than a case file of schema %d", table, DB_SCHEMA_VERSION);
    return rc;
}

static enum err_code schema_check_tables(struct schema_pair *pair, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    enum err_code rc = ERR_OK;
    int step = sqlite3_prepare_v2(pair->ours, "SELECT name FROM sqlite_schema WHERE type = 'table'", -1, &stmt, NULL);

    while (rc == ERR_OK && (step == SQLITE_OK || step == SQLITE_ROW)) {
        step = sqlite3_step(stmt);
        const char *name = step == SQLITE_ROW ? (const char *)sqlite3_column_text(stmt, 0) : NULL;

        if (name != NULL)
            rc = schema_check_table(pair, name, err);
        else if (step != SQLITE_DONE)
            step = SQLITE_NOMEM;
    }
    sqlite3_finalize(stmt);
    return rc == ERR_OK && step != SQLITE_DONE ? ERR_NO_MEMORY(err, SCHEMA_OURS_SIZE) : rc;
}

/* Is there a trigger of this name and text in ours? */
static enum err_code schema_check_trigger(struct schema_pair *pair, const char *name, const char *sql, struct err *err)
{
    static const char query[] = "SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND name = ? AND sql = ?";
    sqlite3_stmt *stmt = NULL;
    int step = SQLITE_NOMEM;

    if (sqlite3_prepare_v2(pair->ours, query, -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_bind_text(stmt, 2, sql, -1, SQLITE_STATIC) == SQLITE_OK)
        step = sqlite3_step(stmt);
    sqlite3_finalize(stmt);
    if (step == SQLITE_ROW)
        return ERR_OK;
    if (step == SQLITE_DONE)
        return ERR_RAISE(err, ERR_INPUT, "%s: trigger \"%s\" does not belong in a case file; remove it with sqlite3",
                         pair->theirs->path, name);
    return ERR_NO_MEMORY(err, SCHEMA_OURS_SIZE);
}

static enum err_code schema_check_triggers(struct schema_pair *pair, struct err *err)
{
    struct db_case *db = pair->theirs;
    sqlite3_stmt *stmt = NULL;
    bool found = true;
    enum err_code rc = db_prepare_once(db, "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'", &stmt, err);

    while (rc == ERR_OK && found) {
        rc = db_step(db, stmt, &found, "reading its schema", err);
        if (rc != ERR_OK || !found)
            break;
        struct row row = row_init(db, stmt, "sqlite_schema", err);
        const char *name = row_text(&row, "name", DB_REASON_MAX);
        const char *sql = row_text(&row, "sql", SCHEMA_SQL_MAX);

        rc = row.rc == ERR_OK ? schema_check_trigger(pair, name, sql, err) : row.rc;
    }
    sqlite3_finalize(stmt);
    return rc;
}

enum err_code db_schema_check(struct db_case *db, struct err *err)
{
    struct schema_pair pair = { .theirs = db };
    enum err_code rc = ERR_OK;

    if (sqlite3_open_v2(":memory:", &pair.ours, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK ||
        sqlite3_exec(pair.ours, (const char *)db_schema_sql, NULL, NULL, NULL) != SQLITE_OK)
        rc = ERR_NO_MEMORY(err, SCHEMA_OURS_SIZE);
    if (rc == ERR_OK)
        rc = schema_check_tables(&pair, err);
    if (rc == ERR_OK)
        rc = schema_check_triggers(&pair, err);
    sqlite3_close(pair.ours);
    return rc;
}
