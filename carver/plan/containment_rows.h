/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/containment_rows.h - what containment.c says of objects, on its way into the case
 * file (containment.c only). */
#ifndef BURIN_CARVER_PLAN_CONTAINMENT_ROWS_H
#define BURIN_CARVER_PLAN_CONTAINMENT_ROWS_H

#include <stdint.h>

#include "base/err.h"
#include "db/case.h"

enum {
    CONTAINMENT_ROWS = 64,  /* that are stored together */
    CONTAINMENT_REASON = 80 /* bytes of a reason, the NUL included */
};

/* Zeroed is empty. */
struct containment_rows {
    struct db_nested items[CONTAINMENT_ROWS];
    char reasons[CONTAINMENT_ROWS][CONTAINMENT_REASON];
    uint32_t count;
};

/*
 * Adds a row, and stores them when there are enough. Texts of it must be static; one that is cut,
 * at image offset at, gets its reason here. Errors: those of the case file.
 */
ERR_MUST_CHECK enum err_code containment_rows_add(struct containment_rows *rows, struct db_case *db,
                                                  const struct db_nested *row, uint64_t at,
                                                  struct err *err);
/* Stores those that are there. */
ERR_MUST_CHECK enum err_code containment_rows_store(struct containment_rows *rows,
                                                    struct db_case *db, struct err *err);

#endif
