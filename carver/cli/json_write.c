/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/json_write.c - see json_write.h. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "carver/cli/json_write.h"
#include "carver/cli/print_number.h"
#include "carver/cli/print_safe.h"

void json_init(struct json *json, FILE *out, uint32_t lines)
{
    *json = (struct json){ .out = out, .lines = lines };
}

/* RFC 8259, section 7: characters above U+FFFF as the two halves of UTF-16. */
static void json_escape(FILE *out, uint32_t code)
{
    if (code > 0xffff) {
        fprintf(out, "\\u%04" PRIx32, 0xd800 + ((code - 0x10000) >> 10));
        code = 0xdc00 + ((code - 0x10000) & 0x3ff);
    }
    fprintf(out, "\\u%04" PRIx32, code);
}

static void json_quote(FILE *out, const char *text)
{
    putc('"', out);
    for (;;) {
        size_t plain = 0;
        uint32_t code;

        while (text[plain] >= 0x20 && text[plain] < 0x7f && text[plain] != '"' &&
               text[plain] != '\\')
            plain++;
        if (plain > 0)
            fwrite(text, 1, plain, out);
        text += plain;
        if (*text == '\0')
            break;
        const size_t len = utf8_sequence(text, strnlen(text, UTF8_MAX), &code);

        if (len == 0)
            fputs("\\ufffd", out);
        else if (code == '"' || code == '\\')
            fprintf(out, "\\%c", (int)code);
        else if (utf8_hides(code))
            json_escape(out, code);
        else
            fwrite(text, 1, len, out);
        text += len == 0 ? 1 : len;
    }
    putc('"', out);
}

/* A line of its own, as far in as it is deep. */
static void json_line(const struct json *json)
{
    putc('\n', json->out);
    for (uint32_t i = 0; i < 2 * json->depth; i++)
        putc(' ', json->out);
}

/* What stands between a member and the one before it, and the member's key. */
static void json_member(struct json *json, const char *key)
{
    if (json->depth > 0) {
        bool *filled = &json->filled[json->depth - 1];

        if (*filled)
            putc(',', json->out);
        if (json->depth <= json->lines)
            json_line(json);
        else if (*filled)
            putc(' ', json->out);
        *filled = true;
    }
    if (key != NULL) {
        json_quote(json->out, key);
        fwrite(": ", 1, 2, json->out);
    }
}

static void json_open(struct json *json, const char *key, char bracket, char closing)
{
    assert(json->depth < JSON_DEPTH_MAX);
    json_member(json, key);
    putc(bracket, json->out);
    json->filled[json->depth] = false;
    json->closing[json->depth++] = closing;
}

static void json_close(struct json *json, char bracket)
{
    assert(json->depth > 0 && json->closing[json->depth - 1] == bracket);
    json->depth--;
    if (json->filled[json->depth] && json->depth < json->lines)
        json_line(json);
    putc(bracket, json->out);
}

void json_open_object(struct json *json, const char *key)
{
    json_open(json, key, '{', '}');
}

void json_close_object(struct json *json)
{
    json_close(json, '}');
}

void json_open_array(struct json *json, const char *key)
{
    json_open(json, key, '[', ']');
}

void json_close_array(struct json *json)
{
    json_close(json, ']');
}

void json_close_to(struct json *json, uint32_t depth)
{
    while (json->depth > depth)
        json_close(json, json->closing[json->depth - 1]);
}

void json_string(struct json *json, const char *key, const char *text)
{
    if (text == NULL) {
        json_null(json, key);
        return;
    }
    json_member(json, key);
    json_quote(json->out, text);
}

void json_uint(struct json *json, const char *key, uint64_t value)
{
    json_member(json, key);
    print_uint(json->out, value);
}

void json_int(struct json *json, const char *key, int64_t value)
{
    json_member(json, key);
    print_int(json->out, value);
}

void json_double(struct json *json, const char *key, double value)
{
    json_member(json, key);
    fprintf(json->out, "%.6g", value);
}

void json_bool(struct json *json, const char *key, bool value)
{
    json_member(json, key);
    fputs(value ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *key)
{
    json_member(json, key);
    fputs("null", json->out);
}

void json_end(struct json *json)
{
    assert(json->depth == 0);
    putc('\n', json->out);
}
