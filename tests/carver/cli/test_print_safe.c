/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/cli/test_print_safe.c - what is UTF-8 (the table of RFC 3629, section 4, and
 * Unicode 3.9, table 3-7), and text made safe.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/cli/print_safe.h"

static void utf8(void **state)
{
    static const struct {
        const char *bytes;
        size_t len, want;
        uint32_t code;
    } rows[] = {
        { "a", 1, 1, 'a' },
        { "\0", 1, 1, 0 },
        { "\x7f", 1, 1, 0x7f },
        { "\xc2\x80", 2, 2, 0x80 },
        { "\xdf\xbf", 2, 2, 0x7ff },
        { "\xe0\xa0\x80", 3, 3, 0x800 },
        { "\xed\x9f\xbf", 3, 3, 0xd7ff },
        { "\xee\x80\x80", 3, 3, 0xe000 },
        { "\xef\xbf\xbf", 3, 3, 0xffff },
        { "\xf0\x90\x80\x80", 4, 4, 0x10000 },
        { "\xf4\x8f\xbf\xbf", 4, 4, 0x10ffff },
        { "", 0, 0, 0 },
        { "\x80", 1, 0, 0 },
        { "\xc1\xbf", 2, 0, 0 },         /* overlong */
        { "\xe0\x9f\xbf", 3, 0, 0 },     /* overlong */
        { "\xf0\x8f\xbf\xbf", 4, 0, 0 }, /* overlong */
        { "\xed\xa0\x80", 3, 0, 0 },     /* surrogates */
        { "\xed\xbf\xbf", 3, 0, 0 },
        { "\xf4\x90\x80\x80", 4, 0, 0 }, /* above U+10FFFF */
        { "\xf5\x80\x80\x80", 4, 0, 0 },
        { "\xff", 1, 0, 0 },
        { "\xe2\x82", 2, 0, 0 }, /* cut short */
        { "\xe2\x28\xa1", 3, 0, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t code = 1;
        const size_t got = utf8_sequence(rows[i].bytes, rows[i].len, &code);

        if (got != rows[i].want || (got != 0 && code != rows[i].code))
            fail_msg("row %zu: %zu bytes, U+%04X", i, got, code);
    }
}

static void put_is(void (*put)(FILE *, const char *), const char *text, const char *want)
{
    char *got = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&got, &len);

    assert_non_null(out);
    put(out, text);
    fclose(out);
    assert_string_equal(got, want);
    free(got);
}

static void safe_text(void **state)
{
    (void)state;
    put_is(print_safe, "caf\xc3\xa9/a b", "caf\xc3\xa9/a b");
    put_is(print_safe, "", "");
    put_is(print_safe, "\x7f~ \x1f", "\\x7F~ \\x1F");       /* the ends of what is plain */
    put_is(print_safe, "plain\xe2\x82", "plain\\xE2\\x82"); /* a sequence cut by the end */
    put_is(print_safe, "a\tb\nc\x1b[31m", "a\\x09b\\x0Ac\\x1B[31m");
    put_is(print_safe, "a\\x09", "a\\x5Cx09");
    put_is(print_safe, "\x80\xc2\x9b", "\\x80\\xC2\\x9B");
    put_is(print_safe_message, "use \\x41\n", "use \\x41\\x0A");
    /* The letters of right-to-left alphabets stay, marks that turn a line round do not. */
    put_is(print_safe, "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xd9\x85\xd9\x84\xd9\x81.jpg",
           "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xd9\x85\xd9\x84\xd9\x81.jpg");
    put_is(print_safe, "a\xe2\x80\xaegpj.exe", "a\\xE2\\x80\\xAEgpj.exe");
    put_is(print_safe_message,
           "a\xe2\x80\x8b"
           "b\xef\xbb\xbf",
           "a\\xE2\\x80\\x8Bb\\xEF\\xBB\\xBF");
    put_is(print_safe_xml, "<\xe2\x81\xa6", "&lt;\\xE2\\x81\\xA6");
    put_is(print_safe_xml, "a<b>&\"c'", "a&lt;b&gt;&amp;&quot;c'");
    put_is(print_safe_xml, "\x01\xff\xef\xbf\xbe\xef\xbf\xbd\\",
           "\\x01\\xFF\\xEF\\xBF\\xBE\xef\xbf\xbd\\x5C");
}

/*
 * What Unicode 15.1 gives the categories Cc, Cf, Zl and Zp (UnicodeData.txt), at the ends of each
 * range.
 */
static void what_hides(void **state)
{
    static const struct {
        uint32_t code;
        bool want;
    } rows[] = {
        { 0, true },        { 0x1f, true },     { 0x20, false },    { 0x7e, false },
        { 0x7f, true },     { 0x9f, true },     { 0xa0, false },    { 0xac, false },
        { 0xad, true },     { 0xae, false },    { 0x5d0, false },   { 0x600, false },
        { 0x605, false },   { 0x61b, false },   { 0x61c, true },    { 0x61d, false },
        { 0x627, false },   { 0x6dd, false },   { 0x180e, true },   { 0x200a, false },
        { 0x200b, true },   { 0x200c, true },   { 0x200d, true },   { 0x200e, true },
        { 0x200f, true },   { 0x2010, false },  { 0x2027, false },  { 0x2028, true },
        { 0x2029, true },   { 0x202a, true },   { 0x202e, true },   { 0x202f, false },
        { 0x205f, false },  { 0x2060, true },   { 0x2066, true },   { 0x2069, true },
        { 0x206f, true },   { 0x2070, false },  { 0xfefe, false },  { 0xfeff, true },
        { 0xff00, false },  { 0xfff9, true },   { 0xfffb, true },   { 0xfffc, false },
        { 0xfffd, false },  { 0x1342f, false }, { 0x13430, true },  { 0x1343f, true },
        { 0x13440, false }, { 0x1f600, false }, { 0x1bca3, true },  { 0x1d173, true },
        { 0xe0001, true },  { 0xe007f, true },  { 0xe0100, false }, { 0x10ffff, false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (utf8_hides(rows[i].code) != rows[i].want)
            fail_msg("U+%04X", rows[i].code);
}

static void messages_are_one_line(void **state)
{
    char *got = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&got, &len);

    (void)state;
    assert_non_null(out);
    print_safe_line(out, "%s: %d files", "a\nb\x1b[2J\\c", 3);
    fclose(out);
    assert_string_equal(got, "a\\x0Ab\\x1B[2J\\c: 3 files\n");
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8),
        cmocka_unit_test(safe_text),
        cmocka_unit_test(what_hides),
        cmocka_unit_test(messages_are_one_line),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
