/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/cli/test_args.c - options, sizes, counts, ranges and quoting.
 *
 * Method: tables of words with what they mean, worked out by hand (1K = 1024). Quoted command lines
 * are read back by a shell.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/cli/args.h"

static void sizes(void **state)
{
    static const struct {
        const char *text;
        uint64_t want;
    } good[] = {
        { "0", 0 },
        { "1", 1 },
        { "4096", 4096 },
        { "1K", 1024 },
        { "1k", 1024 },
        { "16M", 16777216 },
        { "2G", 2147483648 },
        { "3T", 3298534883328 },
        { "0x10", 16 },
        { "0xfFK", 261120 },
        { "007", 7 },
        { "18446744073709551615", UINT64_MAX },
        { "16777215T", 16777215ull << 40 },
    };
    static const char *const bad[] = { "",    "K",   "-1", "+1",  " 1",  "1 ",  "1Q",
                                       "1KB", "1.5", "0x", "1K2", "1e3", "1KK", "zehn" };
    static const char *const large[] = { "18446744073709551616", "16777216T",
                                         "99999999999999999999999", "0x10000000000000000" };
    struct err err = { 0 };
    uint64_t got;

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        if (args_size("--segment", good[i].text, 0, UINT64_MAX, &got, &err) != ERR_OK)
            fail_msg("%s: %s", good[i].text, err.text);
        if (got != good[i].want)
            fail_msg("%s is %llu", good[i].text, (unsigned long long)got);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (args_size("--segment", bad[i], 0, UINT64_MAX, &got, &err) != ERR_ARG)
            fail_msg("'%s' is taken for a size", bad[i]);
        assert_non_null(strstr(err.text, "--segment"));
    }
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        if (args_size("--segment", large[i], 0, UINT64_MAX, &got, &err) != ERR_ARG)
            fail_msg("%s fits 64 bits", large[i]);
        assert_non_null(strstr(err.text, "out of range"));
    }
}

static void size_limits_are_named(void **state)
{
    struct err err = { 0 };
    uint64_t got;

    (void)state;
    assert_int_equal(args_size("--segment", "64K", 65536, 64 << 20, &got, &err), ERR_OK);
    assert_int_equal(args_size("--segment", "64M", 65536, 64 << 20, &got, &err), ERR_OK);
    assert_int_equal(args_size("--segment", "65535", 65536, 64 << 20, &got, &err), ERR_ARG);
    assert_string_equal(err.text, "--segment 65535 is out of range: 64K to 64M");
    assert_int_equal(args_size("--segment", "67108865", 65536, 64 << 20, &got, &err), ERR_ARG);
}

static void counts(void **state)
{
    struct err err = { 0 };
    uint64_t got;

    (void)state;
    assert_int_equal(args_count("--threads", "256", 1, 256, &got, &err), ERR_OK);
    assert_int_equal(got, 256);
    assert_int_equal(args_count("--threads", "0", 1, 256, &got, &err), ERR_ARG);
    assert_string_equal(err.text, "--threads 0 is out of range: 1 to 256");
    assert_int_equal(args_count("--threads", "257", 1, 256, &got, &err), ERR_ARG);
    assert_int_equal(args_count("--threads", "4294967297", 1, 256, &got, &err), ERR_ARG);
    assert_int_equal(args_count("--threads", "18446744073709551617", 1, UINT64_MAX, &got, &err),
                     ERR_ARG);
    assert_int_equal(args_count("--threads", "4K", 1, 1 << 20, &got, &err), ERR_ARG);
    assert_string_equal(err.text, "--threads '4K' is not a number");
}

static void ranges(void **state)
{
    static const struct {
        const char *text;
        uint64_t start, len;
    } good[] = {
        { "0:1", 0, 1 },
        { "1G:512M", 1073741824, 536870912 },
        { "0x200:0x10", 512, 16 },
        { "4K:", 4096, UINT64_MAX - 4096 },
        { "4K", 4096, UINT64_MAX - 4096 },
        { "5", 5, UINT64_MAX - 5 },
        { "0", 0, UINT64_MAX },
        { "1:18446744073709551614", 1, UINT64_MAX - 1 },
    };
    static const char *const bad[] = { "",
                                       ":",
                                       ":5",
                                       "x",
                                       "5:x",
                                       ":5:",
                                       "1:0",
                                       "-1:5",
                                       "1:2:3",
                                       "1Q:2",
                                       "1:2Q",
                                       "1:-2",
                                       "1:18446744073709551615",
                                       "18446744073709551616:1" };
    struct err err = { 0 };
    uint64_t start, len;

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        if (args_range("--range", good[i].text, &start, &len, &err) != ERR_OK)
            fail_msg("%s: %s", good[i].text, err.text);
        assert_int_equal(start, good[i].start);
        assert_int_equal(len, good[i].len);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (args_range("--range", bad[i], &start, &len, &err) != ERR_ARG)
            fail_msg("'%s' is taken for a range", bad[i]);
}

