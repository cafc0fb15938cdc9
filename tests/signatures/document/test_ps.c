/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/document/test_ps.c - where programs end, by hand from the document structuring
 * conventions: embedded documents, binary data, no %%EOF. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

#define PS "%!PS-Adobe-3.0\n%%Title: (t)\n%%EndComments\n"
#define EPS "%!PS-Adobe-3.0 EPSF-3.0\n%%Title: (t)\n%%EndComments\n"

struct ps_case {
    const char *type, *program;
    size_t len;
    const char *behind;
    size_t behind_len;
};
#define PROGRAM(literal) (literal), sizeof(literal) - 1

static void ends_of_programs(void **unused)
{
    static const struct ps_case cases[] = {
        { "ps", PROGRAM(PS "showpage\n%%EOF\n"), PROGRAM("") },
        { "ps", PROGRAM(PS "showpage\r%%EOF"), PROGRAM("\0\0\0\0\0\0\0\0") },
        { "ps", PROGRAM(PS "showpage\n%%EOF\n\x04"), PROGRAM("\x04") },
        { "ps", PROGRAM("\x04" PS "showpage\n%%EOF\n"), PROGRAM(PS) },
        { "eps",
          PROGRAM(EPS "%%BeginDocument: (x)\n" EPS "%%EOF\n%%EndDocument\nshowpage\n%%EOF\n"),
          PROGRAM("x") },
        { "eps", PROGRAM(EPS "%%BeginBinary: 12\n\0\x01\n%%EOF\n\x02\0\n\n%%EndBinary\n%%EOF\n"),
          PROGRAM("x") },
        { "eps", PROGRAM(EPS "%%BeginData: 4 Binary Bytes\r\n\0\0\0\0\r\n%%EndData\r\n%%EOF\r\n"),
          PROGRAM("x") },
        { "eps", PROGRAM(EPS "%%BeginData: 1 Hex Lines\n00ff\n%%EndData\n%%EOF\n"), PROGRAM("x") },
        { "ps", PROGRAM(PS "%%Pages: 2\n%%Page: i 1\n%%Page: (ii) 2\n%%EOF\n"), PROGRAM("x") },
        { "ps", PROGRAM(PS "%%Pages: (atend)\n%%Page: 1 1\n%%Trailer\n%%Pages: 1\n%%EOF\n"),
          PROGRAM("x") },
        { "ps", PROGRAM(PS "%%A\nnewpath\nshowpage\n"), PROGRAM("\0\0\0\0\0\0\0\0") },
        { "ai",
          PROGRAM("%!PS-Adobe-3.0\n%%Creator: Adobe Illustrator(R) "
                  "10\n%%EOF\n%AI9_Begin\n%%EOF\n%AI9_PrivateDataEnd\n"),
          PROGRAM("x") },
    };
    char bytes[1024];

    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct ps_case *c = &cases[i];

        memcpy(bytes, c->program, c->len);
        memcpy(bytes + c->len, c->behind, c->behind_len);
        assert_true(harness_header_matches(harness_sig("ps"), (const uint8_t *)bytes, c->len));
        const struct harness_verdict v =
            harness_check(harness_sig("ps"), (const uint8_t *)bytes, c->len + c->behind_len);
        if (v.result.verdict != SIG_COMPLETE || v.result.len != c->len ||
            strcmp(v.type->name, c->type) != 0)
            fail_msg("%zu: %s: %d, %zu of %zu, %s: %s", i, c->program, v.result.verdict,
                     (size_t)v.result.len, c->len, v.type->name, v.result.why);
    }
}

static void what_is_not_whole(void **unused)
{
    static const struct {
        const char *program;
        size_t len;
    } cases[] = {
        { PROGRAM(PS) },
        { PROGRAM("%!PS-AdobeFont-1.0: x\n%%EOF\n\0") },
        { PROGRAM(PS "%%Page: 1 1\n%%Page: 3 3\n%%EOF\n") },
        { PROGRAM(PS "%%Pages: 2\n%%Page: 1 1\n%%EOF\n") },
        { PROGRAM(PS "%%Pages: 1\n%%Page: 1 1\nshowpage\n") },
        { PROGRAM(
            EPS "%%BeginBinary: "
                "12\n\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\n%%EndBinary\n%%EOF\n") },
        { PROGRAM(EPS "\x01\x02\n%%EOF\n") },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct harness_verdict v =
            harness_check(harness_sig("ps"), (const uint8_t *)cases[i].program, cases[i].len);
        if (v.result.verdict == SIG_COMPLETE)
            fail_msg("%s: %d", cases[i].program, v.result.verdict);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(ends_of_programs),
                                        cmocka_unit_test(what_is_not_whole) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
