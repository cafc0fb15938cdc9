/* SPDX-License-Identifier: Apache-2.0
 * carver/case/casefile.h - before a case file is written: who else does, and what lies where it
 * will be. */
#ifndef BURIN_CARVER_CASE_CASEFILE_H
#define BURIN_CARVER_CASE_CASEFILE_H

#include <stdbool.h>

#include "base/err.h"
#include "db/case.h"
#include "db/lock.h"
#include "io/image.h"

#define CASEFILE_WAIT_TEXT                                                                         \
    "  --wait               wait while another program writes to the case file\n"

/*
 * Keeps other writers away from the case file at path. wait: as long as another one is there, which
 * is told once on standard error; a signal ends the waiting (ERR_INTERRUPTED). Else that is
 * ERR_INPUT; but for a mount, which has it only while it begins and ends, ten seconds are waited.
 */
ERR_MUST_CHECK enum err_code casefile_lock(const char *command, const char *path, bool wait,
                                           struct db_lock **out, struct err *err);

/* Opens it for writing, likewise, and tells of a log whose chain is broken. */
ERR_MUST_CHECK enum err_code casefile_open(const char *command, const char *path, bool wait,
                                           struct db_case **out, struct err *err);

/* Tells on standard error of a log whose chain is broken, which does not stop the work. */
void casefile_tell_log(const char *command, const char *path, const struct db_case *db);

/* Tells on standard error the number and the hash of the last entry of the log, for whoever notes
 * them. */
ERR_MUST_CHECK enum err_code casefile_tell_last(const char *path, struct db_case *db,
                                                struct err *err);

/* ERR_INPUT when the case file at path, or a file that belongs to it, would be written onto the
 * evidence. */
ERR_MUST_CHECK enum err_code casefile_refuse_evidence(const struct io_image *image,
                                                      const char *path, struct err *err);

#endif
