/* SPDX-License-Identifier: Apache-2.0
 * db/connection.c - the handle on a case file: settings and statements. See connection.h; errors
 * are in failure.c.
 *
 * The file is hostile until shown otherwise. db_config takes away what a file could use: its views,
 * its functions in the schema, attached files, long rows. And pages that refer to one another in
 * many ways could keep one statement busy for ever: so each statement may take DB_TICK_OPS *
 * ticks_max steps of SQLite's machine, in proportion to the file, and no more.
 */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "db/feed.h"
#include "db/linked.h"
#include "db/patterns.h"
#include "db/wal_frames.h"
#include "version.h"

enum {
    DB_TICKS_LEAST = 64, /* ticks any statement may take: enough for all that is in the page cache
                            and not in the file */
    DB_OPS_PER_BYTE = 4, /* machine steps an honest walk takes for a byte of the file, at most
                            (measured: below 1) */
    DB_IMAGE_TEXT_MAX = 64 << 20, /* paths of 65536 parts, of 1000 bytes each */
    DB_RUN_TEXT_MAX = 16 << 20,   /* the texts of one run */
    DB_SCHEMA_OPS =
        1000, /* machine steps between two looks at the budget while the schema is read */
    DB_SCHEMA_TICKS = 200,   /* of these, at most: some ten thousand entries */
    DB_HEAP_MAX = 256 << 20, /* bytes that SQLite may take in all */
};

