/* SPDX-License-Identifier: Apache-2.0
 * db/create.c - makes and replaces case files. See case.h.
 *
 * All of it happens under the lock of the case file. A new case file gets its tables and its
 * application's number in memory, is written to CASE.new, and gets its name when it is whole. So
 * what lies at the path is a whole case file, or nothing, whenever we are killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/connection.h"
#include "db/files.h"
#include "db/lock.h"

enum { CREATE_OLD_MAX = 9999 }; /* most old case files that are kept under one name */

static enum err_code create_sync_folder(const char *path, struct err *err)
{
    char folder[PATH_MAX];
    enum err_code rc = ERR_OK;

    snprintf(folder, sizeof folder, "%s", path);
    *(strrchr(folder, '/') + 1) = '\0';
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return ERR_OK;                     /* a folder that may be written but not read */
    if (fsync(fd) != 0 && errno != EINVAL) /* EINVAL: this file system has no such thing */
        rc = ERR_RAISE(err, ERR_ENV, "%s: writing the folder to the disk failed: %s", folder,
                       strerror(errno));
    close(fd);
    return rc;
}

/* ---- the file that is there ---- */

/* Nothing of SQLite's lies beside the file: it would belong to the next file of this name. */
static enum err_code create_need_alone(const char *path, struct err *err)
{
    char name[DB_FILE_NAME_MAX];

    for (int i = DB_FILE_WAL; i <= DB_FILE_JOURNAL; i++) {
        db_file_name(path, (enum db_file)i, name);
        if (access(name, F_OK) == 0)
            return ERR_RAISE(err, ERR_INPUT,
                             "%s: it may hold what the case file beside it lacks, which therefore "
                             "is not replaced; move both away, or name another case file with "
                             "--case",
                             name);
    }
    return ERR_OK;
}

/*
 * Folds its -wal file in, and keeps every other program from writing to it until the handle is
 * closed. SQLite leaves nothing beside it: not so where the lock is taken before the mode changes.
 */
static enum err_code create_take_old(struct db_case *db, struct err *err)
{
    /* A journal that holds nothing, as a kill leaves one, goes when the mode is TRUNCATE first. */
    static const char sql[] = "PRAGMA journal_mode = DELETE; PRAGMA journal_mode = TRUNCATE; "
                              "PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE";

    return sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL) == SQLITE_OK
               ? ERR_OK
               : DB_FAIL(db, err, "replacing it");
}

static enum err_code create_has_runs(struct db_case *db, bool *has, struct err *err)
{
    sqlite3_stmt *stmt = NULL;

    /* A case file whose table of runs cannot be read may hold anything: it is kept. */
    *has = true;
    if (sqlite3_prepare_v2(db->sqlite, "SELECT 1 FROM runs LIMIT 1", -1, &stmt, NULL) == SQLITE_OK)
        *has = sqlite3_step(stmt) != SQLITE_DONE;
    sqlite3_finalize(stmt);
    return sqlite3_errcode(db->sqlite) == SQLITE_NOMEM ? ERR_NO_MEMORY(err, DB_CACHE_KIB * 1024)
                                                       : ERR_OK;
}

/* Gives the file the first free name of CASE.old.1, CASE.old.2, ... */
static enum err_code create_move_aside(const char *path, char kept[DB_FILE_NAME_MAX],
                                       struct err *err)
{
    for (int i = 1; i <= CREATE_OLD_MAX; i++) {
        snprintf(kept, DB_FILE_NAME_MAX, "%.*s.old.%d", PATH_MAX - 1, path, i);
        if (renameat2(AT_FDCWD, path, AT_FDCWD, kept, RENAME_NOREPLACE) == 0)
            return ERR_OK;
        if (errno == EEXIST)
            continue;
        if ((errno != EINVAL && errno != ENOSYS) || access(kept, F_OK) == 0 ||
            rename(path, kept) != 0) /* a file system that cannot do that; never two names */
            return ERR_RAISE(err, ERR_ENV, "%s: cannot be moved to %s: %s", path, kept,
                             strerror(errno));
        return ERR_OK;
    }
    return ERR_RAISE(err, ERR_ENV, "%s: there are %d old case files beside it; move some away",
                     path, CREATE_OLD_MAX);
}

