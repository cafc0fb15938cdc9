/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/stage.h - a stage of an audit: a function that runs in a process of its own. */
#ifndef BURIN_CARVER_AUDIT_STAGE_H
#define BURIN_CARVER_AUDIT_STAGE_H

#include "carver/audit/audit.h"

typedef enum err_code (*stage_fn)(struct audit *audit, struct audit_counts *counts,
                                  enum exit_status *status, struct err *err);

/*
 * Runs the stage and waits for its end. Its error, status and counts come back; what else it
 * changes in memory does not. A stop that is asked for is handed on.
 *
 * deadline   Nanoseconds of the monotonic clock at which the stage is asked to stop; 0: never.
 * late       Whether that was done and is why it ended with ERR_INTERRUPTED.
 * Errors     Those of the stage; ERR_ENV: there is no process, or a signal ended it.
 */
ERR_MUST_CHECK enum err_code stage_run(stage_fn run, const char *name, struct audit *audit,
                                       uint64_t deadline, bool *late, enum exit_status *status,
                                       struct err *err);

#endif
