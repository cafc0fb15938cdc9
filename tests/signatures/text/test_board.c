/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/text/test_board.c - layers of boards (Gerber): where they end.
 *
 * Method: files of a few commands after Ucamco's specification; "M00*" as files of before 2014 have
 * it, which allowed it as an end and before M02.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

#define HEAD "%FSLAX24Y24*%\n%MOIN*%\n%ADD10C,0.01*%\nD10*\nX0Y0D02*\nX100Y0D01*\n"

static void ends(const char *text, size_t len, size_t want)
{
    const struct harness_verdict v =
        harness_check(harness_sig("gerber"), (const uint8_t *)text, len);

    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, want);
}
#define ENDS(text, behind) ends(text behind, sizeof(text behind) - 1, sizeof(text) - 1)

static void a_layer_ends_with_m02(void **state)
{
    (void)state;
    ENDS(HEAD "M02*\n", "\0\0\0\0");
    ENDS(HEAD "M02*\n", "G04 another one*\n");
}

static void an_old_one_ends_with_m00_unless_m02_follows(void **state)
{
    (void)state;
    ENDS(HEAD "M00*\n", "\0\0\0\0");
    ENDS(HEAD "M00*\nM02*\n", "\0\0\0\0");
    ENDS(HEAD "M00*\n", "X0Y0D02*\nM02*\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_layer_ends_with_m02),
        cmocka_unit_test(an_old_one_ends_with_m00_unless_m02_follows),
    };
    return cmocka_run_group_tests_name("board", tests, NULL, NULL);
}
