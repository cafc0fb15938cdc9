/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/drawing/test_cgm.c - CGM: what a drawing is, and which bytes of programs are
 * none.
 *
 * Method: elements written by hand after ISO/IEC 8632-3; tables of addresses as programs have them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

#define NAME "\0\x25\4test\0"
#define VERSION "\x10\x22\0\1"
#define WORDS "\x11\x66\0\1\xff\xff\0\1" /* list of elements */
#define PICTURE "\0\x63\2p1\0"
#define BODY "\0\x80\x40\x28\0\x0a\0\x0a\1\x2c\1\x2c\0\xa0" /* body, a line, end of the picture */
#define END "\0\x40"

static struct harness_verdict check(const char *bytes, size_t len)
{
    return harness_check(harness_sig("cgm"), (const uint8_t *)bytes, len);
}
#define CHECK(literal) check((literal), sizeof(literal) - 1)

static void a_drawing_leads_to_its_end(void **state)
{
    static const char whole[] = NAME VERSION WORDS PICTURE BODY END;
    const struct harness_verdict v = CHECK(NAME VERSION WORDS PICTURE BODY END "more");

    (void)state;
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, sizeof whole - 1);
    assert_int_equal(CHECK("\0\x20" VERSION WORDS PICTURE BODY END).result.verdict, SIG_COMPLETE);
}

static void one_that_breaks_has_a_picture(void **state)
{
    const struct harness_verdict v = CHECK(NAME VERSION WORDS PICTURE BODY "\xf0\0 and so on");

    (void)state;
    assert_int_equal(v.result.verdict, SIG_BREAKS);
    assert_int_equal(v.result.len, sizeof(NAME VERSION WORDS PICTURE BODY) - 1);
    assert_int_equal(CHECK(NAME VERSION WORDS "\xf0\0 and so on").result.verdict, SIG_REJECT);
}

static void name_version_and_order_must_fit(void **state)
{
    (void)state;
    assert_int_equal(CHECK("\0\x25\3test\0" VERSION WORDS PICTURE BODY END).result.verdict,
                     SIG_REJECT);
    assert_int_equal(CHECK(NAME "\x10\x22\0\5" WORDS PICTURE BODY END).result.verdict, SIG_REJECT);
    assert_int_equal(CHECK(NAME VERSION WORDS BODY END).result.verdict, SIG_REJECT);
}

/* Addresses of 8 bytes, as tables of programs have them. */
static void tables_of_programs_are_none(void **state)
{
    (void)state;
    assert_int_equal(CHECK("\0\x35\x2d\5\0\0\0\0\x08\0\0\0\0\0\0\0\x80\x90\x60\6\0\0\0\0"
                           "\x10\x35\x2d\5\0\0\0\0\x08\0\0\0\0\0\0\0\xd0\xfd\x1d\3\0\0\0\0")
                         .result.verdict,
                     SIG_REJECT);
    assert_int_equal(CHECK("\0\x26\xcb\0\0\0\0\0\x10\x26\xcb\0\0\0\0\0\0\0\0\0\0\0\0\0"
                           "\x4d\x81\x55\1\0\0\0\0\1\0\0\0\0\0\0\0\xc8\x83\x63\1\0\0\0\0")
                         .result.verdict,
                     SIG_REJECT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drawing_leads_to_its_end),
        cmocka_unit_test(one_that_breaks_has_a_picture),
        cmocka_unit_test(name_version_and_order_must_fit),
        cmocka_unit_test(tables_of_programs_are_none),
    };
    return cmocka_run_group_tests_name("cgm", tests, NULL, NULL);
}
