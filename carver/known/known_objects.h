/* SPDX-License-Identifier: Apache-2.0
 * carver/known/known_objects.h - hashes of all objects of an image, looked up in the sets of a
 * scan.
 *
 * Objects are hashed when the whole image has been scanned: before that their ends are not final.
 * Several threads read them through their extents; what they find is written in the order of the
 * objects.
 */
#ifndef BURIN_CARVER_KNOWN_KNOWN_OBJECTS_H
#define BURIN_CARVER_KNOWN_KNOWN_OBJECTS_H

#include "carver/known/known_scan.h"
#include "io/image.h"

struct known_objects_options {
    struct io_image *image;
    int64_t image_id;
    uint32_t threads;
    bool sha256; /* of all objects, also where no set has such hashes, or there is none */
    /* Hashes, of at least these kinds, of these bytes of the image that somebody has taken already;
     * NULL: there are none. *found false: not of these. It is asked in the order of offsets. */
    enum err_code (*find)(void *arg, uint64_t offset, uint64_t len, uint32_t kinds,
                          uint8_t digests[DIGEST_KINDS][DIGEST_MAX], bool *found, struct err *err);
    void *find_arg;
    void (*tick)(void *arg, uint64_t bytes_done,
                 uint64_t objects_done); /* in the caller's thread */
    void *tick_arg;
};

/*
 * Inside of a transaction of the caller's. Objects that lie in each other are read as often as they
 * are deep; so that a hostile image cannot make that endless, no more than KNOWN_READ_SHARE times
 * the image's size is read, and objects beyond that are counted as skipped.
 */
enum { KNOWN_READ_SHARE = 8 };
ERR_MUST_CHECK enum err_code known_objects_look_up(const struct known_scan *scan,
                                                   struct db_case *db,
                                                   const struct known_objects_options *options,
                                                   struct known_totals *totals, struct err *err);

#endif
