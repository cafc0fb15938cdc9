/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/select/test_names.c - comma-separated words that choose among a few names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "carver/select/names.h"

static void words_choose_names(void **state)
{
    (void)state;
    assert_true(names_have(NULL, "jpg"));
    assert_true(names_have("png,jpg", "jpg"));
    assert_true(names_have("png,JPG", "jpg"));
    assert_true(names_have("png,All", "jpg"));
    assert_false(names_have("png,jpgx", "jpg"));
    assert_false(names_have("png,jp", "jpg"));
    assert_false(names_have("", "jpg"));
    assert_false(names_have("allx", "jpg"));
}

static void what_is_no_name_is_refused(void **state)
{
    static const char *const names[] = { "good", "bad", "known" };
    static const char *const right[] = { "good", "bad,GOOD,bad", "all", "ALL,known" };
    static const struct {
        const char *list, *text;
    } wrong[] = {
        { "good,goo,bad", "--known: unknown word 'goo'; did you mean 'good'? "
                          "allowed are good, bad, known and all" },
        { "konwn", "--known: unknown word 'konwn'; did you mean 'known'? "
                   "allowed are good, bad, known and all" },
        { "evil", "--known: unknown word 'evil'; allowed are good, bad, known and all" },
        { "good,", "--known: unknown word ''; allowed are good, bad, known and all" },
        { "", "--known: unknown word ''; allowed are good, bad, known and all" },
        { "good,,bad", "--known: unknown word ''; allowed are good, bad, known and all" },
    };
    struct err err = { 0 };

    (void)state;
    assert_int_equal(names_check("--known", NULL, names, 3, &err), ERR_OK);
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++)
        assert_int_equal(names_check("--known", right[i], names, 3, &err), ERR_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(names_check("--known", wrong[i].list, names, 3, &err), ERR_ARG);
        assert_string_equal(err.text, wrong[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_choose_names),
        cmocka_unit_test(what_is_no_name_is_refused),
    };
    return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
