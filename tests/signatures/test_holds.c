/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/test_holds.c - a member of an archive is known by the bytes before it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

enum { AR_HEAD = 60 };
static const char plain[] = "member.o/       0           0     0     100644  5000      `\n";
static const char bsd[] = "#1/20           0           0     0     100644  5000      `\n";

static void ar_members(void **unused)
{
    const struct sig *sig = harness_sig("ar");
    uint8_t before[SIG_BEFORE] = { 0 };

    (void)unused;
    assert_false(sig->holds(before));
    memcpy(before + sizeof before - AR_HEAD, plain, AR_HEAD);
    assert_true(sig->holds(before));
    before[sizeof before - 1] = ' ';
    assert_false(sig->holds(before));
    memset(before, 0, sizeof before); /* a header that ends earlier is no header of this file */
    memcpy(before + sizeof before - AR_HEAD - 20, plain, AR_HEAD);
    assert_false(sig->holds(before));
    memcpy(before + sizeof before - AR_HEAD - 20, bsd,
           AR_HEAD); /* but for BSD's, whose names follow */
    assert_true(sig->holds(before));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(ar_members) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
