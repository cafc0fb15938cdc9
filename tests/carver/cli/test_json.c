/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/cli/test_json.c - JSON text, compared with what RFC 8259 asks for, written out by
 * hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/cli/json_write.h"

/* JSON that is written to memory, to be compared. */
struct written {
    struct json json;
    FILE *out;
    char *got;
    size_t len;
};

static void written_open(struct written *w, uint32_t lines)
{
    *w = (struct written){ .got = NULL };
    w->out = open_memstream(&w->got, &w->len);
    assert_non_null(w->out);
    json_init(&w->json, w->out, lines);
}

static void written_is(struct written *w, const char *want)
{
    fclose(w->out);
    assert_string_equal(w->got, want);
    free(w->got);
}

static void string_is(const char *text, const char *want)
{
    struct written w;

    written_open(&w, 0);
    json_string(&w.json, NULL, text);
    written_is(&w, want);
}

static void strings(void **state)
{
    (void)state;
    string_is("", "\"\"");
    string_is("plain /x", "\"plain /x\"");
    string_is("a\"b\\c", "\"a\\\"b\\\\c\"");
    string_is("\t\n\x01\x1f\x7f", "\"\\u0009\\u000a\\u0001\\u001f\\u007f\"");
    string_is("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
              "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"");
    string_is("a\x80\xff"
              "b",
              "\"a\\ufffd\\ufffdb\"");
    string_is("\xc3", "\"\\ufffd\"");                           /* cut short */
    string_is("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");     /* a surrogate */
    string_is("\xc0\xaf", "\"\\ufffd\\ufffd\"");                /* an overlong slash */
    string_is("\xc2\x9b", "\"\\u009b\"");                       /* C1: a terminal's CSI */
    string_is("\xe2\x80\xae|\xd7\xa9", "\"\\u202e|\xd7\xa9\""); /* an override; a Hebrew letter */
    string_is("\xf3\xa0\x80\x81", "\"\\udb40\\udc01\"");        /* U+E0001 (RFC 2781, 2.1) */
    string_is(NULL, "null");
}

/* A character that does not stay as it is, at each place of texts of each length. */
static void strings_of_each_length(void **state)
{
    static const struct {
        const char *text, *want;
    } specials[] = { { "\"", "\\\"" },
                     { "\\", "\\\\" },
                     { "\x1f", "\\u001f" },
                     { "\x7f", "\\u007f" },
                     { "\x80", "\\ufffd" },
                     { "\xff", "\\ufffd" },
                     { "\x20", "\x20" },
                     { "!", "!" },
                     { "~", "~" },
                     { "\x21\x1f", "!\\u001f" },
                     { "\xc3\xa9", "\xc3\xa9" } };
    char text[64], want[96];

    (void)state;
    for (int len = 0; len < 20; len++)
        for (int at = 0; at <= len; at++)
            for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++) {
                snprintf(text, sizeof text, "%.*s%s%.*s", at, "abcdefghijklmnopqrst",
                         specials[i].text, len - at, "ABCDEFGHIJKLMNOPQRST");
                snprintf(want, sizeof want, "\"%.*s%s%.*s\"", at, "abcdefghijklmnopqrst",
                         specials[i].want, len - at, "ABCDEFGHIJKLMNOPQRST");
                string_is(text, want);
            }
}

/* Texts around the size of the buffer, with some before them. */
static void long_strings(void **state)
{
    char text[2 * JSON_BUFFER], want[2 * JSON_BUFFER + 64];

    (void)state;
    for (size_t len = JSON_BUFFER - 40; len < JSON_BUFFER + 8; len++) {
        struct written w;

        memset(text, 'x', len);
        text[len] = '\0';
        snprintf(want, sizeof want, "{\"a\": {\"b\": \"%s\", \"c\": 12}}\n", text);
        written_open(&w, 0);
        json_open_object(&w.json, NULL);
        json_open_object(&w.json, "a");
        json_string(&w.json, "b", text);
        json_uint(&w.json, "c", 12);
        json_close_object(&w.json);
        json_close_object(&w.json);
        json_end(&w.json);
        written_is(&w, want);
    }
}

/* What is whole is there for who writes to the stream next. */
static void whole_values_are_written(void **state)
{
    struct written w;

    (void)state;
    written_open(&w, 0);
    json_open_array(&w.json, NULL);
    json_open_object(&w.json, NULL);
    json_bool(&w.json, "b", true);
    json_close_object(&w.json);
    fputs("|", w.out);
    json_close_array(&w.json);
    fputs("|", w.out);
    json_end(&w.json);
    written_is(&w, "[{\"b\": true}|]|\n");
}

static void structure(void **state)
{
    struct written w;

    (void)state;
    written_open(&w, 1);
    json_open_array(&w.json, NULL);
    json_open_object(&w.json, NULL);
    json_uint(&w.json, "u", UINT64_MAX);
    json_int(&w.json, "i", INT64_MIN);
    json_bool(&w.json, "t", true);
    json_bool(&w.json, "f", false);
    json_null(&w.json, "n");
    json_open_array(&w.json, "a");
    json_close_array(&w.json);
    json_close_object(&w.json);
    json_open_object(&w.json, NULL);
    json_close_object(&w.json);
    json_close_array(&w.json);
    json_end(&w.json);
    written_is(&w, "[\n  {\"u\": 18446744073709551615, \"i\": -9223372036854775808, \"t\": true, "
                   "\"f\": false, "
                   "\"n\": null, \"a\": []},\n  {}\n]\n");
}

static void empty_array(void **state)
{
    struct written w;

    (void)state;
    written_open(&w, 1);
    json_open_array(&w.json, NULL);
    json_close_array(&w.json);
    json_end(&w.json);
    written_is(&w, "[]\n");
}

static void close_to(void **state)
{
    struct written w;

    (void)state;
    written_open(&w, 0);
    json_open_object(&w.json, NULL);
    json_open_array(&w.json, "a");
    json_open_array(&w.json, NULL);
    json_open_object(&w.json, NULL);
    json_close_to(&w.json, 1);
    json_bool(&w.json, "b", true);
    json_close_to(&w.json, 1);
    json_close_to(&w.json, 0);
    json_end(&w.json);
    written_is(&w, "{\"a\": [[{}]], \"b\": true}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings),      cmocka_unit_test(strings_of_each_length),
        cmocka_unit_test(long_strings), cmocka_unit_test(whole_values_are_written),
        cmocka_unit_test(structure),    cmocka_unit_test(empty_array),
        cmocka_unit_test(close_to),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
