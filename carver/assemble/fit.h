/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/fit.h - whether what lies behind the end of a file says that a file ends there.
 */
#ifndef BURIN_CARVER_ASSEMBLE_FIT_H
#define BURIN_CARVER_ASSEMBLE_FIT_H

#include "carver/assemble/splice.h"
#include "carver/assemble/starts.h"

/* What lies behind the end of a file; bits. */
enum fit {
    FIT_KNOWN = 1, /* something that tells; then */
    FIT_SLACK = 2, /* zeros to the end of the sector, and none before */
    FIT_NEXT = 4,  /* another file begins in the next sector */
};

/* What lies behind a file that ends before this image offset: enum fit. */
uint32_t fit_behind(struct splice *splice, const struct starts *starts, uint64_t end);

#endif
