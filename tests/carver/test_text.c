/*
 * tests/carver/test_text.c - what is UTF-8 (the table of RFC 3629, section 4, and Unicode 3.9, table 3-7), and text made safe.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/text.h"

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
        const size_t got = text_utf8(rows[i].bytes, rows[i].len, &code);

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
    put_is(text_put, "caf\xc3\xa9/a b", "caf\xc3\xa9/a b");
    put_is(text_put, "a\tb\nc\x1b[31m", "a\\x09b\\x0Ac\\x1B[31m");
    put_is(text_put, "a\\x09", "a\\x5Cx09");
    put_is(text_put, "\x80\xc2\x9b", "\\x80\\xC2\\x9B");
    put_is(text_put_message, "use \\x41\n", "use \\x41\\x0A");
    put_is(text_put_xml, "a<b>&\"c'", "a&lt;b&gt;&amp;&quot;c'");
    put_is(text_put_xml, "\x01\xff\xef\xbf\xbe\xef\xbf\xbd\\", "\\x01\\xFF\\xEF\\xBF\\xBE\xef\xbf\xbd\\x5C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8),
        cmocka_unit_test(safe_text),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