enum { OPTION_QUIET = ARGS_LONG };

static const struct args_option table[] = {
    { "out", 'o', "DIR" },
    { "output-json", 'j', NULL },
    { "quiet", OPTION_QUIET, NULL },
    { 0 },
};

static int split(char *line, char **argv)
{
    int argc = 0;

    for (char *word = strtok(line, " "); word != NULL; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    return argc;
}

/* Reads a command line with the table; out is what was seen as text: "o=DIR j | operand". */
static enum err_code read_line(const char *line, char out[256], struct err *err)
{
    char copy[256], *argv[16];
    struct args args;
    const char *value;
    char **operands;
    int id = 0, count = 0;
    size_t at = 0;
    enum err_code rc;

    snprintf(copy, sizeof copy, "%s", line);
    const int argc = split(copy, argv);
    args_begin(&args, "carve", table, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END) {
        at += (size_t)snprintf(out + at, 256 - at, "%s",
                               id == OPTION_QUIET ? "quiet"
                               : id == 'o'        ? "o"
                                                  : "j");
        at += (size_t)snprintf(out + at, 256 - at, value != NULL ? "=%s " : "%s ",
                               value != NULL ? value : "");
    }
    if (rc == ERR_OK)
        rc = args_operands(&args, 1, 2, "CASE", &operands, &count, err);
    at += (size_t)snprintf(out + at, 256 - at, "|");
    for (int i = 0; rc == ERR_OK && i < count; i++)
        at += (size_t)snprintf(out + at, 256 - at, " %s", operands[i]);
    return rc;
}

static void names_of_files_are_neither_empty_nor_standard_input(void **state)
{
    struct err err = { 0 };

    (void)state;
    assert_int_equal(args_file("IMAGE", "disk.img", &err), ERR_OK);
    assert_int_equal(args_file("IMAGE", "./-", &err), ERR_OK);
    assert_int_equal(args_file("IMAGE", "--", &err), ERR_OK);
    assert_int_equal(args_file("IMAGE", "", &err), ERR_ARG);
    assert_string_equal(err.text, "IMAGE: the name is empty");
    assert_int_equal(args_file("--known", "-", &err), ERR_ARG);
    assert_non_null(strstr(err.text, "--known '-': standard input can be read only once"));
}

static void options_and_operands(void **state)
{
    static const char *const rows[][2] = {
        { "carve --out d case", "o=d | case" },
        { "carve --out=d case", "o=d | case" },
        { "carve -o d case", "o=d | case" },
        { "carve -od case", "o=d | case" },
        { "carve case --out d --quiet", "o=d quiet | case" },
        { "carve -jo d a b", "j o=d | a b" },
        { "carve --outp case", "j | case" },
        { "carve --q -- --out", "quiet | --out" },
        { "carve -", "| -" },
    };
    char out[256];
    struct err err = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (read_line(rows[i][0], out, &err) != ERR_OK)
            fail_msg("%s: %s", rows[i][0], err.text);
        assert_string_equal(out, rows[i][1]);
    }
}

static void wrong_options_are_named(void **state)
{
    static const char *const rows[][2] = {
        { "carve --bogus case", "unknown option --bogus; try 'burin carve --help'" },
        { "carve --bogus=3 case", "unknown option --bogus=3; try 'burin carve --help'" },
        { "carve --bogus=out case", "unknown option --bogus=out; try 'burin carve --help'" },
        { "carve --quite case",
          "unknown option --quite; did you mean --quiet? see 'burin carve --help'" },
        { "carve --uot=d case",
          "unknown option --uot=d; did you mean --out? see 'burin carve --help'" },
        { "carve --hepl case",
          "unknown option --hepl; did you mean --help? see 'burin carve --help'" },
        { "carve -x case", "unknown option -x; try 'burin carve --help'" },
        { "carve -jx case", "unknown option -x; try 'burin carve --help'" },
        { "carve --ou case", "option --ou is ambiguous; try 'burin carve --help'" },
        { "carve case --out", "--out needs a value: --out DIR" },
        { "carve case -o", "--out needs a value: --out DIR" },
        { "carve --quiet=3 case", "--quiet takes no value" },
        { "carve", "CASE is missing; try 'burin carve --help'" },
        { "carve a b c", "unexpected word 'c'; try 'burin carve --help'" },
    };
    char out[256];
    struct err err = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(read_line(rows[i][0], out, &err), ERR_ARG);
        assert_string_equal(err.text, rows[i][1]);
    }
}

