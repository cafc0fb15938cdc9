/* SPDX-License-Identifier: Apache-2.0
 * tests/base/test_bisect.c - places among items in order, against a look at one item after the
 * other: lists of every length up to 40, with items that are equal, and every place from before
 * the first to behind the last.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bisect.h"

enum { ITEMS = 40, STEP = 3 };

struct item {
    char other;
    uint64_t at;
};

static bool begins(const void *item, uint64_t at)
{
    return ((const struct item *)item)->at <= at;
}

static void it_is_where_a_walk_ends(void **state)
{
    struct item items[ITEMS];

    (void)state;
    for (size_t i = 0; i < ITEMS; i++)
        items[i] = (struct item){ 'x', 5 + i / 2 * STEP }; /* two of each */
    for (size_t count = 0; count <= ITEMS; count++)
        for (uint64_t at = 0; at < 5 + ITEMS * STEP; at++) {
            size_t walked = 0;

            while (walked < count && items[walked].at <= at)
                walked++;
            assert_int_equal(bisect(items, count, sizeof *items, begins, at), walked);
            assert_int_equal(bisect_last(items, count, sizeof *items, begins, at),
                             walked > 0 ? walked - 1 : 0);
            for (size_t from = 0; from <= walked; from++)
                assert_int_equal(bisect_on(items, count, sizeof *items, begins, at, from), walked);
        }
}

static void no_items_have_no_place(void **state)
{
    (void)state;
    assert_int_equal(bisect(NULL, 0, sizeof(struct item), begins, 7), 0);
    assert_int_equal(bisect_last(NULL, 0, sizeof(struct item), begins, 7), 0);
    assert_int_equal(bisect_on(NULL, 0, sizeof(struct item), begins, 7, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_where_a_walk_ends),
        cmocka_unit_test(no_items_have_no_place),
    };

    return cmocka_run_group_tests_name("places among items in order", tests, NULL, NULL);
}
