/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_places.h - asks the file systems of an image whose places its objects lie in. */
#ifndef BURIN_CARVER_SCAN_SCAN_PLACES_H
#define BURIN_CARVER_SCAN_SCAN_PLACES_H

#include <stdint.h>

#include "base/err.h"
#include "db/case.h"
#include "io/fsmap.h"

/*
 * Records for each object of the image where it begins: file, deleted file, slack, and so on;
 * nothing for places of which nothing is known. What was recorded before is replaced. Errors: those
 * of the case file; ERR_INTERRUPTED.
 */
ERR_MUST_CHECK enum err_code scan_places(struct db_case *db, const struct io_fsmap *map,
                                         int64_t image_id, struct err *err);

#endif
