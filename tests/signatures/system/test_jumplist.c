/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/system/test_jumplist.c - what looks like the categories of a jump list, and has
 * no shortcut: section headers of programs begin so.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

enum { LEN = 8192, HEAD = 12 };

static enum sig_verdict verdict_of(const void *categories, size_t len)
{
    static uint8_t bytes[LEN];

    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, "\2\0\0\0\3\0\0\0\0\0\0\0", HEAD);
    memcpy(bytes + HEAD, categories, len);
    return harness_check(harness_sig("jumplist"), bytes, sizeof bytes).result.verdict;
}

static void test_no_shortcut(void **unused)
{
    (void)unused;
    /* a name of 56 letters, then a number that no mark is */
    assert_int_equal(verdict_of("\0\0\0\0\x38\0", 6), SIG_REJECT);
    /* a known category and its mark, then nothing that is one */
    assert_int_equal(verdict_of("\1\0\0\0\1\0\0\0\xab\xfb\xbf\xba\7\0\0\0", 16), SIG_REJECT);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_no_shortcut) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
