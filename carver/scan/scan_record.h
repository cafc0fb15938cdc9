/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_record.h - what a scan writes about itself into the case file. */
#ifndef BURIN_CARVER_SCAN_SCAN_RECORD_H
#define BURIN_CARVER_SCAN_SCAN_RECORD_H

#include "base/err.h"
#include "carver/scan/scan_job.h"
#include "carver/scan/scan_opened.h"
#include "carver/scan/scan_resume.h"
#include "db/case.h"
#include "io/image.h"

/*
 * Writes the rows that everything else refers to, in a transaction of their own: the image, the
 * run, the job's signatures and sets, unless the run goes on with a scan that has written them.
 *
 * resume     What scan_resume_look has found.
 * jail       What the program has given up, for the log.
 * known      The sets; their ids are filled in.
 * Ownership  ids->signatures is the caller's to free, also on an error.
 * Errors     ERR_INPUT: the scan that was begun looks for something else. Those of image and case
 *            file.
 */
ERR_MUST_CHECK enum err_code scan_record_begin(struct db_case *db, struct scan_opened *opened,
                                               const char *path, const struct scan_job *job,
                                               const struct scan_pick *pick,
                                               const struct scan_resume *resume, const char *jail,
                                               struct known_scan *known, struct scan_ids *ids,
                                               struct err *err);

#endif
