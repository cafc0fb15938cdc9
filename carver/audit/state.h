/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/state.h - the state folder of an audit: what is kept from run to run.
 *
 *   STATE/unfinished.burin       the case file of the run under way, or of one that was stopped
 *   STATE/run-000012.burin       those of finished runs, the last `keep`; with .seal beside each
 *   STATE/key                    32 random bytes, for fingerprints (secret.h)
 *   STATE/parts                  what a scan leaves for the next one, with read = changed (scan
 * --keep-parts) STATE/parts.whole            the parts are those of the last finished run, and no
 * run has begun since STATE/success                when the last run was finished: seconds since
 * 1970 STATE/latest.html            the page of the last finished run STATE/lock held while an
 * audit is at work
 *
 * The folder is one user's alone (0700), as it tells where secrets lie.
 */
#ifndef BURIN_CARVER_AUDIT_STATE_H
#define BURIN_CARVER_AUDIT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/limits.h"
#include "carver/audit/secret.h"

enum { STATE_PATH_MAX = LIMIT_PATH, STATE_RUN_MAX = 999999 };

struct state {
    const char *folder;              /* the caller's */
    char unfinished[STATE_PATH_MAX]; /* path of the case file of the run under way */
    bool resumes;                    /* it is there: a run was stopped */
    char parts[STATE_PATH_MAX];      /* path of the folder of parts */
    bool has_parts;                  /* they are those of the last finished run */
    char last[STATE_PATH_MAX];       /* of the last finished run; "": there is none */
    uint32_t last_number;            /* 0: none */
    uint8_t key[SECRET_KEY_LEN];
    char page[STATE_PATH_MAX]; /* path of the page of the last run; "": the folder is not open */
    int64_t success;           /* of the last finished run: seconds since 1970; 0: none */
    int lock;                  /* held; -1: not */
};

/*
 * Makes the folder and its key where they are missing, and locks it. folder stays the caller's.
 * Errors  ERR_INPUT: another audit is at work there, or what lies there is no key; ERR_ENV.
 */
ERR_MUST_CHECK enum err_code state_open(const char *folder, struct state *out, struct err *err);
void state_close(struct state *state); /* after a failed open too */

/* Looks again for what is there. */
ERR_MUST_CHECK enum err_code state_look(struct state *state, struct err *err);

/* The path of a finished run's case file; false: it is not there. */
bool state_run(const struct state *state, uint32_t number, char out[STATE_PATH_MAX]);

/* A run begins: what is in the folder of parts is that of no finished run until state_finish, for
 * nobody knows what a map of changes is of that is made behind a run that failed. */
ERR_MUST_CHECK enum err_code state_begin(const struct state *state, struct err *err);

/* The run under way is finished at this time: its case file gets its name, and those of runs before
 * the last `keep` are removed. */
ERR_MUST_CHECK enum err_code state_finish(struct state *state, uint32_t keep, int64_t now,
                                          struct err *err);

/* Removes the case file of a run that was stopped, so that one can begin anew. */
ERR_MUST_CHECK enum err_code state_drop(struct state *state, struct err *err);

/* Removes a case file and what belongs to it, as far as that is there. */
ERR_MUST_CHECK enum err_code state_remove(const char *path, struct err *err);

#endif
