/* SPDX-License-Identifier: Apache-2.0
 * db/where.c - an SQL expression of a person's, over the objects of a case file.
 *
 * What it may do is little, and all of it is reading: it is compiled as one expression inside a
 * statement of ours (where_check), SQLite asks where_authorize about each table and function in it,
 * and the work that it may take is bounded like that of our own statements (connection.c). The file
 * may be hostile too: its own views are not compiled, v_objects is ours.
 *
 * Source: https://www.sqlite.org/c3ref/set_authorizer.html
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "db/linked.h"
#include "db/row.h"
#include "db/views.sql.h"

enum {
    WHERE_EXPRESSION_MAX = 16384, /* bytes */
    WHERE_LIKE_MAX = 512,         /* bytes of a pattern of LIKE or GLOB: they take their square */
    WHERE_LENGTH_MAX = 256 << 10, /* bytes of a text that it makes: one step makes all of it */
    WHERE_LOOK_OPS = 1000,        /* machine steps between two looks at the clock */
};
static const uint64_t WHERE_TIME_MAX = 60000000000; /* nanoseconds */

/* Behind a quoted word or a comment that begins at `at`, or `at` itself. NULL: it has no end. */
static const char *where_skip(const char *at)
{
    const char *end = NULL;

    if (*at == '\'' || *at == '"' || *at == '`' || *at == '[') {
        const char close = (char)(*at == '[' ? ']' : *at);

        end = strchr(at + 1, close); /* a doubled quote begins the next word */
        return end != NULL ? end + 1 : NULL;
    }
    if (at[0] == '-' && at[1] == '-')
        return at + strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
        end = strstr(at + 2, "*/");
        return end != NULL ? end + 2 : NULL;
    }
    return at;
}

/* One expression, which ends where its text ends: what stands around it in a statement stays so. */
static enum err_code where_check(const char *expression, struct err *err)
{
    uint32_t depth = 0;
    bool empty = true;

    if (strlen(expression) > WHERE_EXPRESSION_MAX)
        return ERR_RAISE(err, ERR_ARG, "--where: the expression has more than %d bytes",
                         WHERE_EXPRESSION_MAX);
    for (const char *at = expression; *at != '\0';) {
        const char *behind = where_skip(at);

        if (behind == NULL)
            return ERR_RAISE(err, ERR_ARG, "--where: a quote or a comment has no end: %s", at);
        if (behind != at) {
            empty = empty && (at[0] == '-' || at[0] == '/');
            at = behind;
            continue;
        }
        if (*at == ';')
            return ERR_RAISE(err, ERR_ARG, "--where: one expression, without a ;");
        if (*at == ')' && depth-- == 0)
            return ERR_RAISE(err, ERR_ARG, "--where: a ) without its (: %s", at);
        depth += *at == '(';
        empty = empty && strchr(" \t\r\n\f", *at) != NULL;
        at++;
    }
    if (depth > 0)
        return ERR_RAISE(err, ERR_ARG, "--where: a ( without its )");
    return empty ? ERR_RAISE(err, ERR_ARG, "--where: the expression is empty") : ERR_OK;
}

static bool where_is_one(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; name != NULL && i < count; i++)
        if (sqlite3_stricmp(names[i], name) == 0)
            return true;
    return false;
}

/* Tables of a case file, and functions that compute from what they are given, in little memory. */
static int where_authorize(void *arg, int action, const char *first, const char *second,
                           const char *database, const char *trigger)
{
    static const char *const tables[] = {
        "objects",     "nested",        "assembled",    "contents",      "extents",
        "pieces",      "joins",         "facts",        "found_in",      "images",
        "image_parts", "hits",          "signatures",   "runs",          "known_objects",
        "known_sets",  "outputs",       "bad_ranges",   "known_blocks",  "volumes",
        "scanned",     "triage",        "triage_found", "findings",      "v_objects",
        "matches",     "patterns",      "likely",       "likely_pieces", "yara",
        "linked",      "linked_nested",
    };
    static const char *const functions[] = {
        "abs",    "avg",    "char",   "coalesce", "count",     "date",         "datetime",
        "format", "glob",   "hex",    "ifnull",   "iif",       "instr",        "julianday",
        "length", "like",   "likely", "lower",    "ltrim",     "max",          "min",
        "nullif", "printf", "quote",  "replace",  "round",     "rtrim",        "sign",
        "sum",    "substr", "time",   "strftime", "substring", "group_concat", "total",
        "trim",   "typeof", "upper",  "unicode",  "unixepoch", "unlikely",
    };

    (void)arg;
    (void)database;
    (void)trigger;
    if (action == SQLITE_SELECT)
        return SQLITE_OK;
    if (action == SQLITE_READ)
        return first[0] == '\0' || where_is_one(tables, sizeof tables / sizeof tables[0], first)
                   ? SQLITE_OK
                   : SQLITE_DENY;
    if (action == SQLITE_FUNCTION &&
        where_is_one(functions, sizeof functions / sizeof functions[0], second))
        return SQLITE_OK;
    return SQLITE_DENY;
}

