/* SPDX-License-Identifier: Apache-2.0
 * carver/case/overview.h - what a case holds, by category and type: how many objects, in which
 * state, and how many bytes.
 */
#ifndef BURIN_CARVER_CASE_OVERVIEW_H
#define BURIN_CARVER_CASE_OVERVIEW_H

#include <stdio.h>

#include "base/err.h"
#include "carver/cli/json_write.h"
#include "db/case.h"

struct overview_row {
    char *type; /* owned; NULL: of all types */
    uint32_t category;
    struct db_type_totals totals; /* its type is the one above */
};

struct overview {
    struct overview_row *rows; /* by category; in it, those with the most objects first */
    uint32_t count, room;
    struct db_type_totals all;
};

/* Counts the objects of an image; image_id 0: of all. On an error *out needs no close. */
ERR_MUST_CHECK enum err_code overview_open(struct db_case *db, int64_t image_id,
                                           struct overview *out, struct err *err);
void overview_close(struct overview *overview); /* of a zeroed one: a no-op */

/*
 * A table: a heading, a line for each type with the category before its first one, and one of all.
 * Bytes are those of files that are whole and lie in no other one. Behind it how many pictures and
 * documents are broken, and how to have them. most: types of a category that have lines of their
 * own; what is left has one together. Nothing where there are no objects. ERR_ENV: no memory.
 */
ERR_MUST_CHECK enum err_code overview_print(const struct overview *overview, FILE *out,
                                            uint32_t columns, uint32_t most, struct err *err);

/* An array of objects, one for each type, as a member of what is open. */
void overview_json(const struct overview *overview, struct json *json, const char *name);

#endif
