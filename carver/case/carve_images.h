/* SPDX-License-Identifier: Apache-2.0
 * carver/case/carve_images.h - the images of a case, opened again where they were or where they are
 * now. */
#ifndef BURIN_CARVER_CASE_CARVE_IMAGES_H
#define BURIN_CARVER_CASE_CARVE_IMAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/case/confine.h"
#include "carver/case/unread.h"
#include "db/case.h"
#include "io/image.h"

/*
 * Keeps what it takes to read the images of a case: where it says that they are, or, where
 * path_count is not 0, at paths. To be called before they are opened. Errors: those of the case
 * file.
 */
ERR_MUST_CHECK enum err_code carve_images_confine(struct db_case *db, const char *const *paths,
                                                  uint32_t path_count, struct confine *confine,
                                                  struct err *err);

struct carve_images {
    struct io_image **items; /* items[i] is image i + 1 of the case */
    char **paths;            /* as the case file has them, or as given */
    char **
        notes; /* what is to be told of the image: it changed since it was scanned; NULL: nothing */
    bool *changed;         /* its fingerprint says that it changed since it was scanned */
    struct unread *unread; /* what the scan could not read of it */
    uint32_t count;
};

/*
 * Opens path as the image was opened when it was scanned; where another place was named for it
 * (elsewhere), also as what it is there: a raw copy of an E01 has the same bytes. Errors: those of
 * io_image_open.
 */
ERR_MUST_CHECK enum err_code carve_images_open_as(const struct db_image *image, const char *path,
                                                  bool elsewhere, struct io_image **out,
                                                  struct err *err);

/*
 * paths[i], where path_count is not 0, stands for the path of image i + 1. ERR_INPUT: an image is
 * missing (says how to name its new place), of another size than when it was scanned, or another
 * one (its fingerprint differs at every place); it has no fingerprint, and no path was given that
 * says which one it is; path_count is neither 0 nor the number of images.
 */
ERR_MUST_CHECK enum err_code carve_images_open(struct db_case *db, const char *const *paths,
                                               uint32_t path_count, struct carve_images *out,
                                               struct err *err);
void carve_images_close(struct carve_images *images); /* of a zeroed struct: a no-op */

#endif
