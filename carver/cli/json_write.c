/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/json_write.c - see json_write.h. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/decimal.h"
#include "carver/cli/json_write.h"
#include "carver/cli/print_safe.h"

#define JSON_EACH UINT64_C(0x0101010101010101) /* a one in each of eight bytes */

void json_init(struct json *json, FILE *out, uint32_t lines)
{
    json->out = out;
    json->depth = 0;
    json->lines = lines;
    json->used = 0;
}

static void json_flush(struct json *json)
{
    fwrite(json->buffer, 1, json->used, json->out);
    json->used = 0;
}

static void json_put(struct json *json, const char *text, size_t len)
{
    if (len > sizeof json->buffer - json->used)
        json_flush(json);
    if (len > sizeof json->buffer) {
        fwrite(text, 1, len, json->out);
        return;
    }
    memcpy(json->buffer + json->used, text, len);
    json->used += len;
}

static void json_char(struct json *json, char c)
{
    if (json->used == sizeof json->buffer)
        json_flush(json);
    json->buffer[json->used++] = c;
}

static void json_text(struct json *json, const char *text)
{
    json_put(json, text, strlen(text));
}

/* A value that is not inside of another one is written at once: see json_write.h. */
static void json_settle(struct json *json)
{
    if (json->depth <= JSON_WHOLE)
        json_flush(json);
}

/* RFC 8259, section 7: characters above U+FFFF as the two halves of UTF-16. */
static void json_escape(struct json *json, uint32_t code)
{
    char text[16];

    if (code > 0xffff) {
        snprintf(text, sizeof text, "\\u%04" PRIx32, 0xd800 + ((code - 0x10000) >> 10));
        json_text(json, text);
        code = 0xdc00 + ((code - 0x10000) & 0x3ff);
    }
    snprintf(text, sizeof text, "\\u%04" PRIx32, code);
    json_text(json, text);
}

static bool json_is_plain(char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* Of eight characters, a bit for each that is below `least`, which is 0x80 at most; where one is,
 * those behind it may be told, too. */
static uint64_t json_below(uint64_t word, uint8_t least)
{
    return (word - JSON_EACH * least) & ~word & JSON_EACH * 0x80;
}

static uint64_t json_is(uint64_t word, char c)
{
    return json_below(word ^ JSON_EACH * (uint8_t)c, 1);
}

/* How many characters stay as they are: most texts are only these, so eight are looked at at once.
 */
static size_t json_plain(const char *text, size_t len)
{
    size_t at = 0;

    for (uint64_t word; at + sizeof word <= len; at += sizeof word) {
        memcpy(&word, text + at, sizeof word);
        if (((word & JSON_EACH * 0x80) | json_below(word, 0x20) | json_is(word, '"') |
             json_is(word, '\\') | json_is(word, 0x7f)) != 0)
            break;
    }
    while (at < len && json_is_plain(text[at]))
        at++;
    return at;
}

static void json_quote(struct json *json, const char *text)
{
    const char *const end = text + strlen(text);

    json_char(json, '"');
    while (text < end) {
        const size_t plain = json_plain(text, (size_t)(end - text));
        uint32_t code;

        json_put(json, text, plain);
        text += plain;
        if (text == end)
            break;
        const size_t len = utf8_sequence(text, strnlen(text, UTF8_MAX), &code);

        if (len == 0)
            json_text(json, "\\ufffd");
        else if (code == '"' || code == '\\') {
            json_char(json, '\\');
            json_char(json, (char)code);
        } else if (utf8_hides(code))
            json_escape(json, code);
        else
            json_put(json, text, len);
        text += len == 0 ? 1 : len;
    }
    json_char(json, '"');
}

/* A line of its own, as far in as it is deep. */
static void json_line(struct json *json)
{
    json_char(json, '\n');
    for (uint32_t i = 0; i < 2 * json->depth; i++)
        json_char(json, ' ');
}

/* What stands between a member and the one before it, and the member's key. */
static void json_member(struct json *json, const char *key)
{
    if (json->depth > 0) {
        bool *filled = &json->filled[json->depth - 1];

        if (*filled)
            json_char(json, ',');
        if (json->depth <= json->lines)
            json_line(json);
        else if (*filled)
            json_char(json, ' ');
        *filled = true;
    }
    if (key != NULL) {
        json_quote(json, key);
        json_put(json, ": ", 2);
    }
}

static void json_open(struct json *json, const char *key, char bracket, char closing)
{
    assert(json->depth < JSON_DEPTH_MAX);
    json_member(json, key);
    json_char(json, bracket);
    json->filled[json->depth] = false;
    json->closing[json->depth++] = closing;
    json_settle(json);
}

static void json_close(struct json *json, char bracket)
{
    assert(json->depth > 0 && json->closing[json->depth - 1] == bracket);
    json->depth--;
    if (json->filled[json->depth] && json->depth < json->lines)
        json_line(json);
    json_char(json, bracket);
    json_settle(json);
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

/* A value that is written as it is. */
static void json_value(struct json *json, const char *key, const char *text, size_t len)
{
    json_member(json, key);
    json_put(json, text, len);
    json_settle(json);
}

void json_string(struct json *json, const char *key, const char *text)
{
    if (text == NULL) {
        json_null(json, key);
        return;
    }
    json_member(json, key);
    json_quote(json, text);
    json_settle(json);
}

void json_uint(struct json *json, const char *key, uint64_t value)
{
    char text[DECIMAL_MAX];
    const size_t at = decimal_put(text, value, false);

    json_value(json, key, text + at, sizeof text - at);
}

void json_int(struct json *json, const char *key, int64_t value)
{
    char text[DECIMAL_MAX];
    const size_t at = decimal_put_int(text, value);

    json_value(json, key, text + at, sizeof text - at);
}

void json_double(struct json *json, const char *key, double value)
{
    char text[32];

    snprintf(text, sizeof text, "%.6g", value);
    json_value(json, key, text, strlen(text));
}

void json_bool(struct json *json, const char *key, bool value)
{
    const char *word = value ? "true" : "false";

    json_value(json, key, word, strlen(word));
}

void json_null(struct json *json, const char *key)
{
    json_value(json, key, "null", strlen("null"));
}

void json_end(struct json *json)
{
    assert(json->depth == 0);
    json_char(json, '\n');
    json_flush(json);
}
