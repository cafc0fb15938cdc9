/* SPDX-License-Identifier: Apache-2.0
 * carver/yara/tries.h - rules of YARA, tried on the objects of a case; what meets one is recorded.
 *
 *   objects ──extract_stream──► bytes, pieces joined ──yara_rules_try──► rows of the table yara
 */
#ifndef BURIN_CARVER_YARA_TRIES_H
#define BURIN_CARVER_YARA_TRIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/case/carve_images.h"
#include "carver/yara/yara_rules.h"
#include "db/case.h"

struct tries_job {
    struct db_case *db;
    const struct carve_images *images;
    struct yara_rules *rules; /* open */
    const char *command, *command_line;
    const char *note;                            /* what was given up, for the log */
    bool (*wants)(void *arg, int64_t object_id); /* whether to try an object; NULL: all */
    void *arg;
};

struct tries_totals {
    uint64_t objects; /* that were looked at */
    uint64_t met;     /* rules that they meet: rows */
    uint64_t left;    /* objects that are not decided, or not by all of their bytes */
};

/*
 * Tries the rules on every object that is wanted, each of its first YARA_RULES_OBJECT_BYTES bytes;
 * records a run of its own, its matches, and why an object is not decided. *run_id: of the run,
 * also after an error; 0: there is none. Errors: ERR_INTERRUPTED: a signal asked for a stop, what
 * was found before is recorded; those of the case file; ERR_ENV.
 */
ERR_MUST_CHECK enum err_code tries_run(const struct tries_job *job, struct tries_totals *totals,
                                       int64_t *run_id, struct err *err);

#endif