/* What lies beside a case file goes where the case file goes. */
static enum err_code create_move_beside(const char *from, const char *to, struct err *err)
{
    static const enum db_file beside[] = { DB_FILE_SEAL, DB_FILE_SHARDS };
    char old[DB_FILE_NAME_MAX], new[DB_FILE_NAME_MAX];

    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
        db_file_name(from, beside[i], old);
        db_file_name(to, beside[i], new);
        if (rename(old, new) != 0 && errno != ENOENT)
            return ERR_RAISE(err, ERR_ENV, "%s: cannot be moved to %s: %s", old, new,
                             strerror(errno));
    }
    return ERR_OK;
}

/* The file at the path makes room, if it may. kept: where it is now, or "". */
static enum err_code create_make_room(const char *path, bool force, char kept[DB_FILE_NAME_MAX],
                                      struct err *err)
{
    struct db_case *db = NULL;
    enum db_kind kind = DB_KIND_NOT_SQLITE;
    bool runs = false;
    enum err_code rc = db_need_regular(path, err);

    if (rc == ERR_OK)
        rc = db_handle_open(path, DB_ACCESS_WRITE, &db, err);
    if (rc == ERR_OK)
        rc = db_look(db, &kind, err);
    if (rc == ERR_OK && kind != DB_KIND_OURS && kind != DB_KIND_EMPTY)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s exists and is no case file: it is left alone; name another with --case",
                       path);
    if (rc == ERR_OK && !force)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s exists; use --force to replace it or --case to name another", path);
    if (rc == ERR_OK && kind == DB_KIND_OURS)
        rc = create_take_old(db, err);
    if (rc == ERR_OK)
        rc = create_need_alone(path, err);
    if (rc == ERR_OK && kind == DB_KIND_OURS)
        rc = create_has_runs(db, &runs, err);
    if (rc == ERR_OK && runs)
        rc = create_move_aside(path, kept, err);
    if (rc == ERR_OK && runs)
        rc = create_move_beside(path, kept, err);
    else if (rc == ERR_OK && unlink(path) != 0)
        rc = ERR_RAISE(err, ERR_ENV, "%s: cannot be replaced: %s", path, strerror(errno));
    db_case_close(db);
    return rc;
}

/* ---- the new one ---- */

/* The bytes of an empty case file, to be given to sqlite3_free. */
static enum err_code create_bytes(unsigned char **bytes, size_t *len, struct err *err)
{
    struct db_case *db = NULL;
    sqlite3_int64 size = 0;
    enum err_code rc = db_handle_open_memory(&db, err);

    *bytes = NULL;
    if (rc == ERR_OK)
        rc = db_config(db, err);
    if (rc == ERR_OK)
        rc = db_schema_apply(db, err);
    if (rc == ERR_OK)
        *bytes = sqlite3_serialize(db->sqlite, "main", &size, 0);
    if (rc == ERR_OK && *bytes == NULL)
        rc = ERR_NO_MEMORY(err, DB_CACHE_KIB * 1024);
    *len = (size_t)size;
    db_case_close(db);
    return rc;
}

static enum err_code create_failed(const char *path, int cause, struct err *err)
{
    if (cause == ENOSPC || cause == EDQUOT || cause == EFBIG)
        return ERR_RAISE(
            err, ERR_ENV,
            "%s: no space left for the case file; free some space, or put it on another "
            "disk with --case",
            path);
    return ERR_RAISE(err, cause == EEXIST ? ERR_INPUT : ERR_ENV,
                     "%s: the case file cannot be made: %s; name another with --case", path,
                     strerror(cause));
}

