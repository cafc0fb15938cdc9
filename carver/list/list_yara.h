/* SPDX-License-Identifier: Apache-2.0
 * carver/list/list_yara.h - `burin list --yara`, and what `burin search --yara` prints: which
 * objects meet which rules of YARA.
 */
#ifndef BURIN_CARVER_LIST_LIST_YARA_H
#define BURIN_CARVER_LIST_LIST_YARA_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "db/case.h"

/*
 * A line for each row of the run, or of all runs where run_id is 0, in columns separated by tabs:
 * id of the object, rule, namespace, tags or "-", offset in the image, string or "-", name; of an
 * object that is not decided "-" for the rule and its namespace, and why in place of tags. json:
 * an array of objects. *count: of the lines. Errors: those of the case file.
 */
ERR_MUST_CHECK enum err_code list_yara(struct db_case *db, int64_t run_id, FILE *out, bool json,
                                       uint64_t *count, struct err *err);

#endif
