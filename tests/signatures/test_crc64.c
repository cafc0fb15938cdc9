/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/test_crc64.c - the CRC-64 of XZ against the published check value and one taken
 * bit by bit, and sums of parts against sums of all bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "signatures/crc64.h"

enum { TEXT = 100000, ROUNDS = 2000 };

static uint8_t text[TEXT];
static uint64_t seed = 1;

static uint64_t roll(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* As ECMA-182 and the XZ file format have it: the lowest bit first, begun with ones, inverted at
 * the end. */
static uint64_t plain(const uint8_t *bytes, size_t len)
{
    uint64_t value = UINT64_MAX;

    for (size_t i = 0; i < len; i++) {
        value ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            value = (value & 1) != 0 ? value >> 1 ^ UINT64_C(0xc96c5795d7870f42) : value >> 1;
    }
    return ~value;
}

static void test_known(void **state)
{
    (void)state;
    /* https://reveng.sourceforge.io/crc-catalogue/all.htm, CRC-64/XZ */
    assert_int_equal(crc64_add(0, (const uint8_t *)"123456789", 9), UINT64_C(0x995dc9bbdf1939fa));
    assert_int_equal(crc64_add(0, text, 0), 0);
    for (size_t len = 0; len < 600; len++)
        assert_int_equal(crc64_add(0, text + len, len), plain(text + len, len));
    assert_int_equal(crc64_add(0, text, TEXT), plain(text, TEXT));
}

static void test_parts(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        const size_t len = roll() % TEXT, cut = roll() % (len + 1),
                     from = roll() % (TEXT - len + 1);
        const uint8_t *bytes = text + from;
        const uint64_t first = crc64_add(0, bytes, cut),
                       second = crc64_add(0, bytes + cut, len - cut);
        const uint64_t whole = crc64_add(0, bytes, len);

        assert_int_equal(crc64_add(first, bytes + cut, len - cut), whole);
        assert_int_equal(crc64_join(first, second, len - cut), whole);
        assert_int_equal(crc64_rest(first, whole, len - cut), second);
    }
}

/* Behind 2^k bytes and 2^k more a CRC counts as behind 2^(k + 1). */
static void test_long(void **state)
{
    (void)state;
    for (int bit = 0; bit < 63; bit++) {
        const uint64_t value = roll(), half = UINT64_C(1) << bit;

        assert_int_equal(crc64_join(crc64_join(value, 0, half), 0, half),
                         crc64_join(value, 0, 2 * half));
    }
    assert_int_equal(crc64_join(5, 7, 0), 5 ^ 7);
}

static void test_multiply(void **state)
{
    const uint64_t one = UINT64_C(1) << 63, x = UINT64_C(1) << 62;

    (void)state;
    assert_int_equal(crc64_multiply(UINT64_C(0x0123456789abcdef), one),
                     UINT64_C(0x0123456789abcdef));
    assert_int_equal(crc64_multiply(1, x), UINT64_C(0xc96c5795d7870f42)); /* x^63 * x */
    for (int round = 0; round < 100 * ROUNDS; round++) {
        const uint64_t a = roll(), b = roll();

        assert_int_equal(crc64_multiply(a, b), crc64_multiply_bits(a, b));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_multiply),
    };

    for (size_t i = 0; i < TEXT; i++)
        text[i] = (uint8_t)roll();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
