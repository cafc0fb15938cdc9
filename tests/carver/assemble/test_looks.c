/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/assemble/test_looks.c - what is known of sectors: it is kept beside what is known of
 * others, and forgotten, never taken for another sector's, where the same room is wanted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "carver/assemble/looks.h"

static const uint64_t all = (uint64_t)LOOKS_AT_ONCE * LOOKS_ROOM;

static void it_is_kept(void **state)
{
    struct looks *looks = *state;

    for (uint64_t i = 0; i < 3 * LOOKS_AT_ONCE; i++)
        *looks_of(looks, i) = (uint8_t)(1 + i % 63);
    *looks_of(looks, all - 1) = LOOK_TAKEN;
    for (uint64_t i = 0; i < 3 * LOOKS_AT_ONCE; i++)
        assert_int_equal(*looks_of(looks, i), 1 + i % 63);
    assert_int_equal(*looks_of(looks, all - 1), LOOK_TAKEN);
    assert_int_equal(*looks_of(looks, all - 2), 0);
}

static void what_has_its_room_is_another_sector(void **state)
{
    struct looks *looks = *state;

    *looks_of(looks, 7) = LOOK_TAKEN | LOOK_DENSE;
    assert_int_equal(*looks_of(looks, 7 + all), 0);
    *looks_of(looks, 7 + all) = LOOK_FF_TAKEN;
    assert_int_equal(*looks_of(looks, 7), 0);
    assert_int_equal(*looks_of(looks, 7 + all), 0);
}

static int make(void **state)
{
    struct looks *looks = NULL;
    struct err err;

    if (looks_open(&looks, &err) != ERR_OK)
        return -1;
    *state = looks;
    return 0;
}

static int drop(void **state)
{
    looks_close(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_is_kept, make, drop),
        cmocka_unit_test_setup_teardown(what_has_its_room_is_another_sector, make, drop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
