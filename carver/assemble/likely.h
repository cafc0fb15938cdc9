/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/likely.h - likely files go into the case file, beside what the scan has found
 * there: they own nothing and change nothing.
 *
 * What begins in a likely file is a part of it, and is not told once more.
 */
#ifndef BURIN_CARVER_ASSEMBLE_LIKELY_H
#define BURIN_CARVER_ASSEMBLE_LIKELY_H

#include "carver/assemble/whole.h"

struct likely_tell {
    struct told *rows; /* what is to be stored */
    int64_t image_id;
    const struct unread *unread;
    struct splice *splice;
    struct ground told; /* the pieces of likely files so far, not settled */
    uint64_t count;     /* likely files told */
};

/* Adds a row for what guess_try found. Errors: those of the image; ERR_ENV. */
ERR_MUST_CHECK enum err_code likely_tell(struct likely_tell *tell, const struct whole *whole,
                                         struct err *err);

#endif
