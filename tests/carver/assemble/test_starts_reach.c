/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/assemble/test_starts_reach.c - bytes in reach of starts: sums worked out by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "carver/assemble/starts.h"

#define MIB (UINT64_C(1) << 20)
#define TIB (UINT64_C(1) << 40)

static uint64_t reach(const uint64_t *offsets, size_t count, uint64_t image_len)
{
    struct start items[8] = { 0 };
    const struct starts starts = { .items = items, .count = count };

    for (size_t i = 0; i < count; i++)
        items[i].offset = offsets[i];
    return starts_reach(&starts, image_len);
}
#define REACH(image_len, ...)                                                                      \
    reach((const uint64_t[]){ __VA_ARGS__ }, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8, (image_len))

static void a_start_reaches_64_mib(void **state)
{
    (void)state;
    assert_int_equal(reach(NULL, 0, TIB), 0);
    assert_int_equal(REACH(TIB, 0), 64 * MIB);
    assert_int_equal(REACH(TIB, TIB - 512), 512);
    assert_int_equal(REACH(TIB, TIB), 0);
    assert_int_equal(REACH(10 * MIB, 3 * MIB), 7 * MIB);
}

static void what_two_reach_counts_once(void **state)
{
    (void)state;
    assert_int_equal(REACH(TIB, 0, 0, 0), 64 * MIB);
    assert_int_equal(REACH(TIB, 0, MIB, 60 * MIB), 124 * MIB);
    assert_int_equal(REACH(TIB, MIB, 65 * MIB, 300 * MIB), 192 * MIB);
    assert_int_equal(REACH(70 * MIB, 0, MIB, 69 * MIB), 66 * MIB);
    assert_int_equal(REACH(UINT64_MAX, UINT64_MAX - 2 * MIB, UINT64_MAX - MIB), 2 * MIB);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_reaches_64_mib),
        cmocka_unit_test(what_two_reach_counts_once),
    };
    return cmocka_run_group_tests_name("reach of starts", tests, NULL, NULL);
}
