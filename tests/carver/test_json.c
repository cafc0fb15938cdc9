/*
 * tests/carver/test_json.c - JSON text, compared with what RFC 8259 asks for, written out by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/json.h"

static void string_is(const char *text, const char *want)
{
    char *got = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&got, &len);
    struct json json;

    assert_non_null(out);
    json_init(&json, out, 0);
    json_string(&json, NULL, text);
    fclose(out);
    assert_string_equal(got, want);
    free(got);
}

static void strings(void **state)
{
    (void)state;
    string_is("", "\"\"");
    string_is("plain /x", "\"plain /x\"");
    string_is("a\"b\\c", "\"a\\\"b\\\\c\"");
    string_is("\t\n\x01\x1f\x7f", "\"\\u0009\\u000a\\u0001\\u001f\\u007f\"");
    string_is("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"");
    string_is("a\x80\xff"
              "b",
              "\"a\\ufffd\\ufffdb\"");
    string_is("\xc3", "\"\\ufffd\"");                       /* cut short */
    string_is("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""); /* a surrogate */
    string_is("\xc0\xaf", "\"\\ufffd\\ufffd\"");            /* an overlong slash */
    string_is("\xc2\x9b", "\"\\u009b\"");                   /* C1: a terminal's CSI */
    string_is(NULL, "null");
}

static void structure(void **state)
{
    char *got = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&got, &len);
    struct json json;

    (void)state;
    assert_non_null(out);
    json_init(&json, out, 1);
    json_open_array(&json, NULL);
    json_open_object(&json, NULL);
    json_uint(&json, "u", UINT64_MAX);
    json_int(&json, "i", INT64_MIN);
    json_bool(&json, "t", true);
    json_bool(&json, "f", false);
    json_null(&json, "n");
    json_open_array(&json, "a");
    json_close_array(&json);
    json_close_object(&json);
    json_open_object(&json, NULL);
    json_close_object(&json);
    json_close_array(&json);
    json_end(&json);
    fclose(out);
    assert_string_equal(got,
                        "[\n  {\"u\": 18446744073709551615, \"i\": -9223372036854775808, \"t\": true, \"f\": false, "
                        "\"n\": null, \"a\": []},\n  {}\n]\n");
    free(got);
}

static void empty_array(void **state)
{
    char *got = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&got, &len);
    struct json json;

    (void)state;
    assert_non_null(out);
    json_init(&json, out, 1);
    json_open_array(&json, NULL);
    json_close_array(&json);
    json_end(&json);
    fclose(out);
    assert_string_equal(got, "[]\n");
    free(got);
}

static void close_to(void **state)
{
    char *got = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&got, &len);
    struct json json;

    (void)state;
    assert_non_null(out);
    json_init(&json, out, 0);
    json_open_object(&json, NULL);
    json_open_array(&json, "a");
    json_open_array(&json, NULL);
    json_open_object(&json, NULL);
    json_close_to(&json, 1);
    json_bool(&json, "b", true);
    json_close_to(&json, 1);
    json_close_to(&json, 0);
    json_end(&json);
    fclose(out);
    assert_string_equal(got, "{\"a\": [[{}]], \"b\": true}\n");
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings),
        cmocka_unit_test(structure),
        cmocka_unit_test(empty_array),
        cmocka_unit_test(close_to),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
