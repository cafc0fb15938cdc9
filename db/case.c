/*
 * db/case.c - makes, replaces and opens case files. See case.h; what a handle does afterwards is in connection.c.
 *
 * 1. A file is looked at through SQLite's own descriptor before SQLite itself reads it: closing any other descriptor of
 *    the file would drop the POSIX locks of this process on it, and SQLite would replay the journal of a file that is not
 *    ours.
 * 2. A new file gets its tables and its application id in one rollback-journal transaction; only then does it turn to
 *    WAL. So a file at the path is empty, or a whole case file with its id in the header, whenever we are killed.
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
#include "db/connection.h"
#include "db/migrate.h"

enum case_kind { CASE_EMPTY, CASE_NOT_SQLITE, CASE_FOREIGN, CASE_OURS };
enum { CASE_HEADER_SIZE = 100, CASE_ID_AT = 68 }; /* https://www.sqlite.org/fileformat2.html, 1.3 */

static enum err_code case_look(struct db_case *db, enum case_kind *kind, struct err *err)
{
    static const char magic[] = "SQLite format 3"; /* with its NUL */
    uint8_t header[CASE_HEADER_SIZE] = { 0 };
    sqlite3_file *file = NULL;
    struct stat st;

    if (sqlite3_file_control(db->sqlite, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || file == NULL ||
        file->pMethods == NULL)
        return DB_FAIL(db, err, "looking at its header");
    const int rc = file->pMethods->xRead(file, header, sizeof header, 0);
    if ((rc != SQLITE_OK && rc != SQLITE_IOERR_SHORT_READ) || stat(db->path, &st) != 0)
        return ERR_RAISE(err, ERR_ENV, "%s: reading its first bytes failed; look at the disk that it is on", db->path);
    if (st.st_size == 0) /* xFileSize says 0 for one byte, too */
        *kind = CASE_EMPTY;
    else if (memcmp(header, magic, sizeof magic) != 0)
        *kind = CASE_NOT_SQLITE;
    else
        *kind = bytes_u32be(header + CASE_ID_AT) == DB_APPLICATION_ID ? CASE_OURS : CASE_FOREIGN;
    return ERR_OK;
}

static enum err_code case_need_regular(const char *path, struct err *err)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return ERR_RAISE(err, errno == ENOENT || errno == ENOTDIR ? ERR_INPUT : ERR_ENV,
                         "%s: %s; name a case file that "
                         "burin scan has written",
                         path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return ERR_RAISE(err, ERR_INPUT, "%s: a %s, not a case file; name another with --case", path,
                         S_ISDIR(st.st_mode) ? "folder" : "device or pipe");
    return ERR_OK;
}

/* WAL lets burin list read while burin scan writes. Where it cannot be had (no shared memory), commits wait for the disk. */
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
                     "%s: schema %" PRId64 ", written by %s; this is %s, which reads schemas up to %d; use "
                     "the newer burin",
                     db->path, version, writer, db_writer(), DB_SCHEMA_VERSION);
}

static enum err_code case_check(struct db_case *db, struct err *err)
{
    enum case_kind kind = CASE_EMPTY;
    int64_t version = 0;
    enum err_code rc = case_look(db, &kind, err);

    if (rc == ERR_OK && kind != CASE_OURS)
        return ERR_RAISE(err, ERR_INPUT, "%s: not a case file (%s); name one that burin scan has written", db->path,
                         kind == CASE_EMPTY        ? "it is empty"
                         : kind == CASE_NOT_SQLITE ? "it is no SQLite database"
                                                   : "it is an SQLite database of another program");
    if (rc == ERR_OK && db->access == DB_ACCESS_WRITE && sqlite3_db_readonly(db->sqlite, "main") == 1)
        return ERR_RAISE(err, ERR_ENV,
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
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: schema %" PRId64 " is older than %d; a command that writes to it (burin carve) "
                       "brings it up to date",
                       db->path, version, DB_SCHEMA_VERSION);
    if (rc == ERR_OK)
        rc = db_schema_check(db, err);
    if (rc == ERR_OK && db->access == DB_ACCESS_WRITE)
        rc = case_use_wal(db, err);
    return rc;
}

/*
 * How to read a case file and leave no trace beside it. Reading a WAL file makes -wal and -shm files; a handle that may
 * write removes them again, and writes nothing to the file where there was nothing in the -wal file. Where nothing can be
 * written beside the file, and no -wal file waits to be read, it cannot change under us.
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

enum err_code db_case_open(const char *path, enum db_mode mode, struct db_case **out, struct err *err)
{
    char absolute[PATH_MAX];
    struct db_case *db = NULL;
    enum err_code rc = case_need_regular(path, err);

    *out = NULL;
    if (rc == ERR_OK && realpath(path, absolute) == NULL)
        rc = ERR_RAISE(err, ERR_ENV, "%s: %s", path, strerror(errno));
    if (rc == ERR_OK)
        rc = db_handle_open(absolute, mode == DB_WRITE ? DB_ACCESS_WRITE : case_read_access(absolute), &db, err);
    if (rc == ERR_OK)
        rc = case_check(db, err);
    if (rc == ERR_OK)
        *out = db;
    else
        db_case_close(db);
    return rc;
}

/* ---- create ---- */

