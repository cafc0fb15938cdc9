/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_print.h - the summary of `burin scan`. */
#ifndef BURIN_CARVER_SCAN_SCAN_PRINT_H
#define BURIN_CARVER_SCAN_SCAN_PRINT_H

#include "base/err.h"
#include "carver/cli/json_write.h"
#include "carver/scan/scan_job.h"

/*
 * Prints what was found in an image: text on standard error, or JSON on standard output.
 *
 * json    Initialized, the same for all images of the job. The document is an object where one
 *         image is scanned, else an array of these objects, which stays open: scan_print_end closes
 *         it.
 * Errors  Those of the case file.
 */
ERR_MUST_CHECK enum err_code scan_print(const struct scan_job *job, const struct scan_done *done,
                                        struct json *json, struct err *err);
/*
 * Behind all images: what a person may do next with the case file, on standard error.
 */
void scan_print_next(const char *case_path);
void scan_print_end(struct json *json); /* of a document that was not begun: a no-op */

#endif
