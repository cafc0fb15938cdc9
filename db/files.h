/* SPDX-License-Identifier: Apache-2.0
 * db/files.h - the files that belong to a case file: SQLite's, the lock, and the one that a new
 * case is built in. Any of these names may already be taken, by evidence too, so each is looked at
 * before anything opens it.
 */
#ifndef BURIN_DB_FILES_H
#define BURIN_DB_FILES_H

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"

enum db_file {
    DB_FILE_CASE,
    DB_FILE_WAL,
    DB_FILE_SHM,
    DB_FILE_JOURNAL,
    DB_FILE_LOCK,   /* see lock.h */
    DB_FILE_NEW,    /* a case file that is not complete yet */
    DB_FILE_SEAL,   /* a line: DB_SEAL_HEAD and what carver/case/seal.h puts there */
    DB_FILE_SHARDS, /* a line: the absolute path of the folder with its shards; see linked.h */
    DB_FILES_COUNT
};
enum { DB_FILE_NAME_MAX = PATH_MAX + 16 }; /* bytes of a name, the NUL included */

/*
 * The absolute path of a case file that need not exist; its folder must. A link is followed.
 * ERR_ARG: not the name of a file; ERR_ENV: the folder is missing, or the path too long.
 */
ERR_MUST_CHECK enum err_code db_file_absolute(const char *path, char out[PATH_MAX],
                                              struct err *err);

/* The folder that DB_FILE_SHARDS of the case file at the absolute path names: "" where there is
 * none, or it cannot be read. */
void db_files_shards(const char *absolute, char out[PATH_MAX]);

/* The name of this file of the case file at path. */
void db_file_name(const char *path, enum db_file which, char out[DB_FILE_NAME_MAX]);

/*
 * Whether the file at path is to be taken for a case file and not for an image: it begins as one,
 * is named so, has a seal beside it, or cannot be opened, and then opening it says why.
 */
bool db_file_is_case(const char *path);

/*
 * ERR_INPUT unless each file beside the case file at the absolute path is absent, or a regular file
 * with one name that SQLite or burin made there. Where there is no case file, none may be there
 * that could hold somebody's results, as a -wal file does, or that another program uses. ERR_ENV:
 * it cannot be looked at.
 */
ERR_MUST_CHECK enum err_code db_files_check(const char *absolute, struct err *err);

#endif
