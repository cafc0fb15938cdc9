/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/archive/test_compress.c - where the codes of a Z file seem to end. A file is
 * made of codes of nine bits: a byte each, as compress would write a text without any two bytes
 * that come twice.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

enum { LEN = 2048, HEAD = 3, CODE_BITS = 9, CODES = 200 };

/* The header and codes 1, 2, 3 ... of nine bits; what follows the codes is zeros. Returns the
 * length with the last code. */
static size_t make(uint8_t bytes[LEN])
{
    memset(bytes, 0, LEN);
    memcpy(bytes, "\x1f\x9d\x90", HEAD);
    for (uint32_t i = 0; i < CODES; i++)
        for (uint32_t bit = 0; bit < CODE_BITS; bit++)
            bytes[HEAD + (i * CODE_BITS + bit) / 8] |=
                (uint8_t)(((i + 1) >> bit & 1) << (i * CODE_BITS + bit) % 8);
    return HEAD + (CODES * CODE_BITS + 7) / 8;
}

static void ends_at_zeros_up_to_the_sector(void **state)
{
    uint8_t bytes[LEN];
    const size_t len = make(bytes);
    const struct harness_verdict v = harness_check(harness_sig("z"), bytes, LEN);

    (void)state;
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, len);
}

/* The rest of the sector is asked for in steps, and each time the group that seems to end the file
 * is read again. */
static void breaks_at_other_data_behind_the_zeros(void **state)
{
    uint8_t bytes[LEN];
    const size_t len = make(bytes);

    (void)state;
    bytes[len + 40] = 1;
    const struct harness_verdict v = harness_check(harness_sig("z"), bytes, LEN);
    assert_int_equal(v.result.verdict, SIG_BREAKS);
    assert_int_equal(v.result.len, len);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_at_zeros_up_to_the_sector),
        cmocka_unit_test(breaks_at_other_data_behind_the_zeros),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
