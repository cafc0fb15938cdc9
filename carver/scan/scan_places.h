/* carver/scan/scan_places.h - asks the file systems of an image whose places its objects lie in. */
#ifndef BURIN_CARVER_SCAN_SCAN_PLACES_H
#define BURIN_CARVER_SCAN_SCAN_PLACES_H

#include <stdint.h>

#include "base/err.h"
#include "db/case.h"
#include "io/image.h"

/*
 * Records for each object of the image where it begins: file, deleted file, slack, and so on;
 * nothing for places of which nothing is known. What was recorded before is replaced. What could
 * not be read goes to the log. Errors: those of io_fsmap_open and of the case file.
 */
ERR_MUST_CHECK enum err_code scan_places(struct db_case *db, const struct io_image *image,
                                         int64_t image_id, int64_t run_id, struct err *err);

#endif
