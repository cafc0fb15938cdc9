/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/triage_pictures.h - small pictures of the JPEG files that a triage met. Only
 * the beginning of each was seen, so it is read again here, and a process without rights makes a
 * small picture of it (shrinker.h). One in which a known block was met is not shown.
 */
#ifndef BURIN_CARVER_REPORT_HTML_TRIAGE_PICTURES_H
#define BURIN_CARVER_REPORT_HTML_TRIAGE_PICTURES_H

#include <stdint.h>

#include "base/err.h"
#include "carver/report/html/html.h"

enum {
    TRIAGE_PICTURES = 50,           /* that are shown of one triage, at most */
    TRIAGE_PICTURES_MET = 200,      /* that may be chosen from, */
    TRIAGE_PICTURES_KNOWN = 4096,   /* and known blocks that are minded */
    TRIAGE_PICTURE_BYTES = 4 << 20, /* that are read of one */
};

struct triage_pictures {
    struct triage_picture {
        uint64_t offset, len; /* of the image; len: bytes that are read at most */
        bool tells;           /* its camera, or where it was taken */
    } met[TRIAGE_PICTURES_MET];
    uint32_t count;
    uint64_t known[TRIAGE_PICTURES_KNOWN]; /* image offsets */
    uint32_t known_count;
    uint64_t all, telling; /* pictures of any type; telling: camera or place */
};

/* Takes what a triage met, whatever it is. */
void triage_pictures_add(struct triage_pictures *pictures, const struct db_triage_found *found);

/* Puts those that can be shown onto the page, where any was met. Errors: ERR_INTERRUPTED, ERR_ENV.
 */
ERR_MUST_CHECK enum err_code triage_pictures_put(const struct html *html,
                                                 struct triage_pictures *pictures, int64_t image_id,
                                                 struct err *err);

#endif
