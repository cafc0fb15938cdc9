/* SPDX-License-Identifier: Apache-2.0
 * db/rds.c - see rds.h.
 *
 * Pages of a hostile database may refer to one another, so that a walk over its table never ends.
 * So a table is walked in the order of its rows' numbers, which must ascend, and all statements
 * together may take so many steps of SQLite's machine as a file of this size can be worth, and no
 * more.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "db/rds.h"

#include <sqlite3.h>

enum {
    RDS_ROW_MAX = 1 << 20,  /* longest row, bytes */
    RDS_TICK_OPS = 100000,  /* machine steps between two looks at the budget and at stop */
    RDS_TICKS_LEAST = 1000, /* of those looks: what any file may take */
    RDS_OPS_PER_BYTE = 4,   /* machine steps of an honest walk for a byte of the file, at most */
};

struct rds {
    const char *path;
    sqlite3 *sqlite;
    bool (*stop)(void);
    uint64_t ticks, ticks_max;
    bool stopped;
};

static enum err_code rds_fail(const struct rds *rds, const char *doing, struct err *err)
{
    const int rc = sqlite3_errcode(rds->sqlite) & 0xff;

    if (rds->stopped)
        return ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
    if (rc == SQLITE_INTERRUPT)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: %s an NSRL RDSv3 database takes more steps than one of its size can: "
                         "its pages refer to "
                         "one another; the file is damaged, or meant to do harm",
                         rds->path, doing);
    const enum err_code code =
        rc == SQLITE_NOMEM || rc == SQLITE_IOERR || rc == SQLITE_CANTOPEN ? ERR_ENV : ERR_INPUT;

    return ERR_RAISE(err, code,
                     "%s: %s, while %s an NSRL RDSv3 database; look whether the file is whole",
                     rds->path, sqlite3_errmsg(rds->sqlite), doing);
}

/* "file:PATH?immutable=1", to be freed: so that SQLite makes no files beside it. NULL: no memory.
 */
static char *rds_uri(const char *path)
{
    char *full = realpath(path, NULL);
    const char *from = full != NULL ? full : path;
    char *uri = malloc(strlen(from) * 3 + 32);
    char *to = uri;

    if (uri != NULL) {
        to += sprintf(to, "file:");
        for (; *from != '\0'; from++)
            to += strchr("%?#", *from) != NULL ? sprintf(to, "%%%02X", (unsigned)*from)
                                               : sprintf(to, "%c", *from);
        sprintf(to, "?immutable=1");
    }
    free(full);
    return uri;
}

/* SQLite calls this now and then while a statement runs; not 0 stops it. */
static int rds_tick(void *arg)
{
    struct rds *rds = arg;

    rds->stopped = rds->stop != NULL && rds->stop();
    return rds->stopped || ++rds->ticks > rds->ticks_max;
}

static enum err_code rds_open(struct rds *rds, struct err *err)
{
    const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    char *uri = rds_uri(rds->path);

