/* SPDX-License-Identifier: Apache-2.0
 * tests/base/test_two_bytes.c - pairs of bytes, against a look at one place after the other: bytes
 * of three values, from every place of the first hundred on, up to every end around the widths that
 * are compared at a time; and one pair alone at each place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/two_bytes.h"

enum { LEN = 300, FROMS = 100 };

/* The bytes end where memory does that may be read. */
static uint8_t *exactly(uint64_t seed, uint32_t values)
{
    uint8_t *bytes = malloc(LEN + 1);

    assert_non_null(bytes);
    for (size_t i = 0; i <= LEN; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        bytes[i] = (uint8_t)((seed >> 33) % values);
    }
    return bytes;
}

static const uint8_t *walk(const uint8_t *at, const uint8_t *end, uint8_t a, uint8_t b, uint8_t c)
{
    for (; at < end; at++)
        if (at[0] == a && (at[1] == b || at[1] == c))
            return at;
    return NULL;
}

static void two_bytes_are_where_a_walk_meets_it(void **state)
{
    (void)state;
    for (uint32_t values = 3; values < 60; values += 8) {
        uint8_t *bytes = exactly(values, values);

        for (size_t from = 0; from < FROMS; from++)
            for (size_t to = from; to <= LEN; to += from % 7 + 1) {
                const uint8_t *at = bytes + from, *end = bytes + to;

                assert_ptr_equal(two_bytes_find(at, end, 1, 2, 2), walk(at, end, 1, 2, 2));
                assert_ptr_equal(two_bytes_find(at, end, 1, 0, 2), walk(at, end, 1, 0, 2));
                assert_ptr_equal(two_bytes_find(at, end, 0, 0, 0), walk(at, end, 0, 0, 0));
            }
        free(bytes);
    }
}

static void the_last_place_may_be_the_one(void **state)
{
    uint8_t *bytes = exactly(1, 1);

    (void)state;
    for (size_t at = 0; at < LEN; at++) {
        bytes[at] = 0xff;
        bytes[at + 1] = 0x80;
        assert_ptr_equal(two_bytes_find(bytes, bytes + LEN, 0xff, 0x80, 0x80), bytes + at);
        assert_ptr_equal(two_bytes_find(bytes, bytes + LEN, 0xff, 0x81, 0x80), bytes + at);
        assert_null(two_bytes_find(bytes, bytes + at, 0xff, 0x80, 0x80));
        assert_null(two_bytes_find(bytes, bytes + LEN, 0xff, 0x81, 0x81));
        bytes[at] = bytes[at + 1] = 0;
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_bytes_are_where_a_walk_meets_it),
        cmocka_unit_test(the_last_place_may_be_the_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
