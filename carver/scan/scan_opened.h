/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_opened.h - an image as a job reads it.
 *
 * It is opened once: what is checked before there is a case file is what is scanned then.
 *
 * Threads: one.
 */
#ifndef BURIN_CARVER_SCAN_SCAN_OPENED_H
#define BURIN_CARVER_SCAN_SCAN_OPENED_H

#include "carver/case/sample.h"
#include "carver/scan/scan_job.h"
#include "carver/scan/scan_map.h"
#include "io/image.h"

/* Zeroed it is not open. Release with scan_opened_close. */
struct scan_opened {
    struct io_image *image; /* NULL: it is not open */
    struct scan_map map;    /* that the image goes by */
    struct sample sample;   /* of the image; taken when it is needed first */
};

/* Opens the image at path for the job, unless it is open. Errors: those of opening the image and of
 * its map. */
ERR_MUST_CHECK enum err_code scan_opened_open(const struct scan_job *job, const char *path,
                                              struct scan_opened *out, struct err *err);
void scan_opened_close(struct scan_opened *opened); /* of a zeroed one: a no-op */

#endif