    if (uri == NULL)
        return ERR_NO_MEMORY(err, strlen(rds->path));
    const int rc = sqlite3_open_v2(uri, &rds->sqlite, flags, NULL);
    free(uri);
    if (rc != SQLITE_OK)
        return rds->sqlite == NULL ? ERR_NO_MEMORY(err, 1024) : rds_fail(rds, "opening", err);
    sqlite3_db_config(rds->sqlite, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(rds->sqlite, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(rds->sqlite, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_limit(rds->sqlite, SQLITE_LIMIT_LENGTH, RDS_ROW_MAX);
    sqlite3_limit(rds->sqlite, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_exec(rds->sqlite, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
    struct stat info;
    const uint64_t bytes =
        stat(rds->path, &info) == 0 && info.st_size > 0 ? (uint64_t)info.st_size : 0;
    rds->ticks_max = RDS_TICKS_LEAST + bytes / RDS_TICK_OPS * RDS_OPS_PER_BYTE;
    sqlite3_progress_handler(rds->sqlite, RDS_TICK_OPS, rds_tick, rds);
    return ERR_OK;
}

/* A real table of that name, with the column. */
static enum err_code rds_has(const struct rds *rds, const char *table, const char *column,
                             bool *has, struct err *err)
{
    static const char sql[] =
        "SELECT count(*) FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type = 'table' "
        "AND "
        "s.rootpage > 0 AND s.name = ? COLLATE NOCASE AND c.name = ? COLLATE NOCASE";
    sqlite3_stmt *stmt = NULL;

    *has = false;
    if (sqlite3_prepare_v2(rds->sqlite, sql, -1, &stmt, NULL) != SQLITE_OK)
        return rds_fail(rds, "reading the tables of", err);
    sqlite3_bind_text(stmt, 1, table, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 2, column, -1, SQLITE_STATIC);
    if (sqlite3_step(stmt) == SQLITE_ROW)
        *has = sqlite3_column_int(stmt, 0) > 0;
    return sqlite3_finalize(stmt) == SQLITE_OK ? ERR_OK
                                               : rds_fail(rds, "reading the tables of", err);
}

/* ascending: the numbers of the rows must. */
static enum err_code rds_rows(const struct rds *rds, sqlite3_stmt *stmt, const char *table,
                              const char *column, bool ascending, db_rds_fn each, void *arg,
                              struct err *err)
{
    enum err_code rc = ERR_OK;
    int step = SQLITE_DONE;
    int64_t before = 0;
    bool first = true;

    while (rc == ERR_OK && (step = sqlite3_step(stmt)) == SQLITE_ROW) {
        const bool text = sqlite3_column_type(stmt, 1) == SQLITE_TEXT;
        const char *digest = text ? (const char *)sqlite3_column_text(stmt, 1) : "";
        const char *name = (const char *)sqlite3_column_text(stmt, 2);
        const struct db_rds_row row = {
            .path = rds->path,
            .table = table,
            .column = column,
            .id = sqlite3_column_int64(stmt, 0),
            .digest = digest != NULL ? digest : "",
            .digest_len = text ? (size_t)sqlite3_column_bytes(stmt, 1) : 0,
            .name = name,
            .name_len = name != NULL ? (size_t)sqlite3_column_bytes(stmt, 2) : 0
        };
        if (rds->stop != NULL && rds->stop())
            return ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
        if (ascending && !first && row.id <= before)
            return ERR_RAISE(err, ERR_INPUT,
                             "%s: table %s: row %" PRId64 " stands behind row %" PRId64
                             ": its pages refer to one "
                             "another; the file is damaged, or meant to do harm",
                             rds->path, table, row.id, before);
        before = row.id;
        first = false;
        rc = each(arg, &row, err);
    }
    if (rc == ERR_OK && step != SQLITE_DONE)
        rc = rds_fail(rds, "reading", err);
    return rc;
}

static enum err_code rds_table(const struct rds *rds, const char *table, const char *column,
                               db_rds_fn each, void *arg, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    char sql[128];
    bool named = false, numbered = false; /* by a column of its own that is called so */
    enum err_code rc = rds_has(rds, table, "file_name", &named, err);

    if (rc == ERR_OK)
        rc = rds_has(rds, table, "rowid", &numbered, err);
    if (rc != ERR_OK)
        return rc;
    snprintf(sql, sizeof sql, "SELECT rowid, %s, %s FROM main.%s NOT INDEXED", column,
             named ? "file_name" : "NULL", table);
    if (sqlite3_prepare_v2(rds->sqlite, sql, -1, &stmt, NULL) != SQLITE_OK)
        return rds_fail(rds, "reading", err);
    rc = rds_rows(rds, stmt, table, column, !numbered, each, arg, err);
    sqlite3_finalize(stmt);
    return rc;
}

enum err_code db_rds_read(const char *path, const char *column, bool (*stop)(void), db_rds_fn each,
                          void *arg, struct err *err)
{
    static const char *const tables[] = { "METADATA", "FILE" };
    struct rds rds = { .path = path, .stop = stop };
    bool has = false;
    enum err_code rc = rds_open(&rds, err);

    for (size_t i = 0; rc == ERR_OK && !has && i < sizeof tables / sizeof tables[0]; i++) {
        rc = rds_has(&rds, tables[i], column, &has, err);
        if (rc == ERR_OK && has)
            rc = rds_table(&rds, tables[i], column, each, arg, err);
    }
    if (rc == ERR_OK && !has)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: no table METADATA or FILE with a column %s; is this an NSRL RDSv3 "
                       "database, and does --hash name "
                       "a hash that it has?",
                       path, column);
    sqlite3_close_v2(rds.sqlite);
    return rc;
}
