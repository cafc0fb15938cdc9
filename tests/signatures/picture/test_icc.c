/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/picture/test_icc.c - tables of colour profiles: smooth ones are whole, those
 * with other bytes in them are not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"
#include "tests/signatures/put.h"

enum {
    TAG_AT = 144,
    POINTS = 17,
    OUTPUTS = 3,
    TABLE_HEAD = 52,
    TABLE_LEN = TABLE_HEAD + 2 * (6 + POINTS * POINTS * POINTS * OUTPUTS + 6)
};
enum { PROFILE_LEN = TAG_AT + TABLE_LEN };

/* One tag, a table from three colours to three. */
static void make(uint8_t bytes[PROFILE_LEN])
{
    static const char head[] =
        "\0\0\0\0lcms\2\20\0\0mntrRGB Lab \7\346\0\2\0\14\0\16\0\7\0\52acspAPPL";

    memset(bytes, 0, PROFILE_LEN);
    memcpy(bytes, head, sizeof head - 1);
    put_u32be(bytes, PROFILE_LEN);
    put_u32be(bytes + 128, 1);
    memcpy(bytes + 132, "A2B0", 4);
    put_u32be(bytes + 136, TAG_AT);
    put_u32be(bytes + 140, TABLE_LEN);
    memcpy(bytes + TAG_AT, "mft2\0\0\0\0\3\3\21", 11);
    bytes[TAG_AT + 49] = bytes[TAG_AT + 51] = 2;
    for (uint32_t i = 0; i < POINTS * POINTS * POINTS; i++) {
        const uint32_t at[OUTPUTS] = { i / (POINTS * POINTS), i / POINTS % POINTS, i % POINTS };

        for (uint32_t k = 0; k < OUTPUTS; k++)
            bytes[TAG_AT + TABLE_HEAD + 12 + 2 * (OUTPUTS * i + k)] = (uint8_t)(at[k] * 15);
    }
}

static void tables_are_smooth(void **unused)
{
    static uint8_t bytes[PROFILE_LEN];

    (void)unused;
    make(bytes);
    struct harness_verdict v = harness_check(harness_sig("icc"), bytes, sizeof bytes);
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, PROFILE_LEN);
    for (uint32_t i = 8192, x = 1; i < 8192 + 8192; i++) { /* noise in the middle */
        x = x * 1664525 + 1013904223;
        bytes[i] = (uint8_t)(x >> 24);
    }
    v = harness_check(harness_sig("icc"), bytes, sizeof bytes);
    assert_int_equal(v.result.verdict, SIG_BREAKS);
    make(bytes);
    bytes[TAG_AT + 9] = 0; /* a table without outputs */
    v = harness_check(harness_sig("icc"), bytes, sizeof bytes);
    assert_int_equal(v.result.verdict, SIG_BREAKS);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(tables_are_smooth) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