/* What the expression may still take. */
struct where_watch {
    struct db_case *db;
    bool (*stop)(void *arg);
    void *arg;
    uint64_t looks, until; /* until: nanoseconds of the monotonic clock */
    bool stopped;
};

static int where_look(void *arg)
{
    struct where_watch *watch = arg;

    watch->stopped = watch->stop != NULL && watch->stop(watch->arg);
    if (watch->stopped || clock_now(CLOCK_MONOTONIC) > watch->until)
        return 1;
    return ++watch->looks % (DB_TICK_OPS / WHERE_LOOK_OPS) == 0 ? db_tick(watch->db) : 0;
}

/* The text of v_objects in views.sql, from its SELECT on to the semicolon. */
static const char *where_view(int *len)
{
    static const char head[] = "CREATE VIEW v_objects AS";
    const char *view = strstr((const char *)db_views_sql, head) + sizeof head - 1;

    *len = (int)strcspn(view, ";");
    return view;
}

/* What went wrong while the statement was compiled or run. */
static enum err_code where_failed(struct db_case *db, const struct where_watch *watch,
                                  struct err *err)
{
    const int rc = sqlite3_errcode(db->sqlite);

    if (db->linked != NULL && db->linked->rc != ERR_OK) /* a shard, and not the expression */
        return DB_FAIL(db, err, "looking at an expression");
    if (rc == SQLITE_INTERRUPT && watch->stopped)
        return ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
    if (rc == SQLITE_INTERRUPT)
        return ERR_RAISE(
            err, ERR_ARG,
            "--where: the expression takes too long: much longer than to look at every "
            "row of this case file once");
    if (rc == SQLITE_AUTH)
        return ERR_RAISE(err, ERR_ARG,
                         "--where: %s: an expression reads tables of the case file and computes, "
                         "and can do nothing else",
                         sqlite3_errmsg(db->sqlite));
    if (rc == SQLITE_NOMEM)
        return ERR_RAISE(err, ERR_ARG, "--where: the expression takes too much memory");
    if (rc == SQLITE_ERROR || rc == SQLITE_TOOBIG || rc == SQLITE_RANGE)
        return ERR_RAISE(
            err, ERR_ARG,
            "--where: %s; it is an SQL expression over the columns of v_objects (see "
            "burin(1)), with strings in single quotes, such as: type = 'jpg' AND len > "
            "100000",
            sqlite3_errmsg(db->sqlite));
    return DB_FAIL(db, err, "looking at an expression");
}

static enum err_code where_walk(struct db_case *db, const struct where_watch *watch,
                                sqlite3_stmt *stmt, db_id_fn each, void *arg, struct err *err)
{
    enum err_code rc = ERR_OK;
    int step = SQLITE_ROW;

    while (rc == ERR_OK && (step = sqlite3_step(stmt)) == SQLITE_ROW)
        rc = each(arg, sqlite3_column_int64(stmt, 0), err);
    if (rc == ERR_OK && step != SQLITE_DONE)
        rc = where_failed(db, watch, err);
    return rc;
}

/* Compiles and runs the statement under the limits of an expression. */
static enum err_code where_run(struct db_case *db, const char *sql, struct where_watch *watch,
                               db_id_fn each, void *arg, struct err *err)
{
    const int like = sqlite3_limit(db->sqlite, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, WHERE_LIKE_MAX);
    const int length = sqlite3_limit(db->sqlite, SQLITE_LIMIT_LENGTH, WHERE_LENGTH_MAX);
    sqlite3_stmt *stmt = NULL;

    sqlite3_set_authorizer(db->sqlite, where_authorize, NULL);
    sqlite3_progress_handler(db->sqlite, WHERE_LOOK_OPS, where_look, watch);
    db->ticks = 0;
    const enum err_code rc = sqlite3_prepare_v2(db->sqlite, sql, -1, &stmt, NULL) == SQLITE_OK
                                 ? where_walk(db, watch, stmt, each, arg, err)
                                 : where_failed(db, watch, err);
    sqlite3_finalize(stmt);
    db_watch(db);
    db_authorize(db, true);
    sqlite3_limit(db->sqlite, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, like);
    sqlite3_limit(db->sqlite, SQLITE_LIMIT_LENGTH, length);
    return rc;
}

enum err_code db_where(struct db_case *db, const char *expression, bool (*stop)(void *arg),
                       void *stop_arg, db_id_fn each, void *arg, struct err *err)
{
    struct where_watch watch = { .db = db,
                                 .stop = stop,
                                 .arg = stop_arg,
                                 .until = clock_now(CLOCK_MONOTONIC) + WHERE_TIME_MAX };
    char *sql = NULL;
    int len;
    enum err_code rc = where_check(expression, err);

    if (rc != ERR_OK)
        return rc;
    const char *view = where_view(&len);
    /* A line feed ends a comment of the expression's. */
    if (asprintf(&sql, "WITH v_objects AS (%.*s) SELECT id FROM v_objects WHERE (%s\n)", len, view,
                 expression) < 0)
        return ERR_NO_MEMORY(err, strlen(expression));
    rc = where_run(db, sql, &watch, each, arg, err);
    free(sql);
    return rc;
}
