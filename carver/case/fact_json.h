/* SPDX-License-Identifier: Apache-2.0
 * carver/case/fact_json.h - facts of an object as JSON: {"taken": {"value": "...", "number": 1}}.
 */
#ifndef BURIN_CARVER_CASE_FACT_JSON_H
#define BURIN_CARVER_CASE_FACT_JSON_H

#include "carver/cli/json_write.h"
#include "db/case.h"

/* A fact as a member of the object that is open; without a number: null. */
void fact_json(struct json *json, const struct db_fact *fact);

#endif
