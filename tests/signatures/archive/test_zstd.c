/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/archive/test_zstd.c - blocks that say that they are packed and have no room for
 * it. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

/* RFC 8878: magic, descriptor 0 with a window, one last compressed block of 0 or 1 bytes; 3.1.1.2.3
 * wants two and more. */
static void a_packed_block_has_two_bytes(void **state)
{
    static const uint8_t sizes[] = { 0, 1 };

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint8_t bytes[64] = { 0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, (uint8_t)(0x05 | sizes[i] << 3) };

        assert_int_not_equal(harness_check(harness_sig("zst"), bytes, sizeof bytes).result.verdict,
                             SIG_COMPLETE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_packed_block_has_two_bytes) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
