/* SPDX-License-Identifier: Apache-2.0
 * carver/list/list_likely.h - `burin list --likely`: files that were put together without proof.
 */
#ifndef BURIN_CARVER_LIST_LIST_LIKELY_H
#define BURIN_CARVER_LIST_LIST_LIKELY_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "db/case.h"

/* Errors: those of the case file. */
ERR_MUST_CHECK enum err_code list_likely(struct db_case *db, FILE *out, bool json, struct err *err);

#endif
