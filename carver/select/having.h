/* SPDX-License-Identifier: Apache-2.0
 * carver/select/having.h - objects chosen by what they say of themselves: --has, --after, --before.
 */
#ifndef BURIN_CARVER_SELECT_HAVING_H
#define BURIN_CARVER_SELECT_HAVING_H

#include <stdbool.h>

#include "carver/select/ids.h"
#include "db/case.h"

/*
 * The date of an option's value: YEAR, YEAR-MONTH, YEAR-MONTH-DAY, or that with THOUR:MINUTE and
 * :SECOND, Z or +HH:MM behind it; its first second, in UTC where it has no zone. ERR_ARG.
 */
ERR_MUST_CHECK enum err_code having_date(const char *option, const char *text, int64_t *out,
                                         struct err *err);

/* ERR_ARG: a word of the list is no key, and not what keys begin with before a point. NULL: right.
 */
ERR_MUST_CHECK enum err_code having_check(const char *list, struct err *err);

/* Adds the objects that have one of these keys; settled. */
ERR_MUST_CHECK enum err_code having_open(const char *list, struct db_case *db, struct ids *out,
                                         struct err *err);

/* Adds the objects whose own date is at `after` or later, and before `before`; settled. */
ERR_MUST_CHECK enum err_code having_dates(struct db_case *db, int64_t after, int64_t before,
                                          struct ids *out, struct err *err);

#endif
