/* SPDX-License-Identifier: Apache-2.0
 * carver/text/text_rows.h - texts on their way into the case file: each is a hit of no bytes and an
 * object, behind all that the scan has recorded (text.c only). */
#ifndef BURIN_CARVER_TEXT_TEXT_ROWS_H
#define BURIN_CARVER_TEXT_TEXT_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/case/record.h"
#include "db/case.h"
#include "signatures/sig.h"

struct text_row {
    const struct sig_type *type;
    uint64_t offset, len;
    bool complete;
    bool slack;      /* zeros fill the rest of its last sector */
    const char *why; /* static */
    uint64_t crc64;
};

/* Zeroed is empty. */
struct text_rows {
    struct db_case *db;
    int64_t image_id, signature_id;
    int64_t last; /* id of the last hit */
    uint64_t found;
    struct text_row rows[DB_OBJECTS_AT_ONCE];
    uint32_t count;
};

/* Errors: those of the case file. */
ERR_MUST_CHECK enum err_code text_rows_begin(struct text_rows *rows, struct db_case *db,
                                             int64_t image_id, int64_t signature_id,
                                             struct err *err);
/* Adds one, and stores them when there are enough. Errors: those of the case file. */
ERR_MUST_CHECK enum err_code text_rows_add(struct text_rows *rows, const struct text_row *row,
                                           struct err *err);
/* Stores those that are there. */
ERR_MUST_CHECK enum err_code text_rows_store(struct text_rows *rows, struct err *err);

#endif
