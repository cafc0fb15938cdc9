/* SPDX-License-Identifier: Apache-2.0
 * tests/base/test_varint.c - a number is read alike wherever its bytes end, against a sum of its
 * groups one by one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/varint.h"

enum { LEN_MAX = 12, ROOM = 24 };

static uint64_t seed = 3;

static uint64_t roll(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return seed >> 20;
}

/* As the format says it: false where the number has no end in `size` bytes, or 65 bits and more. */
static bool expected(const uint8_t *bytes, size_t size, size_t *len, uint64_t *value)
{
    *value = 0;
    for (*len = 0; *len < size;) {
        const uint8_t group = bytes[*len] & 0x7f;

        if (*len > 9 || (*len == 9 && bytes[*len] > 1))
            return false;
        *value += (uint64_t)group << (7 * *len);
        if (bytes[(*len)++] < 0x80)
            return true;
    }
    return false;
}

static void a_number_is_the_sum_of_its_groups(void **state)
{
    uint8_t bytes[ROOM];

    (void)state;
    for (int round = 0; round < 20000; round++) {
        const size_t ends = roll() % LEN_MAX;

        for (size_t i = 0; i < ROOM; i++)
            bytes[i] = (uint8_t)(roll() | (i < ends ? 0x80 : 0));
        bytes[ends] &= 0x7f;
        for (size_t size = 0; size <= ROOM; size++) {
            const uint8_t *at = bytes;
            uint64_t value, want;
            size_t len;
            const bool right = expected(bytes, size, &len, &want);

            assert_int_equal(varint_get(&at, bytes + size, &value), right);
            if (!right)
                continue;
            assert_int_equal(value, want);
            assert_ptr_equal(at, bytes + len);
        }
    }
}

static void what_was_written_is_read(void **state)
{
    uint8_t bytes[VARINT_MAX + 8];

    (void)state;
    for (int bit = 0; bit <= 64; bit++) {
        const uint64_t value = bit == 64 ? UINT64_MAX : UINT64_C(1) << bit;
        uint64_t got = 0;

        memset(bytes, 0xff, sizeof bytes);
        const uint8_t *end = varint_put(bytes, value), *at = bytes;
        assert_true(varint_get(&at, end, &got));
        assert_int_equal(got, value);
        assert_ptr_equal(at, end);
        at = bytes; /* others follow */
        assert_true(varint_get(&at, bytes + sizeof bytes, &got));
        assert_int_equal(got, value);
        assert_ptr_equal(at, end);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_is_the_sum_of_its_groups),
        cmocka_unit_test(what_was_written_is_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
