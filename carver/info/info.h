/* SPDX-License-Identifier: Apache-2.0
 * carver/info/info.h - the tables of `burin info`, and their rows. */
#ifndef BURIN_CARVER_INFO_INFO_H
#define BURIN_CARVER_INFO_INFO_H

#include <stdbool.h>

#include "base/err.h"
#include "carver/cli/json_write.h"

/* One row goes out as a line of a table or as a JSON object. */
struct info_row {
    struct json *json; /* NULL: a line */
    bool first;
};

void info_row_begin(struct info_row *row, struct json *json);
void info_field(struct info_row *row, const char *key, const char *text);
void info_row_end(struct info_row *row);

/* json NULL: lines on standard output. */
void info_devices(struct json *json);
void info_types(struct json *json);

/* A further column of a line: a tab and the text, or a dash for none. */
void info_text(const char *text);

/* "name, tab, value", as a line or, with json, as a member. */
void info_fact(struct json *json, const char *name, const char *value);

/* A volume of an image as an object, the next element of an array that is open. */
struct io_volume;
void info_volume_json(struct json *json, const struct io_volume *volume);

/* Tells of a case file. Errors: those of opening and reading it. */
ERR_MUST_CHECK enum err_code info_case(const char *path, bool as_json, struct err *err);

/* Tells of an image. type: see io_image_open. Errors: those of opening it, ERR_INTERRUPTED. */
ERR_MUST_CHECK enum err_code info_image(const char *path, const char *type, bool as_json,
                                        struct err *err);

#endif
