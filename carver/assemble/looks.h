/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/looks.h - what is known of sectors by their bytes, from file to file.
 *
 * Many files look for where they go on in the same parts of an image, and ask the same of each
 * sector there. What was seen is kept, and the sector not read again.
 *
 * Threads: one thread uses them.
 */
#ifndef BURIN_CARVER_ASSEMBLE_LOOKS_H
#define BURIN_CARVER_ASSEMBLE_LOOKS_H

#include <stdint.h>

#include "base/err.h"

/* What is known of a sector; bits. */
enum look {
    LOOK_DENSE = 1,   /* most byte values are in it, as in packed data */
    LOOK_STUFFED = 2, /* each ff in it is followed by 00 or a restart marker, as in a JPEG's scan */
    LOOK_TAKEN = 4,   /* these two are known */
    LOOK_SOME_FF = 8, /* it has an ff with such a byte behind it, and none with another one; */
    LOOK_WRONG_FF = 16, /* it has an ff with another byte behind it */
    LOOK_FF_TAKEN = 32, /* these two are known */
};

enum {
    LOOKS_AT_ONCE = 64, /* sectors that are kept, or forgotten, together */
    LOOKS_ROOM = 8192   /* so many times: 256 MiB of an image */
};

struct looks; /* owned by the caller of looks_open */

/* Errors: ERR_ENV for no memory. */
ERR_MUST_CHECK enum err_code looks_open(struct looks **out, struct err *err);
void looks_close(struct looks *looks); /* NULL is a no-op */

/* What is known of the sector of this number, to be added to; valid until the next call. */
uint8_t *looks_of(struct looks *looks, uint64_t sector);

#endif
