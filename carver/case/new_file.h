/* SPDX-License-Identifier: Apache-2.0
 * carver/case/new_file.h - a file that a command writes its result to: new, not on the evidence,
 * and gone again unless it is whole.
 */
#ifndef BURIN_CARVER_CASE_NEW_FILE_H
#define BURIN_CARVER_CASE_NEW_FILE_H

#include <stdio.h>

#include "base/err.h"
#include "db/case.h"

/* Zeroed: there is none. */
struct new_file {
    FILE *stream; /* owned; NULL: there is none */
    const char *path;
};

/*
 * Makes the file. path stays the caller's, and is kept.
 *
 * db      Of the case whose images are not to be written onto, as far as they are there.
 * what    What it is, in messages: "the report".
 * Errors  ERR_INPUT: there is a file of that name, or its folder is not there or on the evidence;
 *         ERR_ENV: it cannot be made.
 */
ERR_MUST_CHECK enum err_code new_file_open(struct db_case *db, const char *path, const char *what,
                                           struct new_file *out, struct err *err);
/* All of it was written: it is on the disk, and stays. ERR_ENV: it did not fit; it is gone. */
ERR_MUST_CHECK enum err_code new_file_keep(struct new_file *file, struct err *err);
void new_file_drop(struct new_file *file); /* removes it; of a zeroed or a kept one: a no-op */

#endif
