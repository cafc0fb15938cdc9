/* SPDX-License-Identifier: Apache-2.0
 * carver/case/seams.h - how an object in pieces was put together, for reports: its first seam
 * stands for all of them, since they were proven together.
 */
#ifndef BURIN_CARVER_CASE_SEAMS_H
#define BURIN_CARVER_CASE_SEAMS_H

#include "db/case.h"

enum { SEAMS_KIND_MAX = 64, SEAMS_TEXT_MAX = 1024 };

struct seams {
    uint32_t count; /* 0: the object was not put together */
    uint32_t bits;  /* as in struct db_join, and what follows too */
    uint64_t tried;
    char kind[SEAMS_KIND_MAX], text[SEAMS_TEXT_MAX];
};

/* Errors: those of the case file. */
ERR_MUST_CHECK enum err_code seams_read(struct db_case *db, const struct db_object *object,
                                        struct seams *out, struct err *err);

#endif
