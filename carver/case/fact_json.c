/* SPDX-License-Identifier: Apache-2.0
 * carver/case/fact_json.c - see fact_json.h. */
#include "carver/case/fact_json.h"

void fact_json(struct json *json, const struct db_fact *fact)
{
    json_open_object(json, fact->key);
    json_string(json, "value", fact->value);
    if (fact->has_number)
        json_int(json, "number", fact->number);
    else
        json_null(json, "number");
    json_close_object(json);
}
