/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/text/test_rtf.c - braces, escapes, binary data and the NUL of WordPad; by hand
 * from the specification. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

#define RTF "{\\rtf1\\ansi{\\fonttbl\\f0 x;}"
#define LITERAL(literal) (literal), sizeof(literal) - 1

static void ends_of_documents(void **unused)
{
    static const struct {
        const char *file;
        size_t len;
        const char *behind;
        size_t behind_len;
    } cases[] = {
        { LITERAL(RTF "\\pard text}"), LITERAL("text behind it") },
        { LITERAL(RTF "\\pard text}\n"), LITERAL("\0\0\0") },
        { LITERAL(RTF "\\pard \\} \\{ \\\\}"), LITERAL("}") },
        { LITERAL(RTF "{\\*\\x\\bin4 \0}}{\\par}}"), LITERAL("}") },
        { LITERAL(RTF "{\\*\\generator Riched20 10.0;}\\pard\r\n}\r\n\0"), LITERAL("\0\0\0") },
        { LITERAL(RTF "\\pard}\r\n"), LITERAL("\0\0\0") },
        { LITERAL(RTF "\\pard}\r\n\0"), LITERAL("x") },
    };
    char bytes[512];

    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memcpy(bytes, cases[i].file, cases[i].len);
        memcpy(bytes + cases[i].len, cases[i].behind, cases[i].behind_len);
        const struct harness_verdict v = harness_check(harness_sig("rtf"), (const uint8_t *)bytes,
                                                       cases[i].len + cases[i].behind_len);
        if (v.result.verdict != SIG_COMPLETE || v.result.len != cases[i].len)
            fail_msg("%zu: %d, %zu of %zu: %s", i, v.result.verdict, (size_t)v.result.len,
                     cases[i].len, v.result.why);
    }
}

static void what_is_none(void **unused)
{
    static const char *const texts[] = { "{\\rtf1}", "{\\rtf1\\a\\b\\c}", RTF "\\pard text",
                                         "{\\rtfx\\par\\par\\par}", RTF "\\par{\x01}}" };

    (void)unused;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_int_equal(
            harness_check(harness_sig("rtf"), (const uint8_t *)texts[i], strlen(texts[i]))
                .result.verdict,
            SIG_REJECT);
}

/* Other text in the gap between two pieces of a document. */
static void much_text_without_a_control_word_breaks_it(void **unused)
{
    static char bytes[12000];
    size_t len = strlen(RTF);

    (void)unused;
    memcpy(bytes, RTF, len);
    while (len < 3000) {
        memcpy(bytes + len, "\\par and on ", 12);
        len += 12;
    }
    memset(bytes + len, 'x', sizeof bytes - len);
    bytes[sizeof bytes - 1] = '}';
    const struct harness_verdict v =
        harness_check(harness_sig("rtf"), (const uint8_t *)bytes, sizeof bytes);
    assert_int_equal(v.result.verdict, SIG_BREAKS);
    assert_in_range(v.result.len, len - 16, len + 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_of_documents),
        cmocka_unit_test(what_is_none),
        cmocka_unit_test(much_text_without_a_control_word_breaks_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
