/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/cli/test_near.c - the names that a mistyped word may have been meant for.
 *
 * Distances are worked out by hand; that of kitten and sitting (3) is in every textbook.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "carver/cli/near.h"

static void slips_are_counted(void **state)
{
    static const struct {
        const char *word, *name;
        uint32_t want;
    } rows[] = {
        { "", "", 0 },           { "a", "", 1 },        { "", "abc", 3 },
        { "scan", "scan", 0 },   { "SCAN", "scan", 0 }, { "scn", "scan", 1 },
        { "scann", "scan", 1 },  { "scam", "scan", 1 }, { "sacn", "scan", 1 },
        { "csan", "scan", 1 },   { "scna", "scan", 1 }, { "crave", "carve", 1 },
        { "acvre", "carve", 2 }, { "ca", "abc", 3 },    { "kitten", "sitting", 3 },
        { "list", "carve", 5 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint32_t got = near_distance(rows[i].word, strlen(rows[i].word), rows[i].name);
        const uint32_t back = near_distance(rows[i].name, strlen(rows[i].name), rows[i].word);

        if (got != rows[i].want || back != got)
            fail_msg("%s and %s: %u, and %u the other way round", rows[i].word, rows[i].name, got,
                     back);
    }
}

static void a_slip_in_a_short_word_two_in_a_long_one(void **state)
{
    (void)state;
    assert_true(near_is("lsit", 4, "list"));
    assert_false(near_is("lsti", 4, "list"));
    assert_true(near_is("idnetfiy", 8, "identify"));
    assert_false(near_is("idnetfi", 7, "identify"));
    assert_true(near_is("pngXX", 3, "png")); /* no more than len bytes count */
    assert_false(near_is("", 0, "a"));
}

static void what_is_too_long_is_near_nothing(void **state)
{
    char word[NEAR_WORD_MAX + 2];

    (void)state;
    memset(word, 'a', sizeof word);
    word[NEAR_WORD_MAX + 1] = '\0';
    assert_false(near_is(word, NEAR_WORD_MAX + 1, word));
    assert_false(near_is(word, NEAR_WORD_MAX, word));
    word[NEAR_WORD_MAX] = '\0';
    assert_true(near_is(word, NEAR_WORD_MAX, word));
}

static void the_nearest_is_taken(void **state)
{
    static const char *const names[] = { "scan", "list", "search", "carve", "known" };

    (void)state;
    assert_string_equal(near_best("scarch", 6, names, 5), "search");
    assert_string_equal(near_best("crave", 5, names, 5), "carve");
    assert_string_equal(near_best("serach=3", 6, names, 5), "search");
    assert_null(near_best("zzzzz", 5, names, 5));
    assert_null(near_best("scan", 4, names, 0));
}

static void lists_have_each_name_once(void **state)
{
    char list[NEAR_LIST_MAX] = "";

    (void)state;
    near_add(list, "jpg");
    near_add(list, "pg");
    near_add(list, "");
    near_add(list, "jpg");
    near_add(list, "jp");
    assert_string_equal(list, "jpg, pg, jp");
    for (char name[] = "aaaa"; name[0] <= 'z'; name[0]++)
        for (name[1] = 'a'; name[1] <= 'z'; name[1]++)
            near_add(list, name);
    assert_true(strlen(list) < NEAR_LIST_MAX);
    assert_non_null(strstr(list, "jp, aaaa, abaa"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slips_are_counted),
        cmocka_unit_test(a_slip_in_a_short_word_two_in_a_long_one),
        cmocka_unit_test(what_is_too_long_is_near_nothing),
        cmocka_unit_test(the_nearest_is_taken),
        cmocka_unit_test(lists_have_each_name_once),
    };
    return cmocka_run_group_tests_name("near", tests, NULL, NULL);
}
