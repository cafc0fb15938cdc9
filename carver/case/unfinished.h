/* SPDX-License-Identifier: Apache-2.0
 * carver/case/unfinished.h - scans of a case that did not come to their end: what a list or a carve
 * of it must say.
 */
#ifndef BURIN_CARVER_CASE_UNFINISHED_H
#define BURIN_CARVER_CASE_UNFINISHED_H

#include <stdint.h>

#include "db/case.h"

/*
 * A sentence about one image, without a full stop; its path stands in it as it is, so print it with
 * print_safe and its kin.
 */
struct unfinished_scan {
    int64_t image_id;
    char *text;
};

struct unfinished {
    struct unfinished_scan *items; /* in the order of the images */
    uint32_t count;
};

/*
 * One for each image whose latest scan is not done, or that was searched and never scanned. A scan
 * that another program is at is told as such, as far as that can be known: the case file is written
 * to right now.
 */
ERR_MUST_CHECK enum err_code unfinished_find(struct db_case *db, struct unfinished *out,
                                             struct err *err);
void unfinished_release(struct unfinished *unfinished); /* of a zeroed one: a no-op */

/* A line for each on standard error. command: "list". */
void unfinished_tell(const struct unfinished *unfinished, const char *command);

#endif
