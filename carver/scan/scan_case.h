/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_case.h - the case file of a scan, and its images there. */
#ifndef BURIN_CARVER_SCAN_SCAN_CASE_H
#define BURIN_CARVER_SCAN_SCAN_CASE_H

#include <stdint.h>

#include "base/err.h"
#include "carver/case/sample.h"
#include "carver/scan/scan_job.h"
#include "db/case.h"
#include "db/lock.h"
#include "io/image.h"

/*
 * Opens the case file that the lock is for: a new one, or the one that is there.
 *
 * Ownership  *out is the caller's, to be given to db_case_close. The lock is the case's as soon as
 *            *lock is NULL, also on an error.
 * Errors     ERR_INPUT for a scan of an image that is to be scanned once; those of the case file.
 */
ERR_MUST_CHECK enum err_code scan_case_open(const struct scan_job *job, struct db_lock **lock,
                                            struct db_case **out, struct err *err);

/*
 * Records the image, what its container says, and its fingerprint, within the caller's transaction,
 * and finds its id. One that the case file has already keeps its first fingerprint. sample: of the
 * image; it is taken, if that is needed, and was not done. Errors:
 * ERR_INPUT for another image with that path; those of image and case file.
 */
ERR_MUST_CHECK enum err_code scan_case_image(struct db_case *db, struct io_image *image,
                                             struct sample *sample, int64_t *id, struct err *err);

/* The id of the image at path in the case file; 0: it is not there. Errors: as scan_case_image. */
ERR_MUST_CHECK enum err_code scan_case_find(struct db_case *db, struct io_image *image,
                                            const char *path, int64_t *id, struct err *err);

/* Records where the image lies now, within the caller's transaction. */
ERR_MUST_CHECK enum err_code scan_case_move(struct db_case *db, struct io_image *image, int64_t id,
                                            struct err *err);

#endif
