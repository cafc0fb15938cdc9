/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/id_set.h - objects of a case file, by an expression of a policy. */
#ifndef BURIN_CARVER_AUDIT_ID_SET_H
#define BURIN_CARVER_AUDIT_ID_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "db/case.h"

/* Zeroed: none. */
struct id_set {
    int64_t *ids; /* owned; ascending */
    size_t count, room;
};

/* Adds the objects for which the expression is true. Errors: as db_where; a signal stops it. */
ERR_MUST_CHECK enum err_code id_set_where(struct db_case *db, const char *expression,
                                          struct id_set *set, struct err *err);
bool id_set_has(const struct id_set *set, int64_t id);
void id_set_release(struct id_set *set);

#endif
