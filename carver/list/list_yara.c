/* SPDX-License-Identifier: Apache-2.0
 * carver/list/list_yara.c - see list_yara.h. */
#include <inttypes.h>

#include "carver/cli/json_write.h"
#include "carver/cli/print_safe.h"
#include "carver/list/list_yara.h"

struct yara_print {
    struct db_object_cursor *cursor;
    FILE *out;
    bool as_json;
    struct json json;
    uint64_t count;
};

static void yara_column(FILE *out, const char *text, char end)
{
    print_safe(out, text[0] != '\0' ? text : "-");
    putc(end, out);
}

static void yara_line(FILE *out, const struct db_yara *row, const char *name)
{
    const bool met = row->rule[0] != '\0';

    fprintf(out, "%" PRId64 "\t", row->object_id);
    yara_column(out, row->rule, '\t');
    yara_column(out, row->space, '\t');
    yara_column(out, met ? row->tags : row->why, '\t');
    fprintf(out, "%" PRIu64 "\t", row->offset);
    yara_column(out, row->string, '\t');
    yara_column(out, name, '\n');
}

static void yara_text_or_null(struct json *json, const char *name, const char *text)
{
    if (text[0] != '\0')
        json_string(json, name, text);
    else
        json_null(json, name);
}

/* Tags are letters, digits and "_". */
static void yara_tags(struct json *json, const char *tags)
{
    char tag[256];
    size_t len = 0;

    json_open_array(json, "tags");
    for (const char *c = tags; tags[0] != '\0'; c++) {
        if (*c != ',' && *c != '\0' && len < sizeof tag - 1) {
            tag[len++] = *c;
            continue;
        }
        tag[len] = '\0';
        json_string(json, NULL, tag);
        len = 0;
        if (*c == '\0')
            break;
    }
    json_close_array(json);
}

static void yara_object(struct json *json, const struct db_yara *row, const char *name)
{
    json_open_object(json, NULL);
    json_int(json, "id", row->object_id);
    yara_text_or_null(json, "rule", row->rule);
    yara_text_or_null(json, "namespace", row->space);
    yara_tags(json, row->tags);
    json_uint(json, "offset", row->offset);
    yara_text_or_null(json, "string", row->string);
    yara_text_or_null(json, "why", row->why);
    json_string(json, "name", name);
    json_close_object(json);
}

static enum err_code yara_row(void *arg, const struct db_yara *row, struct err *err)
{
    struct yara_print *print = arg;
    struct db_object object = { .name = "" };
    bool found = false;
    const enum err_code rc = db_objects_find(print->cursor, row->object_id, &found, &object, err);

    if (rc != ERR_OK)
        return rc;
    print->count++;
    if (print->as_json)
        yara_object(&print->json, row, found ? object.name : "");
    else
        yara_line(print->out, row, found ? object.name : "");
    return ERR_OK;
}

enum err_code list_yara(struct db_case *db, int64_t run_id, FILE *out, bool json, uint64_t *count,
                        struct err *err)
{
    struct yara_print print = { .out = out, .as_json = json };
    enum err_code rc = db_objects_open_any(db, &print.cursor, err);

    if (rc == ERR_OK && json) {
        json_init(&print.json, out, 1);
        json_open_array(&print.json, NULL);
    }
    if (rc == ERR_OK)
        rc = db_yara_walk(db, run_id, yara_row, &print, err);
    if (rc == ERR_OK && json) {
        json_close_array(&print.json);
        json_end(&print.json);
    }
    db_objects_close(print.cursor);
    *count = print.count;
    return rc;
}
