/* SPDX-License-Identifier: Apache-2.0
 * db/case.c - opens case files. See case.h; new ones are made in create.c, and what a handle does
 * afterwards is in connection.c.
 *
 * A file is looked at through SQLite's own descriptor before SQLite itself reads it: closing any
 * other descriptor of the file would drop the POSIX locks of this process on it, and SQLite would
 * replay the journal of a file that is not ours.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "db/feed.h"
#include "db/files.h"
#include "db/linked.h"
#include "db/migrate.h"
#include "db/patterns.h"

enum { CASE_HEADER_SIZE = 100, CASE_ID_AT = 68 }; /* https://www.sqlite.org/fileformat2.html, 1.3 */

enum err_code db_look(struct db_case *db, enum db_kind *kind, struct err *err)
{
    static const char magic[] = "SQLite format 3"; /* with its NUL */
    uint8_t header[CASE_HEADER_SIZE] = { 0 };
    sqlite3_file *file = NULL;
    struct stat st;

    if (sqlite3_file_control(db->sqlite, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK ||
        file == NULL || file->pMethods == NULL)
        return DB_FAIL(db, err, "looking at its header");
    const int rc = file->pMethods->xRead(file, header, sizeof header, 0);
    if ((rc != SQLITE_OK && rc != SQLITE_IOERR_SHORT_READ) || stat(db->path, &st) != 0)
        return ERR_RAISE(err, ERR_ENV,
                         "%s: reading its first bytes failed; look at the disk that it is on",
                         db->path);
    if (st.st_size == 0) /* xFileSize says 0 for one byte, too */
        *kind = DB_KIND_EMPTY;
    else if (memcmp(header, magic, sizeof magic) != 0)
        *kind = DB_KIND_NOT_SQLITE;
    else
        *kind =
            bytes_u32be(header + CASE_ID_AT) == DB_APPLICATION_ID ? DB_KIND_OURS : DB_KIND_FOREIGN;
    return ERR_OK;
}

enum err_code db_need_regular(const char *path, struct err *err)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return ERR_RAISE(err, errno == ENOENT || errno == ENOTDIR ? ERR_INPUT : ERR_ENV,
                         "%s: %s; name a case file that "
                         "burin scan has written",
                         path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return ERR_RAISE(err, ERR_INPUT, "%s: a %s, not a case file; name another with --case",
                         path, S_ISDIR(st.st_mode) ? "folder" : "device or pipe");
    return ERR_OK;
}

/* WAL lets burin list read while burin scan writes. Where it cannot be had (no shared memory),
 * commits wait for the disk. */
static enum err_code case_use_wal(struct db_case *db, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    bool found = false, wal = false;
    enum err_code rc = db_prepare_once(db, "PRAGMA journal_mode = WAL", &stmt, err);

    if (rc == ERR_OK)
        rc = db_step(db, stmt, &found, "turning it to WAL", err);
    if (found && sqlite3_column_type(stmt, 0) == SQLITE_TEXT)
        wal = strcmp((const char *)sqlite3_column_text(stmt, 0), "wal") == 0;
    sqlite3_finalize(stmt);
    if (rc == ERR_OK && !wal)
        rc = db_exec(db, "PRAGMA synchronous = FULL", "setting it up", err);
    return rc;
}

/* ---- open ---- */

static enum err_code case_refuse_newer(struct db_case *db, int64_t version, struct err *err)
{
    char writer[256];

    if (db_about_get(db, "writer", writer, sizeof writer, NULL) != ERR_OK || writer[0] == '\0')
        snprintf(writer, sizeof writer, "a newer burin");
    return ERR_RAISE(err, ERR_INPUT,
                     "%s: schema %" PRId64
                     ", written by %s; this is %s, which reads schemas up to %d; use "
                     "the newer burin",
                     db->path, version, writer, db_writer(), DB_SCHEMA_VERSION);
}

/* Who reads changes nothing: an older file is brought up to date in a copy that ends with the
 * handle. */
static enum err_code case_copy(struct db_case *db, struct err *err)
{
    const int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    const enum db_access access = db->access;
    sqlite3_backup *backup = NULL;
    sqlite3 *original = db->sqlite, *copy = NULL;
    enum err_code rc = ERR_OK;

    if (sqlite3_open_v2("", &copy, flags, NULL) == SQLITE_OK)
        backup = sqlite3_backup_init(copy, "main", original, "main");
    if (backup != NULL)
        sqlite3_backup_step(backup, -1);
    if (backup == NULL || sqlite3_backup_finish(backup) != SQLITE_OK) {
        rc = ERR_RAISE(
            err, ERR_ENV,
            "%s: an older schema, of which a copy cannot be made in the folder for temporary "
            "files: %s; "
            "set TMPDIR, or let a command that writes to it (burin carve) bring it up to date",
            db->path, copy != NULL ? sqlite3_errmsg(copy) : "no memory");
        sqlite3_close_v2(copy);
        return rc;
    }
    for (int i = 0; i < DB_STATEMENT_COUNT; i++) {
        sqlite3_finalize(db->statements[i]);
        db->statements[i] = NULL;
    }
    sqlite3_close_v2(original);
    db->sqlite = copy;
    db->access = DB_ACCESS_WRITE;
    rc = db_config(db, err);
    if (rc == ERR_OK)
        rc = db_migrate_to_present(db, err);
    db->access = access;
    return rc == ERR_OK ? db_let_make(db, false, err) : rc;
}

/* made: db/create.c has just written it, so that its schema is ours. */
static enum err_code case_check(struct db_case *db, bool made, struct err *err)
{
    enum db_kind kind = DB_KIND_EMPTY;
    int64_t version = 0;
    enum err_code rc = db_look(db, &kind, err);

