/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/audit/test_allow.c - allow lists: entries, their last day, and faults with their
 * lines. Seconds of days are those of `date -u -d DAY +%s`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "carver/audit/allow.h"

#define SUM "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

static enum err_code parse(struct allow *allow, const char *text, struct err *err)
{
    *err = (struct err){ 0 };
    return allow_parse(allow, "a", text, strlen(text), err);
}

static void entries_hold_until_their_last_day_is_over(void **state)
{
    struct allow allow = { 0 };
    struct err err;

    (void)state;
    assert_int_equal(parse(&allow,
                           "# comment\n\n"
                           "keys:0123456789abcdef until 2024-02-29   # a leap day  \r\n"
                           "  cards:0123456789abcdef\n" SUM "#picture",
                           &err),
                     ERR_OK);
    assert_int_equal(allow.count, 3);
    const struct allow_entry *keys =
        allow_find(&allow, 1709251199, "keys", "0123456789abcdef", NULL); /* 23:59:59 of that day */
    assert_non_null(keys);
    assert_string_equal(keys->why, "a leap day");
    assert_int_equal(keys->line, 3);
    assert_null(allow_find(&allow, 1709251200, "keys", "0123456789abcdef", NULL));
    assert_null(allow_find(&allow, 0, "keys", "0123456789abcdee", NULL));
    assert_null(allow_find(&allow, 0, "iban", "0123456789abcdef", NULL));
    assert_string_equal(allow_find(&allow, INT64_MAX - 1, "cards", "0123456789abcdef", NULL)->why,
                        "allowed");
    assert_string_equal(allow_find(&allow, 0, "any", "ffffffffffffffff", SUM)->why, "picture");
    assert_null(allow_find(&allow, 0, "any", SUM, NULL));
    allow_release(&allow);
}

static void what_is_no_entry_is_a_fault(void **state)
{
    static const char longer[] = SUM "0\n"; /* than a hash */
    static const char whole[] = "a:" SUM "\n";
    static const char *const texts[] = {
        "keys\n",
        "keys:0123\n",
        "keys:0123456789ABCDEF\n",
        ":0123456789abcdef\n",
        "keys:0123456789abcdef until\n",
        "keys:0123456789abcdef till 2024-01-01\n",
        "keys:0123456789abcdef until 2023-02-29\n",
        "keys:0123456789abcdef until 2024-13-01\n",
        "keys:0123456789abcdef until 2024-1-01x\n",
        "keys:0123456789abcdef until 2024-01-01 x\n",
        longer,
        whole,
        "a-name-of-more-than-thirty-two-bytes:0123456789abcdef\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct allow allow = { 0 };
        char text[256];
        struct err err;

        snprintf(text, sizeof text, "\n%s", texts[i]);
        if (parse(&allow, text, &err) != ERR_INPUT || strncmp(err.text, "a:2: ", 5) != 0)
            fail_msg("%s: %s", texts[i], err.text);
        allow_release(&allow);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_hold_until_their_last_day_is_over),
        cmocka_unit_test(what_is_no_entry_is_a_fault),
    };
    return cmocka_run_group_tests_name("allow lists", tests, NULL, NULL);
}
