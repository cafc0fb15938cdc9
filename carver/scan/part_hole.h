/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/part_hole.h - parts of an image that are known to be zeros without a look at them:
 * holes of sparse files, and what a container does not store.
 *
 *   bytes │0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0│ bytes
 *         │ before │   a part of zeros  │ahead│
 *
 * Such a part lies so far inside that whatever has a byte of it, and begins before it or ends
 * behind it, belongs to another part. No pattern matches in zeros alone, else there are no such
 * parts. So it holds no hit, and what is looked for in its bytes need not be.
 */
#ifndef BURIN_CARVER_SCAN_PART_HOLE_H
#define BURIN_CARVER_SCAN_PART_HOLE_H

#include <stdbool.h>
#include <stdint.h>

#include "io/image.h"
#include "io/reader.h"

enum {
    PART_HOLE_MIN = 1 << 20,   /* bytes: shorter ones are scanned as all else */
    PART_HOLE_MAX = 256 << 20, /* bytes of one part */
};

struct part_holes {
    const struct io_image *image; /* NULL: there are none */
    struct io_range whole;        /* of the image: what is scanned, with all that lies between */
    uint64_t before;              /* bytes of zeros that are wanted before the part */
};

/*
 * Whether a part of zeros begins at image offset `at`. *to: where it ends, at `end` at most, where
 * the range ends that it is in.
 */
bool part_hole_at(const struct part_holes *holes, uint64_t at, uint64_t end, uint64_t *to);

/* The first place behind image offset `at` and before `to` where one begins; else `to`. */
uint64_t part_hole_next(const struct part_holes *holes, uint64_t at, uint64_t to, uint64_t end);

#endif
