/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/json_write.h - writes JSON to a stream, without building it in memory first.
 *
 * Keys are given inside objects and NULL elsewhere. A byte that is not part of valid UTF-8 becomes
 * U+FFFD, control characters are escaped, so the output is valid JSON whatever a path or a case
 * file holds. Write errors are found by the caller with ferror.
 *
 * What stands in the outermost object or array is given to the stream when it is whole, and nothing
 * else is to be written there before.
 */
#ifndef BURIN_CARVER_CLI_JSON_WRITE_H
#define BURIN_CARVER_CLI_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    JSON_DEPTH_MAX = 16,
    JSON_WHOLE = 1,     /* the depth at which what was written is whole */
    JSON_BUFFER = 4096, /* bytes */
};

struct json {
    FILE *out;
    uint32_t depth;
    bool filled[JSON_DEPTH_MAX];  /* the object or array at this depth has a member already */
    char closing[JSON_DEPTH_MAX]; /* and this bracket ends it */
    uint32_t lines; /* members of objects and arrays at a depth below this begin a line */
    size_t used;    /* bytes of the buffer, which the stream does not have yet */
    char buffer[JSON_BUFFER];
};

/* lines: how deep the text is broken into lines: 0 one line, 1 a line for every member of the
 * outermost array, … */
void json_init(struct json *json, FILE *out, uint32_t lines);

void json_open_object(struct json *json, const char *key);
void json_close_object(struct json *json);
void json_open_array(struct json *json, const char *key);
void json_close_array(struct json *json);
/* Closes what is open, but for the outermost `depth` objects and arrays. */
void json_close_to(struct json *json, uint32_t depth);

void json_string(struct json *json, const char *key, const char *text); /* text NULL writes null */
void json_uint(struct json *json, const char *key, uint64_t value);
void json_int(struct json *json, const char *key, int64_t value);
void json_double(struct json *json, const char *key,
                 double value); /* finite; six significant digits */
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

/* Ends the text with a line feed. */
void json_end(struct json *json);

#endif