static enum err_code create_write(const char *name, const unsigned char *bytes, size_t len,
                                  struct err *err)
{
    const int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    size_t done = 0;
    ssize_t got = 0;
    bool ok = fd >= 0;

    while (ok && done < len) {
        got = write(fd, bytes + done, len - done);
        ok = got > 0 || (got < 0 && errno == EINTR);
        done += got > 0 ? (size_t)got : 0;
    }
    ok = ok && fsync(fd) == 0;
    const int cause = errno;
    if (fd >= 0)
        close(fd);
    return ok ? ERR_OK : create_failed(name, cause, err);
}

/* Only programs that know nothing of our lock can put a file at the path meanwhile: it stays. */
static enum err_code create_name(const char *name, const char *path, struct err *err)
{
    if (renameat2(AT_FDCWD, name, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
        return ERR_OK;
    if (errno == EINVAL || errno == ENOSYS) { /* a file system that cannot do that */
        if (link(name, path) == 0)
            return unlink(name) == 0 ? ERR_OK
                                     : ERR_RAISE(err, ERR_ENV, "%s: %s", name, strerror(errno));
        if (errno == EPERM && access(path, F_OK) != 0 && rename(name, path) == 0)
            return ERR_OK;
    }
    return create_failed(path, errno, err);
}

static enum err_code create_new(const char *path, struct err *err)
{
    char name[DB_FILE_NAME_MAX];
    unsigned char *bytes = NULL;
    size_t len = 0;
    enum err_code rc = create_bytes(&bytes, &len, err);

    db_file_name(path, DB_FILE_NEW, name);
    if (rc == ERR_OK && unlink(name) != 0 && errno != ENOENT) /* of one that was killed */
        rc = ERR_RAISE(err, ERR_ENV, "%s: cannot be replaced: %s", name, strerror(errno));
    if (rc == ERR_OK) {
        rc = create_write(name, bytes, len, err);
        if (rc == ERR_OK)
            rc = create_name(name, path, err);
        if (rc != ERR_OK)
            unlink(name);
    }
    if (rc == ERR_OK)
        rc = create_sync_folder(path, err);
    sqlite3_free(bytes);
    return rc;
}

/* Removes the new case file, which could not be opened, after what SQLite has put beside it. */
static void create_undo(const char *path)
{
    char name[DB_FILE_NAME_MAX];

    for (int i = DB_FILE_JOURNAL; i >= DB_FILE_CASE; i--) {
        db_file_name(path, (enum db_file)i, name);
        unlink(name);
    }
}

enum err_code db_case_create_locked(struct db_lock *lock, bool force, char *kept,
                                    struct db_case **out, struct err *err)
{
    const char *path = db_lock_path(lock);
    char moved[DB_FILE_NAME_MAX] = "";
    struct stat st;
    enum err_code rc = ERR_OK;

    *out = NULL;
    if (lstat(path, &st) == 0)
        rc = create_make_room(path, force, moved, err);
    if (rc == ERR_OK)
        rc = create_new(path, err);
    const bool made = rc == ERR_OK;
    if (made)
        rc = db_case_open_made(lock, out, err);
    if (made && rc != ERR_OK)
        create_undo(path);
    if (rc != ERR_OK && moved[0] != '\0' &&
        (renameat2(AT_FDCWD, moved, AT_FDCWD, path, RENAME_NOREPLACE) != 0 ||
         create_move_beside(moved, path, NULL) != ERR_OK))
        err_while(err, "replacing the old case file, which is now %s", moved);
    if (kept != NULL)
        snprintf(kept, DB_FILE_NAME_MAX, "%s", moved);
    return rc;
}

enum err_code db_case_create(const char *path, bool force, struct db_case **out, struct err *err)
{
    struct db_lock *lock = NULL;
    enum err_code rc = db_lock_take(path, NULL, &lock, err);

    *out = NULL;
    if (rc == ERR_OK)
        rc = db_case_create_locked(lock, force, NULL, out, err);
    if (rc != ERR_OK)
        db_lock_release(lock);
    return rc;
}
