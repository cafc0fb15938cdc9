/* SPDX-License-Identifier: Apache-2.0
 * carver/case/run.h - a command at work on a case file, on record there: what was run, of which
 * build, where, for whom, with which settings. */
#ifndef BURIN_CARVER_CASE_RUN_H
#define BURIN_CARVER_CASE_RUN_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "carver/cli/json_write.h"
#include "db/case.h"

enum { RUN_SETTINGS_MAX = 16384 };

/* The settings in force, as text: members of a JSON object, written by json_string(&settings.json,
 * ...) and its like. */
struct run_settings {
    struct json json;
    FILE *out; /* into text, between open and close */
    char text[RUN_SETTINGS_MAX];
};

/* close is to be called after an open that succeeded, and may fail with ERR_ARG: the settings are
 * too long. */
ERR_MUST_CHECK enum err_code run_settings_open(struct run_settings *settings, struct err *err);
ERR_MUST_CHECK enum err_code run_settings_close(struct run_settings *settings, struct err *err);

/*
 * Records a run that begins, and its start in the log, within the caller's transaction. Image,
 * command, command line, options and engine are the caller's to give; build, libraries, host, user
 * and, where they are NULL, start (now) and status are filled in.
 */
ERR_MUST_CHECK enum err_code run_begin(struct db_case *db, const struct db_run *run, int64_t *id,
                                       struct err *err);

/* The same in a transaction of its own, with a note in the log. */
ERR_MUST_CHECK enum err_code run_begin_noted(struct db_case *db, const struct db_run *run,
                                             const char *note, int64_t *id, struct err *err);

/* The word for how a run ended: "done", "interrupted" or "failed". Static text. */
const char *run_status(enum err_code how);

#endif
