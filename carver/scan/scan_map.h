/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_map.h - --mapfile: what a map of GNU ddrescue says of an image.
 *
 * A copy of a failing disk has zeros where the disk could not be read. The map alone tells them
 * from zeros of the disk.
 */
#ifndef BURIN_CARVER_SCAN_SCAN_MAP_H
#define BURIN_CARVER_SCAN_SCAN_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "db/case.h"
#include "io/image.h"
#include "io/mapfile.h"

enum { SCAN_MAP_SHA256 = DB_SHA256_HEX + 1 };

/* Zeroed: no map. */
struct scan_map {
    char sha256[SCAN_MAP_SHA256]; /* of the file; "" when there is none */
    uint64_t bytes;               /* of the image that were not read from the disk, */
    uint32_t ranges;              /* in so many ranges */
};

/* Reads the map at path, and its hash. *map is to be released also after an error. */
ERR_MUST_CHECK enum err_code scan_map_load(const char *path, struct io_mapfile *map,
                                           char sha256[SCAN_MAP_SHA256], struct err *err);

/*
 * Reads the map at path, and has the image go by it (io_mapfile_apply).
 * Errors: ERR_INPUT, ERR_ENV, with the file and, where there is one, the line.
 */
ERR_MUST_CHECK enum err_code scan_map_apply(const char *path, struct io_image *image,
                                            struct scan_map *out, struct err *err);

/*
 * Whether a map of GNU ddrescue that fits the image stands beside it: .map, .mapfile or .log
 * behind the path, or in place of its ending. Puts its name in out.
 */
bool scan_map_beside(const char *path, const struct io_image *image, char *out, uint32_t size);

#endif
