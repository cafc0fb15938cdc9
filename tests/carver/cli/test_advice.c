/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/cli/test_advice.c - an error names the option that helps, where the command has it.
 *
 * The real --help texts are asked: a renamed option would take its advice with it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "carver/bench/bench.h"
#include "carver/cli/advice.h"
#include "carver/cli/command.h"

#define COMMAND(name) extern const struct command command_##name;
#include "carver/cli/commands.def"
#undef COMMAND

/* The text of an error after advice for the users of a command. */
static const char *advised(struct err *err, const struct command *command)
{
    advice_append(err, command->options != NULL ? command->options : bench_match_help);
    return err->text;
}

static void memory_is_saved_by_smaller_segments(void **state)
{
    const struct command *const have[] = { &command_scan, &command_search, &command_bench };
    struct err err = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof have / sizeof have[0]; i++) {
        assert_int_equal(ERR_NO_MEMORY(&err, 4096), ERR_ENV);
        assert_string_equal(advised(&err, have[i]),
                            "no memory for 4096 bytes; close other programs; a smaller --segment "
                            "needs less memory");
    }
    assert_int_equal(ERR_NO_MEMORY(&err, 4096), ERR_ENV);
    assert_string_equal(advised(&err, &command_list),
                        "no memory for 4096 bytes; close other programs");
}

static void threads_are_saved_by_the_option_for_them(void **state)
{
    struct err err = { 0 };

    (void)state;
    assert_int_equal(ERR_RAISE_LACK(&err, ERR_LACK_THREADS, "thread 2 of 3"), ERR_ENV);
    err_while(&err, "scanning %s", "a.dd");
    assert_string_equal(advised(&err, &command_scan),
                        "thread 2 of 3, while scanning a.dd; use fewer --threads");
    assert_int_equal(ERR_RAISE_LACK(&err, ERR_LACK_THREADS, "thread 2 of 3"), ERR_ENV);
    assert_string_equal(advised(&err, &command_list), "thread 2 of 3");
}

static void other_errors_stay_as_they_are(void **state)
{
    struct err err = { 0 };

    (void)state;
    assert_int_equal(ERR_NO_MEMORY(&err, 1), ERR_ENV);
    assert_int_equal(ERR_RAISE(&err, ERR_ENV, "disk full"), ERR_ENV);
    assert_string_equal(advised(&err, &command_scan), "disk full");
}

static void a_full_text_is_not_written_past(void **state)
{
    struct err err = { .code = ERR_ENV, .lack = ERR_LACK_MEMORY };

    (void)state;
    memset(err.text, 'x', sizeof err.text - 3);
    assert_int_equal(strlen(advised(&err, &command_scan)), sizeof err.text - 1);
    assert_string_equal(err.text + sizeof err.text - 4, "x; ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_saved_by_smaller_segments),
        cmocka_unit_test(threads_are_saved_by_the_option_for_them),
        cmocka_unit_test(other_errors_stay_as_they_are),
        cmocka_unit_test(a_full_text_is_not_written_past),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
