/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/archive/test_ace.c - an archive's header of the greatest size that its field can
 * say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

enum { LEN = 1 << 17 };

static void refuses_a_header_of_64_kib(void **state)
{
    uint8_t *bytes = calloc(1, LEN);

    (void)state;
    assert_non_null(bytes);
    memcpy(bytes, "\xcd\x52\xff\xff\0\0\0**ACE**", 14);
    assert_int_equal(harness_check(harness_sig("ace"), bytes, LEN).result.verdict, SIG_REJECT);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(refuses_a_header_of_64_kib) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
