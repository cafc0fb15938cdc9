/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan.h - runs a job: its images go into its case file. */
#ifndef BURIN_CARVER_SCAN_SCAN_H
#define BURIN_CARVER_SCAN_SCAN_H

#include "base/err.h"
#include "carver/cli/command.h"
#include "carver/scan/scan_job.h"

/*
 * Scans the images of the job, one after the other, each with a pipeline of its own. First gives up
 * what the job does not need (carver/case/confine.h), so the program must have one thread only.
 *
 * status   EXIT_PARTLY when some evidence could not be read or something was left out, which is
 *          told on standard error; else unchanged.
 * Errors   ERR_INTERRUPTED when a stop was asked for; those of images, case file, matcher and sets.
 *          What was found before is in the case file.
 * Threads  The caller's thread does all that job's functions do. It returns when no thread of the
 *          scan is left.
 */
ERR_MUST_CHECK enum err_code scan_images(const struct scan_job *job, enum exit_status *status,
                                         struct err *err);

/* `burin scan`, for a command that goes on with one. */
extern const struct command command_scan;

#endif