static uint64_t connection_file_size(const char *path, const char *suffix)
{
    char name[PATH_MAX + 8];
    struct stat st;

    snprintf(name, sizeof name, "%s%s", path, suffix);
    return stat(name, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
}

/* SQLite calls this now and then while a statement runs; not 0 stops it. The file may have grown
 * since the last look. */
int db_tick(void *arg)
{
    struct db_case *db = arg;

    if (++db->ticks > db->ticks_max) {
        const uint64_t bytes = connection_file_size(db->path, "") +
                               connection_file_size(db->path, "-wal") +
                               (db->linked != NULL ? db->linked->bytes : 0);

        db->ticks_max = DB_TICKS_LEAST + bytes / DB_TICK_OPS * DB_OPS_PER_BYTE;
    }
    return db->ticks > db->ticks_max;
}

void db_watch(struct db_case *db)
{
    sqlite3_progress_handler(db->sqlite, DB_TICK_OPS, db_tick, db);
}

/* path as a URI with immutable=1, to be freed. NULL: no memory. */
static char *connection_uri(const char *path)
{
    static const char head[] = "file:", tail[] = "?immutable=1";
    char *uri = malloc(strlen(path) * 3 + sizeof head + sizeof tail);
    char *to = uri;

    if (uri == NULL)
        return NULL;
    to += sprintf(to, "%s", head);
    for (const char *p = path; *p != '\0'; p++)
        to +=
            strchr("%?#", *p) != NULL ? sprintf(to, "%%%02X", (unsigned)*p) : sprintf(to, "%c", *p);
    sprintf(to, "%s", tail);
    return uri;
}

static void connection_init(struct db_case *db, enum db_access access)
{
    db->access = access;
    db->owner = pthread_self();
    db->ticks_max = DB_TICKS_LEAST;
    arena_init(&db->image_text, DB_IMAGE_TEXT_MAX);
    arena_init(&db->run_text, DB_RUN_TEXT_MAX);
}

void db_case_take(struct db_case *db)
{
    db->owner = pthread_self();
}

static void connection_check_thread(const struct db_case *db)
{
    assert(pthread_equal(db->owner, pthread_self()));
    (void)db;
}

enum err_code db_handle_open_memory(struct db_case **out, struct err *err)
{
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY |
                      SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    struct db_case *db = calloc(1, sizeof *db);

    *out = NULL;
    if (db == NULL)
        return ERR_NO_MEMORY(err, sizeof *db);
    connection_init(db, DB_ACCESS_WRITE);
    db->path = strdup("a case file in memory");
    if (db->path == NULL || sqlite3_open_v2(":memory:", &db->sqlite, flags, NULL) != SQLITE_OK) {
        db_case_close(db);
        return ERR_NO_MEMORY(err, sizeof *db);
    }
    *out = db;
    return ERR_OK;
}

enum err_code db_handle_open(const char *path, enum db_access access, struct db_case **out,
                             struct err *err)
{
    const bool immutable = access == DB_ACCESS_IMMUTABLE;
    const bool write = access == DB_ACCESS_WRITE || access == DB_ACCESS_READ_TIDY;
    const int flags = (write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_NOMUTEX |
                      SQLITE_OPEN_EXRESCODE | (immutable ? SQLITE_OPEN_URI : 0);
    struct db_case *db = calloc(1, sizeof *db);
    struct stat st;
    char *uri = NULL;
    enum err_code rc = ERR_OK;

    assert(path[0] ==
           '/'); /* so that SQLite takes it for a path and never for a URI or ":memory:" */
    *out = NULL;
    if (db == NULL)
        return ERR_NO_MEMORY(err, sizeof *db);
    connection_init(db, access);
    db->path = strdup(path);
    if (stat(path, &st) == 0) {
        db->device = st.st_dev;
        db->inode = st.st_ino;
    }
    if (immutable)
        uri = connection_uri(path);
    if (db->path == NULL || (immutable && uri == NULL))
        rc = ERR_NO_MEMORY(err, strlen(path) * 3);
    else if (sqlite3_open_v2(immutable ? uri : path, &db->sqlite, flags, NULL) != SQLITE_OK)
        rc = DB_FAIL(db, err, "opening it");
    free(uri);
    if (rc == ERR_OK)
        *out = db;
    else
        db_case_close(db);
    return rc;
}

/*
 * SQLite asks this about all that a statement is compiled to. The functions that our own statements
 * and triggers name are all that may run; what else a file would bring in with its schema is not
 * compiled.
 */
static int connection_authorize(void *arg, int action, const char *first, const char *second,
                                const char *database, const char *trigger)
{
    static const char *const functions[] = { "coalesce", "max",   "min",   "sum",
                                             "iif",      "lower", "count", "total" };

    (void)arg;
    (void)first;
    (void)database;
    (void)trigger;
    if (action == SQLITE_ATTACH || action == SQLITE_DETACH)
        return SQLITE_DENY;
    if (action != SQLITE_FUNCTION)
        return SQLITE_OK;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(second, functions[i]) == 0)
            return SQLITE_OK;
    return SQLITE_DENY;
}

void db_authorize(struct db_case *db, bool on)
{
    sqlite3_set_authorizer(db->sqlite, on ? connection_authorize : NULL, db);
    sqlite3_db_config(db->sqlite, SQLITE_DBCONFIG_ENABLE_TRIGGER, on, NULL);
}

/* SQLite calls this while it reads the schema of a file; not 0 stops it. */
static int connection_schema_tick(void *arg)
{
    struct db_case *db = arg;

    return ++db->ticks > DB_SCHEMA_TICKS;
}

/*
 * SQLite compiles all that a file calls its schema before the first statement runs. A case file has
 * some forty entries; a file with very many is no case file that anybody works with.
 */
static enum err_code connection_load_schema(struct db_case *db, struct err *err)
{
    char limit[64];
    enum err_code rc;

    snprintf(limit, sizeof limit, "PRAGMA hard_heap_limit = %d", DB_HEAP_MAX);
    sqlite3_progress_handler(db->sqlite, DB_SCHEMA_OPS, connection_schema_tick, db);
    rc = db_exec(db, limit, "setting it up", err);
    if (rc == ERR_OK)
        rc = db_exec(db, "SELECT sum(1) FROM sqlite_schema", "reading its schema", err);
    db_watch(db);
    return rc;
}

enum err_code db_config(struct db_case *db, struct err *err)
{
    static const struct {
        int option, value;
    } options[] = {
        { SQLITE_DBCONFIG_DEFENSIVE, 1 },   { SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
        { SQLITE_DBCONFIG_ENABLE_VIEW, 0 }, { SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 },
        { SQLITE_DBCONFIG_ENABLE_FKEY, 1 }, { SQLITE_DBCONFIG_ENABLE_TRIGGER, 1 },
        { SQLITE_DBCONFIG_DQS_DML, 0 },     { SQLITE_DBCONFIG_DQS_DDL, 0 },
    };
    static const struct {
        int limit, value;
    } limits[] = {
        { SQLITE_LIMIT_LENGTH, 8 * DB_TEXT_MAX }, /* a row of runs has eight long texts */
        { SQLITE_LIMIT_SQL_LENGTH, 1 << 16 },     { SQLITE_LIMIT_COLUMN, 64 },
        { SQLITE_LIMIT_EXPR_DEPTH, 64 },          { SQLITE_LIMIT_ATTACHED, 0 },
        { SQLITE_LIMIT_TRIGGER_DEPTH, 4 },        { SQLITE_LIMIT_WORKER_THREADS, 0 },
    };
    char text[384];
    enum err_code rc = ERR_OK;

    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (sqlite3_db_config(db->sqlite, options[i].option, options[i].value, NULL) != SQLITE_OK)
            return DB_FAIL(db, err, "setting it up");
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        sqlite3_limit(db->sqlite, limits[i].limit, limits[i].value);
    sqlite3_busy_timeout(db->sqlite, DB_BUSY_MS);
    snprintf(text, sizeof text,
             "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA cache_size = -%d; PRAGMA "
             "synchronous = NORMAL;"
             "PRAGMA journal_size_limit = 67108864; PRAGMA wal_autocheckpoint = 16000; PRAGMA "
             "query_only = %d;",
             DB_CACHE_KIB, db->access != DB_ACCESS_WRITE);
    db_authorize(db, true);
    rc = connection_load_schema(db, err);
    return rc == ERR_OK ? db_exec(db, text, "setting it up", err) : rc;
}

enum err_code db_exec(struct db_case *db, const char *sql, const char *doing, struct err *err)
{
    connection_check_thread(db);
    db->ticks = 0;
    errno = 0;
    return sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL) == SQLITE_OK ? ERR_OK
                                                                        : DB_FAIL(db, err, doing);
}

enum err_code db_let_make(struct db_case *db, bool let, struct err *err)
{
    if (db->access == DB_ACCESS_WRITE)
        return ERR_OK;
    return db_exec(db, let ? "PRAGMA query_only = 0" : "PRAGMA query_only = 1", "setting it up",
                   err);
}

enum err_code db_set_cache(struct db_case *db, int kib, struct err *err)
{
    char text[64];

    snprintf(text, sizeof text, "PRAGMA cache_size = -%d", kib);
    return db_exec(db, text, "setting it up", err);
}

/* Compiles it. flags: of sqlite3_prepare_v3. */
static int connection_compile(const struct db_case *db, const char *sql, unsigned flags,
                              sqlite3_stmt **out)
{
    const bool shown = db->linked != NULL && db->linked->objects && strstr(sql, "main.") == NULL;
    const char *by_place = shown ? strstr(sql, DB_BY_PLACE) : NULL;
    char *text = NULL;

    if (by_place == NULL)
        return sqlite3_prepare_v3(db->sqlite, sql, -1, flags, out, NULL);
    if (asprintf(&text, "%.*s%s", (int)(by_place - sql), sql, by_place + strlen(DB_BY_PLACE)) < 0)
        return SQLITE_NOMEM;
    const int rc = sqlite3_prepare_v3(db->sqlite, text, -1, flags, out, NULL);
    free(text);
    return rc;
}

enum err_code db_prepare(struct db_case *db, enum db_statement which, const char *sql,
                         sqlite3_stmt **out, struct err *err)
{
    sqlite3_stmt **slot = &db->statements[which];

    connection_check_thread(db);
    *out = NULL;
    db->ticks = 0;
    if (*slot == NULL && connection_compile(db, sql, SQLITE_PREPARE_PERSISTENT, slot) != SQLITE_OK)
        return DB_FAIL(db, err, "preparing a statement");
    sqlite3_reset(*slot); /* reports again what the last step reported: nothing new */
    sqlite3_clear_bindings(*slot);
    *out = *slot;
    return ERR_OK;
}

enum err_code db_prepare_once(struct db_case *db, const char *sql, sqlite3_stmt **out,
                              struct err *err)
{
    connection_check_thread(db);
    db->ticks = 0;
    return connection_compile(db, sql, 0, out) == SQLITE_OK
               ? ERR_OK
               : DB_FAIL(db, err, "preparing a statement");
}

enum err_code db_step(struct db_case *db, sqlite3_stmt *stmt, bool *row, const char *doing,
                      struct err *err)
{
    connection_check_thread(db);
    errno = 0; /* db_fail looks at it */
    const int rc = sqlite3_step(stmt);
    enum err_code out = ERR_OK;

    *row = rc == SQLITE_ROW;
    if (rc == SQLITE_ROW)
        return ERR_OK;
    if (rc != SQLITE_DONE)
        out = DB_FAIL(db, err, doing);
    sqlite3_reset(stmt); /* so that it holds no lock */
    return out;
}

enum err_code db_run_to_end(struct db_case *db, sqlite3_stmt *stmt, const char *doing,
                            struct err *err)
{
    bool row = true;
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && row)
        rc = db_step(db, stmt, &row, doing, err);
    return rc;
}

void db_case_close(struct db_case *db)
{
    if (db == NULL)
        return;
    for (int i = 0; i < DB_STATEMENT_COUNT; i++)
        sqlite3_finalize(db->statements[i]);
    sqlite3_close_v2(db->sqlite); /* rolls back what is open, and folds the -wal file in */
    wal_frames_end(db->frames);
    linked_close(db->linked);
    feed_close(db->feed);
    patterns_forget(db);
    arena_release(&db->image_text);
    arena_release(&db->run_text);
    free(db->bad.ranges);
    free(db->objects.words);
    db_log_hash_close(db->log_hash);
    db_seal_ahead_close(db->ahead);
    free(db->path);
    db_lock_release(db->lock); /* last: the next writer finds a closed file */
    free(db);
}

void db_time_now(char out[DB_TIME_SIZE])
{
    struct timespec now;
    struct tm utc;
    char seconds[DB_TIME_SIZE - 8];

    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(out, DB_TIME_SIZE, "%s.%03dZ", seconds, (int)(now.tv_nsec / 1000000));
}

const char *db_writer(void)
{
    return "burin " BURIN_VERSION " (" BURIN_BUILD ")";
}
