/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/gallery.h - small pictures of the pictures that were found, the largest first.
 *
 * What stands on the page is a picture that lies in the object, as cameras put one there, or the
 * object itself where it is small; neither is decoded. Of a larger JPEG file a process without
 * rights makes a small picture (shrinker.h), also where the file is cut short. Bytes are compared
 * with the scan as burin cat does. What sets call bad is not shown.
 */
#ifndef BURIN_CARVER_REPORT_HTML_GALLERY_H
#define BURIN_CARVER_REPORT_HTML_GALLERY_H

#include <stdint.h>

#include "base/err.h"
#include "carver/report/html/columns.h"

enum {
    GALLERY_INSIDE = 64 << 10, /* bytes of a picture inside another one, at most, */
    GALLERY_ITSELF = 48 << 10, /* and of one that is shown as it is */
    GALLERY_BYTES = 24 << 20,  /* of all pictures of a page */
    GALLERY_SECONDS = 60,      /* for all small pictures that are made */
};

struct gallery_item {
    uint32_t row, source; /* of the columns: what it is of, and what is shown */
    uint8_t *bytes;       /* owned */
    size_t len;
    bool made;    /* of a larger one */
    bool damaged; /* and that breaks: what comes before can be seen */
};

struct gallery {
    struct gallery_item *items; /* owned */
    size_t count;
    uint64_t pictures; /* that were found */
    uint64_t hidden;   /* of them called bad */
    uint64_t late;     /* not made smaller: the time was up */
    const char *why;   /* there are none; static text, or NULL */
};

/* Bytes of one object while they come: room for so many, len of them there. */
struct gallery_bytes {
    uint8_t *bytes;
    size_t len, room;
};

/* An extract_piece_fn, whose arg is a gallery_bytes. ERR_INPUT: there is no room for it. */
ERR_MUST_CHECK enum err_code gallery_piece(void *arg, const uint8_t *piece, size_t len,
                                           struct err *err);

/* Chooses and reads at most report->thumbs pictures. Errors: ERR_INTERRUPTED, ERR_ENV, those of the
 * case file. An object that cannot be read has no picture. */
ERR_MUST_CHECK enum err_code gallery_open(struct gallery *gallery, const struct columns *columns,
                                          struct report *report, struct err *err);
void gallery_close(struct gallery *gallery); /* of a zeroed one: a no-op */

/* "image/jpeg", ...: what a browser may be told that an object of this type is; NULL: nothing. */
const char *gallery_mime(const char *type, size_t len);

#endif