    if (rc == ERR_OK && kind != DB_KIND_OURS)
        return ERR_RAISE(
            err, ERR_INPUT,
            "%s: not a case file (%s); name one that burin scan has written, such as IMAGE.burin",
            db->path,
            kind == DB_KIND_EMPTY        ? "it is empty"
            : kind == DB_KIND_NOT_SQLITE ? "it is no SQLite database"
                                         : "it is an SQLite database of another program");
    if (rc == ERR_OK && db->access == DB_ACCESS_WRITE &&
        sqlite3_db_readonly(db->sqlite, "main") == 1)
        return ERR_RAISE(
            err, ERR_ENV,
            "%s: the case file may not be written; change its permissions, or copy it to "
            "another folder",
            db->path);
    if (rc == ERR_OK)
        rc = db_config(db, err);
    if (rc == ERR_OK)
        rc = db_schema_version(db, &version, err);
    if (rc == ERR_OK && version > DB_SCHEMA_VERSION)
        return case_refuse_newer(db, version, err);
    if (rc == ERR_OK && version < DB_SCHEMA_VERSION && db->access == DB_ACCESS_WRITE)
        rc = db_migrate_to_present(db, err);
    else if (rc == ERR_OK && version < DB_SCHEMA_VERSION)
        rc = case_copy(db, err);
    if (rc == ERR_OK && !made)
        rc = db_schema_check(db, err);
    if (rc == ERR_OK && db->access == DB_ACCESS_WRITE)
        rc = case_use_wal(db, err);
    if (rc == ERR_OK && db->access == DB_ACCESS_WRITE)
        rc = feed_open(db, err);
    if (rc == ERR_OK)
        rc = linked_open(db, err);
    return rc == ERR_OK && db->linked == NULL ? patterns_show(db, err) : rc;
}

/*
 * How to read a case file and leave no trace beside it. Reading a WAL file makes -wal and -shm
 * files; a handle that may write removes them again, and writes nothing to the file where there was
 * nothing in the -wal file. Where nothing can be written beside the file, and no -wal file waits to
 * be read, it cannot change under us.
 */
static enum db_access case_read_access(const char *path)
{
    char other[PATH_MAX + 8];
    struct stat st;

    snprintf(other, sizeof other, "%s-wal", path);
    if (stat(other, &st) == 0 && st.st_size > 0)
        return DB_ACCESS_READ;
    snprintf(other, sizeof other, "%s", path);
    *strrchr(other, '/') = '\0';
    if (access(other[0] != '\0' ? other : "/", W_OK) != 0)
        return DB_ACCESS_IMMUTABLE;
    return access(path, W_OK) == 0 ? DB_ACCESS_READ_TIDY : DB_ACCESS_READ;
}

static enum err_code case_open_read(const char *path, struct db_case **out, struct err *err)
{
    char absolute[PATH_MAX];
    struct db_case *db = NULL;
    enum err_code rc = ERR_OK;

    if (realpath(path, absolute) == NULL)
        return ERR_RAISE(err, ERR_ENV, "%s: %s", path, strerror(errno));
    rc = db_files_check(absolute, err);
    if (rc == ERR_OK)
        rc = db_handle_open(absolute, case_read_access(absolute), &db, err);
    if (rc == ERR_OK)
        rc = case_check(db, false, err);
    if (rc == ERR_OK)
        *out = db;
    else
        db_case_close(db);
    return rc;
}

static enum err_code case_open_write(struct db_lock *lock, bool made, struct db_case **out,
                                     struct err *err)
{
    const char *path = db_lock_path(lock);
    struct db_case *db = NULL;
    enum err_code rc = db_need_regular(path, err);

    *out = NULL;
    if (rc == ERR_OK)
        rc = db_handle_open(path, DB_ACCESS_WRITE, &db, err);
    if (rc == ERR_OK)
        rc = case_check(db, made, err);
    if (rc == ERR_OK)
        rc = db_log_check(db, err);
    if (rc == ERR_OK)
        rc = db_runs_end_dead(db, err);
    if (rc != ERR_OK) {
        db_case_close(db);
        return rc;
    }
    db->lock = lock;
    *out = db;
    return ERR_OK;
}

enum err_code db_case_open_locked(struct db_lock *lock, struct db_case **out, struct err *err)
{
    return case_open_write(lock, false, out, err);
}

enum err_code db_case_open_made(struct db_lock *lock, struct db_case **out, struct err *err)
{
    return case_open_write(lock, true, out, err);
}

enum err_code db_case_open_wait(const char *path, const struct db_wait *wait, struct db_case **out,
                                struct err *err)
{
    struct db_lock *lock = NULL;
    enum err_code rc =
        db_need_regular(path, err); /* before a lock is made beside what is no case file */

    *out = NULL;
    if (rc == ERR_OK)
        rc = db_lock_take(path, wait, &lock, err);
    if (rc == ERR_OK)
        rc = db_case_open_locked(lock, out, err);
    if (rc != ERR_OK)
        db_lock_release(lock);
    return rc;
}

enum err_code db_keep_little(struct db_case *db, struct err *err)
{
    return db_set_cache(db, DB_CACHE_LITTLE_KIB, err);
}

enum err_code db_case_open(const char *path, enum db_mode mode, struct db_case **out,
                           struct err *err)
{
    if (mode == DB_WRITE)
        return db_case_open_wait(path, NULL, out, err);
    const enum err_code rc = db_need_regular(path, err);

    *out = NULL;
    return rc == ERR_OK ? case_open_read(path, out, err) : rc;
}