static void the_word_that_is_missing_is_named(void **state)
{
    static char *const lines[][4] = { { "cat", NULL }, { "cat", "case", NULL } };
    static const char *const wants[] = { "CASE ID is missing; try 'burin cat --help'",
                                         "ID is missing; try 'burin cat --help'" };

    (void)state;
    for (int i = 0; i < 2; i++) {
        char *argv[4];
        struct args args;
        struct err err = { 0 };
        const char *value;
        char **operands;
        int id, count;

        memcpy(argv, lines[i], sizeof argv);
        args_begin(&args, "cat", table, i + 1, argv);
        assert_int_equal(args_next(&args, &id, &value, &err), ERR_OK);
        assert_int_equal(args_operands(&args, 2, 2, "CASE ID", &operands, &count, &err), ERR_ARG);
        assert_string_equal(err.text, wants[i]);
    }
}

static void words_of_lists(void **state)
{
    const char *list = "1,,16M,longer,";
    char word[5];

    (void)state;
    assert_true(args_word(&list, word, sizeof word));
    assert_string_equal(word, "1");
    assert_true(args_word(&list, word, sizeof word));
    assert_string_equal(word, "");
    assert_true(args_word(&list, word, sizeof word));
    assert_string_equal(word, "16M");
    assert_true(args_word(&list, word, sizeof word));
    assert_string_equal(word, "long");
    assert_false(args_word(&list, word, sizeof word));
    assert_false(args_word(&list, word, sizeof word));
}

/* A shell must read the same words back, NUL-separated. */
static void quoted_words_are_read_back_by_a_shell(void **state)
{
    char *argv[] = { "scan", "--case",    "a b", "it's",        "$HOME `x` \\ \"q\" *",
                     "",     "new\nline", "-",   "caf\xc3\xa9", "\x80" };
    enum { WORDS = sizeof argv / sizeof argv[0] };
    char line[512], command[1024], got[512];

    (void)state;
    args_quote(WORDS, argv, line, sizeof line);
    assert_int_equal(strncmp(line, "burin scan --case 'a b' ", 24), 0);
    snprintf(command, sizeof command, "burin() { printf '%%s\\0' \"$@\"; }\n%s", line);
    assert_int_equal(setenv("QUOTED", command, 1), 0);
    FILE *shell = popen("sh -c 'eval \"$QUOTED\"'", "r");
    assert_non_null(shell);
    const size_t len = fread(got, 1, sizeof got, shell);
    assert_int_equal(pclose(shell), 0);
    size_t at = 0;
    for (size_t i = 0; i < WORDS; i++) {
        assert_true(at < len);
        assert_string_equal(got + at, argv[i]);
        at += strlen(argv[i]) + 1;
    }
    assert_int_equal(at, len);
}

static void quoting_that_does_not_fit_says_so(void **state)
{
    char *argv[] = { "scan", "abcdefghijklmnopqrstuvwxyz" };
    char line[16];

    (void)state;
    memset(line, 'x', sizeof line);
    args_quote(2, argv, line, sizeof line);
    assert_true(memchr(line, '\0', sizeof line) != NULL);
    assert_string_equal(line + strlen(line) - 4, " ...");
    assert_int_equal(strncmp(line, "burin scan", 10), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(size_limits_are_named),
        cmocka_unit_test(counts),
        cmocka_unit_test(ranges),
        cmocka_unit_test(names_of_files_are_neither_empty_nor_standard_input),
        cmocka_unit_test(options_and_operands),
        cmocka_unit_test(wrong_options_are_named),
        cmocka_unit_test(the_word_that_is_missing_is_named),
        cmocka_unit_test(words_of_lists),
        cmocka_unit_test(quoted_words_are_read_back_by_a_shell),
        cmocka_unit_test(quoting_that_does_not_fit_says_so),
    };
    return cmocka_run_group_tests_name("args", tests, NULL, NULL);
}