/* The absolute path of a file that need not exist; its folder must. */
static enum err_code case_absolute(const char *path, char out[PATH_MAX], struct err *err)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;

    if (realpath(path, out) != NULL) /* it exists; through a link, we mean what the link means */
        return ERR_OK;
    if (strlen(path) >= sizeof folder || name[0] == '\0')
        return ERR_RAISE(err, ERR_ARG, "%s: not the name of a file; name the case file with --case", path);
    snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - path + 1) : 1, slash != NULL ? path : ".");
    if (realpath(folder, out) == NULL)
        return ERR_RAISE(err, ERR_ENV, "%s: %s: %s; make the folder, or name another case file with --case", path,
                         folder, strerror(errno));
    const size_t len = strlen(out);
    if (len + strlen(name) + 16 > PATH_MAX)
        return ERR_RAISE(err, ERR_ENV, "%s: the path is too long; name another case file with --case", path);
    sprintf(out + len, "%s%s", len > 1 ? "/" : "", name);
    return ERR_OK;
}

/* Removes the file and what SQLite puts beside it. The file goes first: a -wal file without it is never replayed. */
static enum err_code case_remove(const char *path, struct err *err)
{
    static const char *const suffixes[] = { "", "-wal", "-shm", "-journal" };
    char name[PATH_MAX + 16];

    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        snprintf(name, sizeof name, "%s%s", path, suffixes[i]);
        if (unlink(name) != 0 && errno != ENOENT)
            return ERR_RAISE(err, ERR_ENV, "%s: cannot be replaced: %s", name, strerror(errno));
    }
    return ERR_OK;
}

/* Is there a file that must stay? */
static enum err_code case_may_replace(const char *path, bool force, struct err *err)
{
    struct db_case *db = NULL;
    enum case_kind kind = CASE_NOT_SQLITE;
    enum err_code rc = case_need_regular(path, err);

    if (rc == ERR_OK)
        rc = db_handle_open(path, DB_ACCESS_WRITE, &db, err);
    if (rc == ERR_OK)
        rc = case_look(db, &kind, err);
    if (rc == ERR_OK && kind != CASE_OURS && kind != CASE_EMPTY)
        rc = ERR_RAISE(err, ERR_INPUT, "%s exists and is no case file: it is left alone; name another with --case",
                       path);
    if (rc == ERR_OK && !force)
        rc = ERR_RAISE(err, ERR_INPUT, "%s exists; use --force to replace it or --case to name another", path);
    /* In exclusive mode the first transaction fails if any other connection is there, a reader too. */
    if (rc == ERR_OK && kind == CASE_OURS &&
        (sqlite3_exec(db->sqlite, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK", NULL, NULL, NULL) &
         0xff) == SQLITE_BUSY)
        rc = DB_FAIL(db, err, "replacing it");
    db_case_close(db);
    return rc;
}

/* Makes the empty file, so that nobody else's file is ever taken for it. */
static enum err_code case_make(const char *path, bool force, struct err *err)
{
    enum err_code rc = ERR_OK;
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);

    if (fd < 0 && errno == EEXIST) {
        rc = case_may_replace(path, force, err);
        if (rc == ERR_OK)
            rc = case_remove(path, err);
        if (rc == ERR_OK)
            fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    }
    if (rc == ERR_OK && fd < 0)
        rc = ERR_RAISE(err, ERR_ENV, "%s: the case file cannot be made: %s; name another with --case", path,
                       strerror(errno));
    if (fd >= 0)
        close(fd);
    return rc;
}

enum err_code db_case_create(const char *path, bool force, struct db_case **out, struct err *err)
{
    char absolute[PATH_MAX];
    struct db_case *db = NULL;
    bool made = false;
    enum err_code rc = case_absolute(path, absolute, err);

    *out = NULL;
    if (rc == ERR_OK)
        rc = case_make(absolute, force, err);
    made = rc == ERR_OK;
    if (rc == ERR_OK)
        rc = db_handle_open(absolute, DB_ACCESS_WRITE, &db, err);
    if (rc == ERR_OK)
        rc = db_config(db, err);
    if (rc == ERR_OK)
        rc = db_schema_apply(db, err);
    if (rc == ERR_OK)
        rc = case_use_wal(db, err);
    if (rc == ERR_OK) {
        *out = db;
        return ERR_OK;
    }
    db_case_close(db);
    if (made && case_remove(absolute, NULL) != ERR_OK)
        err_while(err, "removing the unfinished file");
    return rc;
}
