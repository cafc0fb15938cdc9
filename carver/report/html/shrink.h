/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/shrink.h - a small picture of a JPEG file. The file may be anything: this runs
 * in a process without rights (shrinker.h), and nowhere else.
 */
#ifndef BURIN_CARVER_REPORT_HTML_SHRINK_H
#define BURIN_CARVER_REPORT_HTML_SHRINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "carver/report/lib_turbojpeg.h"

enum {
    /* Of what is larger, the longer side has so many pixels and less than twice as many. */
    SHRINK_SIDE = 160,
    /* Bytes of the small picture at most: as many as tjBufSize says of one of the largest size,
     * which the library takes for granted, and more. */
    SHRINK_BYTES = 512 << 10,
    SHRINK_PIXELS = 64 << 20,      /* of a picture that is made smaller, at most */
    SHRINK_PIXELS_SIDE = 32 << 10, /* of its sides, at most */
    SHRINK_FILE = 16 << 20,        /* bytes of its file, at most */
};

struct shrunk {
    uint32_t len;     /* bytes of the small picture, a JPEG file; 0: there is none */
    uint32_t damaged; /* 1: the file breaks, and the picture has what comes before that */
};

/* Makes a small picture of the file, in out. */
struct shrunk shrink_jpeg(const struct lib_turbojpeg *jpeg, const uint8_t *file, size_t len,
                          uint8_t out[SHRINK_BYTES]);

#endif
