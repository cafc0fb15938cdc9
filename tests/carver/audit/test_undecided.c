/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/audit/test_undecided.c - objects on which rules of YARA came to no end are found by
 * their content, wherever they lie, and by their place; and no more are kept than may be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "carver/audit/undecided.h"

static void add(struct undecided *undecided, const char *value, int64_t id, int64_t image,
                uint64_t offset)
{
    struct undecided_object object = { .id = id, .image_id = image, .offset = offset };
    struct err err;

    snprintf(object.value, sizeof object.value, "%s", value);
    assert_int_equal(undecided_add(undecided, &object, &err), ERR_OK);
}

static void none_is_found_among_none(void **state)
{
    struct undecided undecided = { 0 };

    (void)state;
    undecided_settle(&undecided);
    assert_int_equal(undecided_as(&undecided, "a"), 0);
    assert_int_equal(undecided_at(&undecided, 1, 0), 0);
    undecided_release(&undecided);
}

static void by_content_and_by_place(void **state)
{
    struct undecided undecided = { 0 };

    (void)state;
    for (int i = 999; i >= 0; i--) {
        char value[16];

        snprintf(value, sizeof value, "value %d", i);
        add(&undecided, value, 5000 + i, 1 + i % 2, UINT64_C(1) << 40 | (uint64_t)i);
    }
    add(&undecided, "value 7", 4000, 3, 0); /* the same content elsewhere: an earlier object */
    undecided_settle(&undecided);
    assert_int_equal(undecided_as(&undecided, "value 0"), 5000);
    assert_int_equal(undecided_as(&undecided, "value 999"), 5999);
    const int64_t seven = undecided_as(&undecided, "value 7");
    assert_true(seven == 4000 || seven == 5007);
    assert_int_equal(undecided_as(&undecided, "value"), 0);
    assert_int_equal(undecided_as(&undecided, "value 1000"), 0);
    assert_int_equal(undecided_at(&undecided, 2, UINT64_C(1) << 40 | 501), 5501);
    assert_int_equal(undecided_at(&undecided, 1, UINT64_C(1) << 40 | 501), 0);
    assert_int_equal(undecided_at(&undecided, 3, 0), 4000);
    assert_false(undecided.many);
    undecided_release(&undecided);
    assert_int_equal(undecided.count, 0);
}

static void there_is_a_limit_and_it_is_told(void **state)
{
    struct undecided undecided = { 0 };

    (void)state;
    for (int i = 0; i < UNDECIDED_MAX; i++)
        add(&undecided, "v", 1 + i, 1, (uint64_t)i);
    assert_false(undecided.many);
    add(&undecided, "more", 1 + UNDECIDED_MAX, 1, UNDECIDED_MAX);
    assert_true(undecided.many);
    assert_int_equal(undecided.count, UNDECIDED_MAX);
    undecided_settle(&undecided);
    assert_int_equal(undecided_as(&undecided, "more"), 0);
    undecided_release(&undecided);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_is_found_among_none),
        cmocka_unit_test(by_content_and_by_place),
        cmocka_unit_test(there_is_a_limit_and_it_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
