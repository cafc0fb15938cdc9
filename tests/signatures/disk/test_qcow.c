/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/disk/test_qcow.c - versions of a virtual disk that do not exist. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

/* The header grew with version 2: of any other number only as much as of version 1 may be read. */
static void refuses_other_versions(void **state)
{
    static const uint8_t versions[] = { 0, 4, 255 };

    (void)state;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        uint8_t bytes[48] = "QFI\xfb";

        bytes[7] = versions[i];
        assert_int_equal(harness_check(harness_sig("qcow2"), bytes, sizeof bytes).result.verdict,
                         SIG_REJECT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(refuses_other_versions) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
