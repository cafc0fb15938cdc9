/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/cli/test_devices_option.c - --devices LIST: what is understood, and what is refused
 * with a reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "carver/cli/devices.h"
#include "match/matcher.h"

static void lists_become_masks(void **state)
{
    static const struct {
        const char *text;
        uint32_t mask;
    } good[] = { { "0", 1 },     { "3", 8 },      { "0,1,2", 7 },
                 { "2,0", 5 },   { "15", 32768 }, { "all", MATCH_DEVICES_ALL },
                 { "cuda1", 2 }, { "cuda0,1", 3 } };
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        uint32_t mask = 0;

        assert_int_equal(devices_read(good[i].text, &mask, &err), ERR_OK);
        assert_int_equal(mask, good[i].mask);
    }
}

static void what_is_no_list_is_refused(void **state)
{
    static const char *const bad[] = { "",    ",",    "0,",   ",0",
                                       "x",   "-1",   "16",   "99999999999999999999",
                                       "0 1", "0, 1", "cuda", "cuda16",
                                       "All", "0;1",  "+1",   "0x1" };
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint32_t mask = 0;

        assert_int_equal(devices_read(bad[i], &mask, &err), ERR_ARG);
        assert_non_null(strstr(err.text, "write \"all\", or numbers from 0 to 15"));
    }
    uint32_t mask = 0;
    assert_int_equal(devices_read("1,0,1", &mask, &err), ERR_ARG);
    assert_non_null(strstr(err.text, "device 1 is named twice"));
}

static void devices_that_are_not_there_are_refused(void **state)
{
    struct err err;

    (void)state;
    if (match_device_count() > 15)
        skip();
    assert_int_equal(devices_check("15", 1 << 15, &err), ERR_ENV);
    assert_non_null(strstr(err.text, "--devices 15: there is no"));
    assert_int_equal(devices_check("all", MATCH_DEVICES_ALL, &err), ERR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_become_masks),
        cmocka_unit_test(what_is_no_list_is_refused),
        cmocka_unit_test(devices_that_are_not_there_are_refused),
    };
    return cmocka_run_group_tests_name("--devices", tests, NULL, NULL);
}
