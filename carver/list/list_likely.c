/* SPDX-License-Identifier: Apache-2.0
 * carver/list/list_likely.c - see list_likely.h. */
#include <inttypes.h>

#include "carver/cli/json_write.h"
#include "carver/cli/print_safe.h"
#include "carver/list/list_likely.h"
#include "carver/list/list_print.h"

enum { LIKELY_ONE = 1000000 /* as the case file counts chances */ };

struct likely_print {
    FILE *out;
    struct json json;
};

static enum err_code likely_line(void *arg, const struct db_likely *likely, struct err *err)
{
    FILE *out = ((struct likely_print *)arg)->out;

    (void)err;
    fprintf(out, "%" PRId64 "\t", likely->hit_id);
    print_safe(out, likely->type);
    fprintf(out, "\tlikely\t%" PRIu64 "\t%" PRIu64, likely->extents[0].offset, likely->len);
    for (uint32_t i = 0; i < likely->extent_count; i++)
        fprintf(out, "%c%" PRIu64 "+%" PRIu64, i == 0 ? '\t' : ',', likely->extents[i].offset,
                likely->extents[i].len);
    fprintf(out, "\t%" PRIu32 ".%06" PRIu32 "\t", likely->wrong / LIKELY_ONE,
            likely->wrong % LIKELY_ONE);
    print_safe(out, likely->text);
    putc('\n', out);
    return ERR_OK;
}

static enum err_code likely_json(void *arg, const struct db_likely *likely, struct err *err)
{
    struct json *json = &((struct likely_print *)arg)->json;

    (void)err;
    json_open_object(json, NULL);
    json_int(json, "id", likely->hit_id);
    json_int(json, "image", likely->image_id);
    json_string(json, "type", likely->type);
    json_string(json, "extension", likely->extension);
    json_string(json, "state", "likely");
    json_string(json, "reason", likely->reason);
    json_uint(json, "offset", likely->extents[0].offset);
    json_uint(json, "length", likely->len);
    list_print_extents(json, likely->extents, likely->extent_count);
    json_uint(json, "wrong_in_a_million", likely->wrong);
    json_uint(json, "tried", likely->tried);
    json_string(json, "proof", likely->text);
    json_close_object(json);
    return ERR_OK;
}

enum err_code list_likely(struct db_case *db, FILE *out, bool json, struct err *err)
{
    struct likely_print print = { .out = out };

    if (!json)
        return db_likely_walk(db, likely_line, &print, err);
    json_init(&print.json, out, 1);
    json_open_array(&print.json, NULL);
    const enum err_code rc = db_likely_walk(db, likely_json, &print, err);
    if (rc == ERR_OK) {
        json_close_array(&print.json);
        json_end(&print.json);
    }
    return rc;
}
