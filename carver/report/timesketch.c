/* SPDX-License-Identifier: Apache-2.0
 * carver/report/timesketch.c - events for Timesketch, one JSON object a line: an event for each
 * date that an object says of itself.
 *
 * Timesketch wants message, datetime and timestamp_desc of each, and takes a file whose name ends
 * with .jsonl. Source: https://timesketch.org/guides/user/import-from-json-csv/
 */
#include <stdio.h>
#include <string.h>

#include "carver/cli/json_write.h"
#include "carver/report/report.h"

enum { TIMESKETCH_TEXT = 512 };

static void timesketch_event(FILE *out, const struct report_object *report,
                             const struct db_fact *date)
{
    const struct db_object *object = report->object;
    const struct db_found_in *place = report->place;
    char time[FACTS_TIME_MAX + 8], text[TIMESKETCH_TEXT];
    struct json json;

    facts_time(date, time);
    if (facts_is_local(date)) { /* it wants a zone; timestamp_desc says that there is none */
        const size_t len = strlen(time);

        snprintf(time + len, sizeof time - len, "+00:00");
    }
    json_init(&json, out, 0);
    json_open_object(&json, NULL);
    snprintf(text, sizeof text, "%s, %s: %s %s", report->name, object->state, date->key,
             date->value);
    json_string(&json, "message", text);
    json_string(&json, "datetime", time);
    snprintf(text, sizeof text, "File says: %s%s", date->key,
             facts_is_local(date) ? " (zone unknown, taken for UTC)" : "");
    json_string(&json, "timestamp_desc", text);
    json_string(&json, "data_type", "burin:object");
    json_int(&json, "object_id", object->id);
    json_int(&json, "image", object->image_id);
    json_string(&json, "type", object->type);
    json_string(&json, "state", object->state);
    json_uint(&json, "offset", object->offset);
    json_uint(&json, "length", object->len);
    json_string(&json, "name", report->name);
    if (object->sha256 != NULL)
        json_string(&json, "sha256", object->sha256);
    if (place != NULL) {
        json_string(&json, "place", place->kind);
        json_string(&json, "path", place->path);
    }
    for (uint32_t i = 0; i < report->facts->count; i++)
        if (!facts_is_date(&report->facts->items[i]))
            json_string(&json, report->facts->items[i].key, report->facts->items[i].value);
    json_close_object(&json);
    json_end(&json);
}

static enum err_code timesketch_object(void *arg, const struct report_object *report,
                                       struct err *err)
{
    struct report *const to = arg;
    bool any = false;

    (void)err;
    for (uint32_t i = 0; i < report->facts->count; i++)
        if (facts_is_date(&report->facts->items[i])) {
            timesketch_event(to->out, report, &report->facts->items[i]);
            any = true;
        }
    to->left_out += !any;
    return ERR_OK;
}

enum err_code report_timesketch(struct report *report, struct err *err)
{
    report->why = "without a date";
    return report_objects(report, timesketch_object, report, err);
}
