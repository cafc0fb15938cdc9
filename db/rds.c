/* db/rds.c - see rds.h. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/rds.h"

#include <sqlite3.h>

enum { RDS_ROW_MAX = 1 << 20 /* longest row, bytes */ };

struct rds {
    const char *path;
    sqlite3 *sqlite;
};

static enum err_code rds_fail(const struct rds *rds, const char *doing, struct err *err)
{
    const int rc = sqlite3_errcode(rds->sqlite) & 0xff;
    const enum err_code code = rc == SQLITE_NOMEM || rc == SQLITE_IOERR || rc == SQLITE_CANTOPEN ? ERR_ENV : ERR_INPUT;

    return ERR_RAISE(err, code, "%s: %s, while %s an NSRL RDSv3 database; look whether the file is whole", rds->path,
                     sqlite3_errmsg(rds->sqlite), doing);
}

/* "file:PATH?immutable=1", to be freed: so that SQLite makes no files beside it. NULL: no memory. */
static char *rds_uri(const char *path)
{
    char *full = realpath(path, NULL);
    const char *from = full != NULL ? full : path;
    char *uri = malloc(strlen(from) * 3 + 32);
    char *to = uri;

    if (uri != NULL) {
        to += sprintf(to, "file:");
        for (; *from != '\0'; from++)
            to += strchr("%?#", *from) != NULL ? sprintf(to, "%%%02X", (unsigned)*from) : sprintf(to, "%c", *from);
        sprintf(to, "?immutable=1");
    }
    free(full);
    return uri;
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
    return ERR_OK;
}

/* A real table of that name, with the column. */
static enum err_code rds_has(const struct rds *rds, const char *table, const char *column, bool *has, struct err *err)
{
    static const char sql[] =
        "SELECT count(*) FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type = 'table' AND "
        "s.rootpage > 0 AND s.name = ? COLLATE NOCASE AND c.name = ? COLLATE NOCASE";
    sqlite3_stmt *stmt = NULL;

    *has = false;
    if (sqlite3_prepare_v2(rds->sqlite, sql, -1, &stmt, NULL) != SQLITE_OK)
        return rds_fail(rds, "reading the tables of", err);
    sqlite3_bind_text(stmt, 1, table, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 2, column, -1, SQLITE_STATIC);
    if (sqlite3_step(stmt) == SQLITE_ROW)
        *has = sqlite3_column_int(stmt, 0) > 0;
    return sqlite3_finalize(stmt) == SQLITE_OK ? ERR_OK : rds_fail(rds, "reading the tables of", err);
}

static enum err_code rds_rows(const struct rds *rds, sqlite3_stmt *stmt, const char *table, const char *column,
                              db_rds_fn each, void *arg, struct err *err)
{
    enum err_code rc = ERR_OK;
    int step = SQLITE_DONE;

    while (rc == ERR_OK && (step = sqlite3_step(stmt)) == SQLITE_ROW) {
        const bool text = sqlite3_column_type(stmt, 1) == SQLITE_TEXT;
        const char *digest = text ? (const char *)sqlite3_column_text(stmt, 1) : "";
        const char *name = (const char *)sqlite3_column_text(stmt, 2);
        const struct db_rds_row row = { .path = rds->path,
                                        .table = table,
                                        .column = column,
                                        .id = sqlite3_column_int64(stmt, 0),
                                        .digest = digest != NULL ? digest : "",
                                        .digest_len = text ? (size_t)sqlite3_column_bytes(stmt, 1) : 0,
                                        .name = name,
                                        .name_len = name != NULL ? (size_t)sqlite3_column_bytes(stmt, 2) : 0 };
        rc = each(arg, &row, err);
    }
    if (rc == ERR_OK && step != SQLITE_DONE)
        rc = rds_fail(rds, "reading", err);
    return rc;
}

static enum err_code rds_table(const struct rds *rds, const char *table, const char *column, db_rds_fn each, void *arg,
                               struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    char sql[128];
    bool named = false;
    enum err_code rc = rds_has(rds, table, "file_name", &named, err);

    if (rc != ERR_OK)
        return rc;
    snprintf(sql, sizeof sql, "SELECT rowid, %s, %s FROM main.%s", column, named ? "file_name" : "NULL", table);
    if (sqlite3_prepare_v2(rds->sqlite, sql, -1, &stmt, NULL) != SQLITE_OK)
        return rds_fail(rds, "reading", err);
    rc = rds_rows(rds, stmt, table, column, each, arg, err);
    sqlite3_finalize(stmt);
    return rc;
}

enum err_code db_rds_read(const char *path, const char *column, db_rds_fn each, void *arg, struct err *err)
{
    static const char *const tables[] = { "METADATA", "FILE" };
    struct rds rds = { .path = path };
    bool has = false;
    enum err_code rc = rds_open(&rds, err);

    for (size_t i = 0; rc == ERR_OK && !has && i < sizeof tables / sizeof tables[0]; i++) {
        rc = rds_has(&rds, tables[i], column, &has, err);
        if (rc == ERR_OK && has)
            rc = rds_table(&rds, tables[i], column, each, arg, err);
    }
    if (rc == ERR_OK && !has)
        rc = ERR_RAISE(
            err, ERR_INPUT,
            "%s: no table METADATA or FILE with a column %s; is this an NSRL RDSv3 database, and does --hash name "
            "a hash that it has?",
            path, column);
    sqlite3_close_v2(rds.sqlite);
    return rc;
}
