/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/atomic_file.h - files that others read while they are replaced: a reader sees the
 * old content or the new one, and never half of it, whenever the power fails.
 */
#ifndef BURIN_CARVER_AUDIT_ATOMIC_FILE_H
#define BURIN_CARVER_AUDIT_ATOMIC_FILE_H

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/err.h"

struct atomic_file {
    FILE *stream;         /* to write to; NULL: there is none */
    char path[PATH_MAX];  /* of the file */
    char aside[PATH_MAX]; /* path.PID, until it is whole */
};

/* Makes the new content beside the file. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code atomic_file_open(const char *path, mode_t mode,
                                              struct atomic_file *out, struct err *err);
/* It is whole: it takes the place of the file. Errors: ERR_ENV; nothing is left behind then. */
ERR_MUST_CHECK enum err_code atomic_file_keep(struct atomic_file *file, struct err *err);
void atomic_file_drop(struct atomic_file *file); /* of a zeroed or a kept one: a no-op */

/* All of it at once. */
ERR_MUST_CHECK enum err_code atomic_file_write(const char *path, const void *bytes, size_t len,
                                               mode_t mode, struct err *err);

#endif
