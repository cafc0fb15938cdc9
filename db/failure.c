/* SPDX-License-Identifier: Apache-2.0
 * db/failure.c - what SQLite's errors mean to a person: what failed, on which file, and what to do.
 *
 * ERR_ENV: the disk, the permissions, another program. ERR_INPUT: everything that can only come
 * from the content of the file, which includes statements that do not compile against its tables.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "db/linked.h"

static bool failure_disk_full(int sqlite_rc, int errno_value)
{
    return sqlite_rc == SQLITE_FULL || sqlite_rc == SQLITE_IOERR_SHMSIZE ||
           ((sqlite_rc & 0xff) == SQLITE_IOERR &&
            (errno_value == ENOSPC || errno_value == EDQUOT || errno_value == EFBIG));
}

enum err_code db_fail(struct db_case *db, struct err *err, const char *where, const char *doing)
{
    const int last_errno = errno; /* SQLite keeps only that of some failures */
    const int rc = sqlite3_extended_errcode(db->sqlite);
    const int os_errno =
        sqlite3_system_errno(db->sqlite) != 0 ? sqlite3_system_errno(db->sqlite) : last_errno;
    const char *why = sqlite3_errmsg(db->sqlite);
    const char *system = os_errno != 0 ? strerror(os_errno) : why;

    if (db->linked != NULL && db->linked->rc != ERR_OK && (rc & 0xff) == SQLITE_ERROR) {
        const enum err_code cause = db->linked->rc;

        db->linked->rc = ERR_OK;
        if (err != NULL)
            *err = db->linked->err;
        return cause;
    }
    if (failure_disk_full(rc, os_errno))
        return err_raise(err, ERR_ENV, where,
                         "%s: no space left for the case file, while %s; free some space, or put "
                         "the case file on "
                         "another disk with --case; what was written before is kept",
                         db->path, doing);
    switch (rc & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return err_raise(err, ERR_ENV, where,
                         "%s: another burin (or another program) is using the case file, while %s; "
                         "wait for it to end, "
                         "or name another case file with --case",
                         db->path, doing);
    case SQLITE_NOMEM:
        return err_raise(err, ERR_ENV, where, "%s: no memory, while %s; close other programs",
                         db->path, doing);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return err_raise(err, ERR_ENV, where,
                         "%s: the case file or its folder may not be written (%s), while %s; "
                         "change the permissions, or "
                         "copy the case file to another folder",
                         db->path, why, doing);
    case SQLITE_CANTOPEN:
        return err_raise(
            err, ERR_ENV, where,
            "%s: cannot open the case file or its -wal and -shm files (%s), while %s; look at the "
            "permissions of the three files and of their folder",
            db->path, system, doing);
    case SQLITE_IOERR:
        return err_raise(err, ERR_ENV, where,
                         "%s: reading or writing the case file failed (%s: %s), while %s; look at "
                         "the disk that it is "
                         "on",
                         db->path, why, system, doing);
    case SQLITE_INTERRUPT:
        return err_raise(
            err, ERR_INPUT, where,
            "%s: the case file is damaged: it holds more rows than its size allows, while %s; try "
            "sqlite3 %s .recover",
            db->path, doing, db->path);
    case SQLITE_CONSTRAINT:
        return err_raise(err, ERR_INPUT, where,
                         "%s: the case file does not take this (%s), while %s; it belongs to other "
                         "evidence or was "
                         "changed by another program; name another case file with --case",
                         db->path, why, doing);
    case SQLITE_NOTADB:
        return err_raise(err, ERR_INPUT, where, "%s: not a case file (%s)", db->path, why);
    default:
        return err_raise(err, ERR_INPUT, where,
                         "%s: the case file is damaged: %s, while %s; try sqlite3 %s .recover",
                         db->path, why, doing, db->path);
    }
}

enum err_code db_damaged(struct db_case *db, struct err *err, const char *format, ...)
{
    char why[512];
    va_list args;

    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    return ERR_RAISE(err, ERR_INPUT, "%s: the case file is damaged: %s; try sqlite3 %s .recover",
                     db->path, why, db->path);
}
