/*
 * db/connection.c - the handle on a case file: settings, errors, statements, transactions. See connection.h.
 *
 * The file is hostile until shown otherwise. db_config takes away what a file could use: its views, its functions in the
 * schema, attached files, long rows. And a tree of pages that refers to itself could keep one statement busy for ever:
 * so each statement may take DB_TICK_OPS * ticks_max steps of SQLite's machine, which grows with the file, and no more.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "db/connection.h"
#include "version.h"

enum {
    DB_TICK_OPS = 1000000,   /* machine steps between two looks at the budget */
    DB_TICKS_LEAST = 64,     /* ticks any statement may take */
    DB_OPS_PER_BYTE = 16,    /* machine steps that an honest walk takes for a byte of the file, at the very most */
    DB_IMAGE_TEXT_MAX = 32 << 20, /* paths of 4096 parts */
    DB_RUN_TEXT_MAX = 16 << 20,   /* the texts of one run */
};

static int connection_tick(void *arg)
{
    struct db_case *db = arg;

    return ++db->ticks > db->ticks_max;
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
        to += strchr("%?#", *p) != NULL ? sprintf(to, "%%%02X", (unsigned)*p) : sprintf(to, "%c", *p);
    sprintf(to, "%s", tail);
    return uri;
}

enum err_code db_handle_open(const char *path, enum db_mode mode, bool immutable, struct db_case **out, struct err *err)
{
    const int flags = (mode == DB_WRITE ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_NOMUTEX |
                      SQLITE_OPEN_EXRESCODE | (immutable ? SQLITE_OPEN_URI : 0);
    struct db_case *db = calloc(1, sizeof *db);
    char *uri = NULL;
    enum err_code rc = ERR_OK;

    assert(path[0] == '/'); /* so that SQLite takes it for a path and never for a URI or ":memory:" */
    *out = NULL;
    if (db == NULL)
        return ERR_NO_MEMORY(err, sizeof *db);
    db->mode = mode;
    db->ticks_max = DB_TICKS_LEAST;
    arena_init(&db->image_text, DB_IMAGE_TEXT_MAX);
    arena_init(&db->run_text, DB_RUN_TEXT_MAX);
    db->path = strdup(path);
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

enum err_code db_config(struct db_case *db, struct err *err)
{
    static const struct {
        int option, value;
    } options[] = {
        { SQLITE_DBCONFIG_DEFENSIVE, 1 },      { SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
        { SQLITE_DBCONFIG_ENABLE_VIEW, 0 },    { SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 },
        { SQLITE_DBCONFIG_ENABLE_FKEY, 1 },    { SQLITE_DBCONFIG_ENABLE_TRIGGER, 1 },
        { SQLITE_DBCONFIG_DQS_DML, 0 },        { SQLITE_DBCONFIG_DQS_DDL, 0 },
    };
    static const struct {
        int limit, value;
    } limits[] = {
        { SQLITE_LIMIT_LENGTH, 8 * DB_TEXT_MAX }, /* a row of runs has eight long texts */
        { SQLITE_LIMIT_SQL_LENGTH, 1 << 16 },     { SQLITE_LIMIT_COLUMN, 64 },
        { SQLITE_LIMIT_EXPR_DEPTH, 64 },          { SQLITE_LIMIT_ATTACHED, 0 },
        { SQLITE_LIMIT_TRIGGER_DEPTH, 4 },        { SQLITE_LIMIT_WORKER_THREADS, 0 },
    };
    char text[256];

    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (sqlite3_db_config(db->sqlite, options[i].option, options[i].value, NULL) != SQLITE_OK)
            return DB_FAIL(db, err, "setting it up");
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        sqlite3_limit(db->sqlite, limits[i].limit, limits[i].value);
    sqlite3_busy_timeout(db->sqlite, DB_BUSY_MS);
    sqlite3_progress_handler(db->sqlite, DB_TICK_OPS, connection_tick, db);
    snprintf(text, sizeof text,
             "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA cache_size = -%d; PRAGMA synchronous = NORMAL;"
             "PRAGMA journal_size_limit = 67108864; PRAGMA wal_autocheckpoint = 4000;",
             DB_CACHE_KIB);
    return db_exec(db, text, "setting it up", err);
}

static bool connection_disk_full(int sqlite_rc, int errno_value)
{
    return sqlite_rc == SQLITE_FULL || sqlite_rc == SQLITE_IOERR_SHMSIZE ||
           ((sqlite_rc & 0xff) == SQLITE_IOERR &&
            (errno_value == ENOSPC || errno_value == EDQUOT || errno_value == EFBIG));
}

enum err_code db_fail(struct db_case *db, struct err *err, const char *where, const char *doing)
{
    const int rc = sqlite3_extended_errcode(db->sqlite);
    const int os_errno = sqlite3_system_errno(db->sqlite);
    const char *why = sqlite3_errmsg(db->sqlite);
    const char *system = os_errno != 0 ? strerror(os_errno) : why;

    if (connection_disk_full(rc, os_errno))
        return err_raise(err, ERR_ENV, where,
                         "%s: no space left for the case file, while %s; free some space, or put the case file on "
                         "another disk with --case; what was written before is kept", db->path, doing);
    switch (rc & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return err_raise(err, ERR_ENV, where,
                         "%s: another burin (or another program) is using the case file, while %s; wait for it to end, "
                         "or name another case file with --case", db->path, doing);
    case SQLITE_NOMEM:
        return err_raise(err, ERR_ENV, where, "%s: no memory, while %s; close other programs", db->path, doing);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return err_raise(err, ERR_ENV, where,
                         "%s: the case file or its folder may not be written (%s), while %s; change the permissions, or "
                         "copy the case file to another folder", db->path, why, doing);
    case SQLITE_CANTOPEN:
        return err_raise(err, ERR_ENV, where,
                         "%s: cannot open the case file or its -wal and -shm files (%s), while %s; look at the "
                         "permissions of the three files and of their folder", db->path, system, doing);
    case SQLITE_IOERR:
        return err_raise(err, ERR_ENV, where,
                         "%s: reading or writing the case file failed (%s: %s), while %s; look at the disk that it is "
                         "on", db->path, why, system, doing);
    case SQLITE_INTERRUPT:
        return err_raise(err, ERR_INPUT, where,
                         "%s: the case file is damaged: it holds more rows than its size allows, while %s; try "
                         "sqlite3 %s .recover", db->path, doing, db->path);
    case SQLITE_CONSTRAINT:
        return err_raise(err, ERR_INPUT, where,
                         "%s: the case file does not take this (%s), while %s; it belongs to other evidence or was "
                         "changed by another program; name another case file with --case", db->path, why, doing);
    case SQLITE_NOTADB:
        return err_raise(err, ERR_INPUT, where, "%s: not a case file (%s)", db->path, why);
    default:
        return err_raise(err, ERR_INPUT, where,
                         "%s: the case file is damaged: %s, while %s; try sqlite3 %s .recover", db->path, why, doing,
                         db->path);
    }
}

enum err_code db_damaged(struct db_case *db, struct err *err, const char *format, ...)
{
    char why[512];
    va_list args;

    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    return ERR_RAISE(err, ERR_INPUT, "%s: the case file is damaged: %s; try sqlite3 %s .recover", db->path, why,
                     db->path);
}

/* A statement begins: gives it its budget. */
static void connection_reset_budget(struct db_case *db)
{
    sqlite3_file *file = NULL;
    sqlite3_int64 size = 0;

    db->ticks = 0;
    if (sqlite3_file_control(db->sqlite, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK && file != NULL &&
        file->pMethods != NULL && file->pMethods->xFileSize(file, &size) == SQLITE_OK && size > 0)
        db->ticks_max = DB_TICKS_LEAST + (uint64_t)size / DB_TICK_OPS * DB_OPS_PER_BYTE;
}

enum err_code db_exec(struct db_case *db, const char *sql, const char *doing, struct err *err)
{
    connection_reset_budget(db);
    return sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL) == SQLITE_OK ? ERR_OK : DB_FAIL(db, err, doing);
}

enum err_code db_prepare(struct db_case *db, enum db_statement which, const char *sql, sqlite3_stmt **out,
                         struct err *err)
{
    sqlite3_stmt **slot = &db->statements[which];

    *out = NULL;
    db->ticks = 0;
    if (*slot == NULL &&
        sqlite3_prepare_v3(db->sqlite, sql, -1, SQLITE_PREPARE_PERSISTENT, slot, NULL) != SQLITE_OK)
        return DB_FAIL(db, err, "preparing a statement");
    sqlite3_reset(*slot); /* reports again what the last step reported: nothing new */
    sqlite3_clear_bindings(*slot);
    *out = *slot;
    return ERR_OK;
}

enum err_code db_prepare_once(struct db_case *db, const char *sql, sqlite3_stmt **out, struct err *err)
{
    connection_reset_budget(db);
    if (sqlite3_prepare_v2(db->sqlite, sql, -1, out, NULL) != SQLITE_OK)
        return DB_FAIL(db, err, "preparing a statement");
    return ERR_OK;
}

enum err_code db_step(struct db_case *db, sqlite3_stmt *stmt, bool *row, const char *doing, struct err *err)
{
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

enum err_code db_run_to_end(struct db_case *db, sqlite3_stmt *stmt, const char *doing, struct err *err)
{
    bool row = true;
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && row)
        rc = db_step(db, stmt, &row, doing, err);
    return rc;
}

static enum err_code connection_do(struct db_case *db, enum db_statement which, const char *sql, const char *doing,
                                   struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(db, which, sql, &stmt, err);

    return rc == ERR_OK ? db_run_to_end(db, stmt, doing, err) : rc;
}

/* SQLite itself has rolled back where it could not go on; else we do. */
static void connection_rollback(struct db_case *db)
{
    if (sqlite3_get_autocommit(db->sqlite) == 0)
        (void)!connection_do(db, DB_ROLLBACK, "ROLLBACK", "undoing a transaction", NULL);
    db->bad.image_id = 0;
}

static enum err_code connection_commit(struct db_case *db, struct err *err)
{
    const enum err_code rc = connection_do(db, DB_COMMIT, "COMMIT", "ending a transaction", err);

    if (rc != ERR_OK)
        connection_rollback(db);
    return rc;
}

enum err_code db_begin(struct db_case *db, struct err *err)
{
    assert(!db->in_transaction);
    const enum err_code rc = connection_do(db, DB_BEGIN, "BEGIN IMMEDIATE", "beginning a transaction", err);

    db->in_transaction = rc == ERR_OK;
    db->failed = false;
    connection_reset_budget(db);
    return rc;
}

enum err_code db_commit(struct db_case *db, struct err *err)
{
    assert(db->in_transaction);
    db->in_transaction = false;
    if (!db->failed)
        return connection_commit(db, err);
    connection_rollback(db);
    return ERR_RAISE(err, ERR_ENV, "%s: nothing of this transaction was kept, because a write in it failed", db->path);
}

enum err_code db_atom_begin(struct db_case *db, bool *own, struct err *err)
{
    *own = !db->in_transaction;
    return *own ? connection_do(db, DB_BEGIN, "BEGIN IMMEDIATE", "beginning a transaction", err) : ERR_OK;
}

enum err_code db_atom_end(struct db_case *db, bool own, enum err_code rc, struct err *err)
{
    if (own && rc == ERR_OK)
        return connection_commit(db, err);
    if (own)
        connection_rollback(db);
    else if (rc != ERR_OK)
        db->failed = true;
    return rc;
}

void db_case_close(struct db_case *db)
{
    if (db == NULL)
        return;
    for (int i = 0; i < DB_STATEMENT_COUNT; i++)
        sqlite3_finalize(db->statements[i]);
    sqlite3_close_v2(db->sqlite); /* rolls back what is open, and folds the -wal file in */
    arena_release(&db->image_text);
    arena_release(&db->run_text);
    free(db->bad.ranges);
    free(db->path);
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
