/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/conf/test_conf.c - what the columns of a configuration file become, and which
 * files are refused.
 *
 * Goal: the grammar that Scalpel and foremost share, and nothing unsafe. Method: tables of text and
 * of values worked out by hand from the tools' behaviour.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "signatures/conf.h"

static enum err_code parse(const char *text, size_t len, enum sig_compat compat,
                           struct sig_conf *conf, struct err *err)
{
    char *copy = malloc(len + 1); /* exactly len bytes for ASan, but one for malloc(0) */

    memcpy(copy, text, len);
    const enum err_code rc = sig_conf_parse("t.conf", copy, len, compat, conf, err);
    free(copy); /* nothing may point into the text */
    return rc;
}

static void parse_ok(const char *text, enum sig_compat compat, struct sig_conf *conf)
{
    struct err err = { 0 };

    if (parse(text, strlen(text), compat, conf, &err) != ERR_OK)
        fail_msg("%s: %s", text, err.text);
}

#define BYTES(literal) literal, sizeof(literal) - 1

static const struct {
    const char *token, *bytes;
    uint32_t len;
} escapes[] = {
    { "abc", BYTES("abc") },
    { "\\\\", BYTES("\\") },
    { "\\a\\s\\n\\r\\t\\v.", BYTES("\a \n\r\t\v.") },
    { "\\x00\\xfF\\x4a", BYTES("\0\xffJ") },
    { "\\X41", BYTES("\\X41") }, /* lower-case x only */
    { "\\000\\101\\377", BYTES("\0A\xff") },
    { "\\040", BYTES(" ") },
    { "\\I", BYTES("\\I") },
    { "\\f", BYTES("\\f") },
    { "a\\", BYTES("a\\") },
    { "\\xZZ", BYTES("xZZ") },
    { "\\x4", BYTES("x4") },
    { "\\x", BYTES("x") },
    { "\\189", BYTES("189") },
    { "\\18", BYTES("18") },
    { "\\0", BYTES("0") },
    { "\\400", BYTES("\\400") },
    { "\\45", BYTES("\\45") },
    { "\\x411", BYTES("A1") },
    { "\\1011", BYTES("A1") },
    { "\\\\x41", BYTES("\\x41") },
    { "\\x4F\\123\\I\\sCCI", BYTES("OS\\I CCI") },
    { "-----BEGIN\\040PGP", BYTES("-----BEGIN PGP") },
};

static void escapes_become_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++)
        for (enum sig_compat compat = SIG_COMPAT_NONE; compat <= SIG_COMPAT_FOREMOST; compat++) {
            struct sig_conf conf;
            char text[256];

            snprintf(text, sizeof text, "a y 100 %s %s\n", escapes[i].token, "F");
            parse_ok(text, compat, &conf);
            assert_int_equal(conf.rule_count, 1);
            if (conf.rules[0].headers[0].len != escapes[i].len ||
                memcmp(conf.rules[0].headers[0].bytes, escapes[i].bytes, escapes[i].len) != 0)
                fail_msg("%s: %u bytes", escapes[i].token, conf.rules[0].headers[0].len);
            assert_null(conf.rules[0].headers[0].mask);
            sig_conf_release(&conf);
            snprintf(text, sizeof text, "a y 100 H %s",
                     escapes[i].token); /* as a footer, and without a line end */
            parse_ok(text, compat, &conf);
            if (compat != SIG_COMPAT_FOREMOST || escapes[i].bytes[0] != '\0') {
                assert_int_equal(conf.rules[0].footer.len, escapes[i].len);
                assert_memory_equal(conf.rules[0].footer.bytes, escapes[i].bytes, escapes[i].len);
            } else {
                assert_int_equal(conf.rules[0].footer.len, 0);
            }
            sig_conf_release(&conf);
        }
}

static const struct {
    const char *token;
    enum sig_compat compat;
    uint64_t min, max;
} sizes[] = {
    { "100", SIG_COMPAT_NONE, 0, 100 },
    { "+7", SIG_COMPAT_NONE, 0, 7 },
    { "1K", SIG_COMPAT_NONE, 0, 1 },
    { "0x10", SIG_COMPAT_NONE, 0, 0 },
    { "x", SIG_COMPAT_NONE, 0, 0 },
    { "5:100", SIG_COMPAT_NONE, 5, 100 },
    { "5:100", SIG_COMPAT_SCALPEL, 5, 100 },
    { "5:100", SIG_COMPAT_FOREMOST, 0, 5 },
    { "5K:100M", SIG_COMPAT_NONE, 5, 100 },
    { ":100", SIG_COMPAT_NONE, 0, 100 },
    { "5:", SIG_COMPAT_NONE, 5, 0 },
    { "100:5", SIG_COMPAT_NONE, 100, 5 },
    { "9223372036854775807", SIG_COMPAT_NONE, 0, INT64_MAX },
    { "00000000000000000000000000012", SIG_COMPAT_NONE, 0, 12 },
    { "2147483647", SIG_COMPAT_FOREMOST, 0, 2147483647 },
};

static void sizes_are_read_digit_by_digit(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct sig_conf conf;
        char text[256];

        snprintf(text, sizeof text, "a y %s HEAD\n", sizes[i].token);
        parse_ok(text, sizes[i].compat, &conf);
        if (conf.rules[0].size_min != sizes[i].min || conf.rules[0].size_max != sizes[i].max)
            fail_msg("%s: %lu:%lu", sizes[i].token, conf.rules[0].size_min, conf.rules[0].size_max);
        sig_conf_release(&conf);
    }
}

static const struct {
    const char *token;
    enum sig_compat compat;
    enum sig_mode mode;
} modes[] = {
    { "", SIG_COMPAT_NONE, SIG_FORWARD },
    { "REVERSE", SIG_COMPAT_NONE, SIG_REVERSE },
    { "reverse", SIG_COMPAT_SCALPEL, SIG_REVERSE },
    { "REVERSEx", SIG_COMPAT_NONE, SIG_REVERSE },
    { "REVERS", SIG_COMPAT_NONE, SIG_FORWARD },
    { "NEXT", SIG_COMPAT_NONE, SIG_NEXT },
    { "NextFoo", SIG_COMPAT_NONE, SIG_NEXT },
    { "FORWARD", SIG_COMPAT_NONE, SIG_FORWARD },
    { "FORWARD_NEXT", SIG_COMPAT_NONE, SIG_FORWARD },
    { "comment", SIG_COMPAT_NONE, SIG_FORWARD },
    { "ASCII", SIG_COMPAT_NONE, SIG_ASCII },
    { "ascii", SIG_COMPAT_FOREMOST, SIG_ASCII },
    { "ASCII", SIG_COMPAT_SCALPEL, SIG_FORWARD },
};

static void types_are_prefixes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        struct sig_conf conf;
        char text[256];

        snprintf(text, sizeof text, "a y 100 HEAD FOOT %s\n", modes[i].token);
        parse_ok(text, modes[i].compat, &conf);
        if (conf.rules[0].mode != modes[i].mode)
            fail_msg("%s: mode %d", modes[i].token, conf.rules[0].mode);
        sig_conf_release(&conf);
    }
}

static void a_rule_is_a_whole_signature(void **state)
{
    struct sig_conf conf;

    (void)state;
    parse_ok("# comment\n\n\t  # indented\n  wildcard *\n\tjpg\tN 5:10\t\\xff*A?  /x[0-9]+/ "
             "REVERSE more\r\n",
             SIG_COMPAT_NONE, &conf);
    assert_int_equal(conf.rule_count, 1);
    const struct sig *rule = &conf.rules[0];
    assert_string_equal(rule->name, "jpg");
    assert_string_equal(rule->types[0].name, "jpg");
    assert_string_equal(rule->types[0].extension, "jpg");
    assert_null(rule->types[1].name);
    assert_string_equal(rule->what, "rule in line 5");
    assert_string_equal(rule->source, "t.conf");
    assert_int_equal(rule->line, 5);
    assert_int_equal(rule->flags, SIG_FROM_CONF | SIG_NO_CASE | SIG_REGEX_FOOTER);
    assert_int_equal(rule->mode, SIG_REVERSE);
    assert_int_equal(rule->headers[0].len, 4);
    assert_memory_equal(rule->headers[0].bytes, "\xff*A?", 4);
    assert_memory_equal(rule->headers[0].mask, "\xff\x00\xff\xff", 4);
    assert_int_equal(rule->headers[1].len, 0);
    assert_int_equal(rule->footer.len, 7);
    assert_memory_equal(rule->footer.bytes, "x[0-9]+", 7);
    assert_null(rule->footer.mask);
    assert_null(rule->check);
    sig_conf_release(&conf);
}

static void the_last_wildcard_holds_for_all(void **state)
{
    struct sig_conf conf;

    (void)state;
    parse_ok("a y 9 A?*\nwildcard *\nb y 9 A?*\nWildCard \\x3fzz\nwildcard\n", SIG_COMPAT_NONE,
             &conf);
    assert_int_equal(conf.rule_count, 2);
    assert_memory_equal(conf.rules[0].headers[0].mask, "\xff\x00\xff", 3);
    assert_memory_equal(conf.rules[1].headers[0].mask, "\xff\x00\xff", 3);
    sig_conf_release(&conf);
    parse_ok("wildcards y 9 wildcard\n", SIG_COMPAT_NONE,
             &conf); /* not the word itself: an extension */
    assert_string_equal(conf.rules[0].name, "wildcards");
    sig_conf_release(&conf);
    parse_ok("wildcard \\x00\na y 9 A?\\x00\n", SIG_COMPAT_NONE, &conf);
    assert_memory_equal(conf.rules[0].headers[0].mask, "\xff\xff\x00", 3);
    sig_conf_release(&conf);
}

static void names_and_case(void **state)
{
    struct sig_conf conf;

    (void)state;
    parse_ok("NONE Y 9 A1\nnonexyz yes 9 A2\ntar.gz n 9 A3\nC++ true 9 "
             "A4\n1234567890123456789012345678901 1 9 A5\nz "
             "YES 9 A6\n",
             SIG_COMPAT_NONE, &conf);
    assert_int_equal(conf.rule_count, 6);
    assert_string_equal(conf.rules[0].types[0].name, "none");
    assert_string_equal(conf.rules[0].types[0].extension, "");
    assert_string_equal(conf.rules[1].types[0].name, "none");
    assert_string_equal(conf.rules[2].types[0].extension, "tar.gz");
    assert_string_equal(conf.rules[3].types[0].name, "C++");
    assert_int_equal(strlen(conf.rules[4].types[0].name), SIG_NAME_MAX - 1);
    assert_int_equal(conf.rules[0].flags & SIG_NO_CASE, 0);
    assert_int_equal(conf.rules[1].flags & SIG_NO_CASE, 0);
    assert_int_equal(conf.rules[2].flags & SIG_NO_CASE, SIG_NO_CASE);
    assert_int_equal(conf.rules[3].flags & SIG_NO_CASE, SIG_NO_CASE);
    assert_int_equal(conf.rules[4].flags & SIG_NO_CASE, SIG_NO_CASE);
    assert_int_equal(conf.rules[5].flags & SIG_NO_CASE, 0);
    sig_conf_release(&conf);
}

static void regular_expressions(void **state)
{
    struct sig_conf conf;

    (void)state;
    parse_ok("a n 9 /\\x41?b/ /\n", SIG_COMPAT_SCALPEL,
             &conf); /* not translated, no wildcard; a single / is plain */
    assert_int_equal(conf.rules[0].flags, SIG_FROM_CONF | SIG_NO_CASE | SIG_REGEX_HEADER);
    assert_int_equal(conf.rules[0].headers[0].len, 6);
    assert_memory_equal(conf.rules[0].headers[0].bytes, "\\x41?b", 6);
    assert_null(conf.rules[0].headers[0].mask);
    assert_int_equal(conf.rules[0].footer.len, 1);
    sig_conf_release(&conf);
    parse_ok("a y 9 /\\x41?b/\n", SIG_COMPAT_FOREMOST, &conf);
    assert_int_equal(conf.rules[0].flags, SIG_FROM_CONF);
    assert_memory_equal(conf.rules[0].headers[0].bytes, "/A?b/", 5);
    assert_memory_equal(conf.rules[0].headers[0].mask, "\xff\xff\0\xff\xff", 5);
    sig_conf_release(&conf);
}

static void line_ends(void **state)
{
    struct sig_conf conf;
    struct err err = { 0 };

    (void)state;
    parse_ok("a y 9 HEAD\r\n\r\nb y 9 HEAT FOOT\r\n", SIG_COMPAT_SCALPEL, &conf);
    assert_int_equal(conf.rule_count, 2);
    assert_int_equal(conf.rules[0].headers[0].len, 4);
    assert_int_equal(conf.rules[1].footer.len, 4);
    assert_int_equal(conf.rules[1].line, 3);
    sig_conf_release(&conf);
    parse_ok("a y 9 HEAD\r", SIG_COMPAT_NONE, &conf);
    assert_int_equal(conf.rules[0].headers[0].len, 4);
    sig_conf_release(&conf);
    parse_ok("a y 9 HEAD\r", SIG_COMPAT_SCALPEL, &conf); /* Scalpel takes the CR off CR LF only */
    assert_int_equal(conf.rules[0].headers[0].len, 5);
    assert_int_equal(conf.warning_count, 1);
    sig_conf_release(&conf);
    parse_ok("\xef\xbb\xbf# mark\na y 9 HEAD\n", SIG_COMPAT_NONE, &conf);
    assert_int_equal(conf.rule_count, 1);
    sig_conf_release(&conf);
    assert_int_equal(parse("# a\0b\n\0\0# c\na y 9 HEAD\n", 24, SIG_COMPAT_NONE, &conf, &err),
                     ERR_INPUT);
    assert_string_equal(strstr(err.text, "t.conf:2:1:") != NULL ? "found" : err.text, "found");
    assert_int_equal(parse("# a\0b\na y 9 HEAD\n", 17, SIG_COMPAT_NONE, &conf, &err), ERR_OK);
    sig_conf_release(&conf);
}

static const struct {
    const char *text;
    enum sig_compat compat;
    const char *begins; /* of the message */
} errors[] = {
    { "", SIG_COMPAT_NONE, "t.conf: no rule" },
    { "# only\n\n  # comments\nwildcard *\n", SIG_COMPAT_NONE, "t.conf: no rule" },
    { "ok y 9 HEAD\n  a y 100\n", SIG_COMPAT_NONE, "t.conf:2:3: 3 columns" },
    { "a\n", SIG_COMPAT_SCALPEL, "t.conf:1:1: 1 columns" },
    { "../../etc y 9 HEAD\n", SIG_COMPAT_NONE, "t.conf:1:1: extension \"../../etc\"" },
    { "a/b y 9 HEAD\n", SIG_COMPAT_SCALPEL, "t.conf:1:1: extension" },
    { ".. y 9 HEAD\n", SIG_COMPAT_FOREMOST, "t.conf:1:1: extension" },
    { ".hidden y 9 HEAD\n", SIG_COMPAT_NONE, "t.conf:1:1: extension" },
    { "-rf y 9 HEAD\n", SIG_COMPAT_NONE, "t.conf:1:1: extension" },
    { "a\x01 y 9 HEAD\n", SIG_COMPAT_NONE, "t.conf:1:1: extension \"a\\x01\"" },
    { "\xff y 9 HEAD\n", SIG_COMPAT_NONE, "t.conf:1:1: extension \"\\xff\"" },
    { "a<b y 9 HEAD\n", SIG_COMPAT_NONE, "t.conf:1:1: extension" },
    { "12345678901234567890123456789012 y 9 HEAD\n", SIG_COMPAT_NONE, "t.conf:1:1: extension" },
    { "a y -1 HEAD\n", SIG_COMPAT_NONE, "t.conf:1:5: size \"-1\" is negative" },
    { "a y 1:-1 HEAD\n", SIG_COMPAT_NONE, "t.conf:1:5: size" },
    { "a y 9223372036854775808 HEAD\n", SIG_COMPAT_NONE, "t.conf:1:5: size" },
    { "a y 18446744073709551617 HEAD\n", SIG_COMPAT_SCALPEL, "t.conf:1:5: size" },
    { "a y 99999999999999999999:1 HEAD\n", SIG_COMPAT_NONE, "t.conf:1:5: size" },
    { "a y 2147483648 HEAD\n", SIG_COMPAT_FOREMOST, "t.conf:1:5: size" },
    { "a y 9 ???? FOOT\n", SIG_COMPAT_NONE, "t.conf:1:7: header of wildcards" },
    { "a y 9 HEAD \\x3f\n", SIG_COMPAT_NONE, "t.conf:1:12: footer of wildcards" },
    { "a y 9 //\n", SIG_COMPAT_NONE, "t.conf:1:7: header // is an empty" },
};

static void what_is_unsafe_is_an_error_with_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        struct sig_conf conf;
        struct err err = { 0 };

        assert_int_equal(
            parse(errors[i].text, strlen(errors[i].text), errors[i].compat, &conf, &err),
            ERR_INPUT);
        if (strncmp(err.text, errors[i].begins, strlen(errors[i].begins)) != 0)
            fail_msg("%s: %s", errors[i].text, err.text);
        assert_null(conf.rules);
    }
}

static void limits_hold(void **state)
{
    static const struct {
        enum sig_compat compat;
        uint32_t max;
    } limits[] = { { SIG_COMPAT_NONE, SIG_CONF_RULES_MAX },
                   { SIG_COMPAT_SCALPEL, 101 },
                   { SIG_COMPAT_FOREMOST, 50 } };
    char *text = malloc((SIG_CONF_RULES_MAX + 1) * 24);

    (void)state;
    for (uint32_t k = 0; k < 3; k++) {
        struct sig_conf conf;
        struct err err = { 0 };
        size_t len = 0;

        for (uint32_t i = 0; i < limits[k].max; i++)
            len += (size_t)sprintf(text + len, "a y 100 H%u\n", i);
        assert_int_equal(parse(text, len, limits[k].compat, &conf, &err), ERR_OK);
        assert_int_equal(conf.rule_count, limits[k].max);
        assert_int_equal(conf.warning_count, 0);
        sig_conf_release(&conf);
        len += (size_t)sprintf(text + len, "a y 100 HEAD\n");
        assert_int_equal(parse(text, len, limits[k].compat, &conf, &err), ERR_INPUT);
    }
    free(text);
}

static void patterns_have_a_limit(void **state)
{
    char *text = malloc(400000);

    (void)state;
    for (uint32_t count = 254; count <= 257; count++) {
        struct sig_conf conf;
        struct err err = { 0 };
        size_t len = (size_t)sprintf(text, "a y 1000 ");

        for (uint32_t i = 0; i < count; i++)
            len += (size_t)sprintf(text + len, "\\x41");
        assert_int_equal(parse(text, len, SIG_COMPAT_NONE, &conf, &err),
                         count <= LIMIT_PATTERN_LEN ? ERR_OK : ERR_INPUT);
        if (count <= LIMIT_PATTERN_LEN)
            sig_conf_release(&conf);
        else
            assert_memory_equal(err.text, "t.conf:1:10: header of ", 23);
    }
    /* A long comment is fine, a long rule is read as one line. */
    struct sig_conf conf;
    memset(text, '#', 200000);
    strcpy(text + 200000, "\na y 9 HEAD FOOT NEXT ");
    const size_t len = strlen(text);
    memset(text + len, 'x', 100000);
    text[len + 100000] = '\0';
    parse_ok(text, SIG_COMPAT_SCALPEL, &conf);
    assert_int_equal(conf.rule_count, 1);
    assert_int_equal(conf.rules[0].mode, SIG_NEXT);
    assert_int_equal(conf.warning_count, 2);
    assert_int_equal(conf.warnings[1].column, 6 * 4096);
    sig_conf_release(&conf);
    free(text);
}

static void files_that_cannot_be_read(void **state)
{
    struct sig_conf conf;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(sig_conf_read("/nonexistent/x.conf", SIG_COMPAT_NONE, &conf, &err), ERR_INPUT);
    assert_non_null(strstr(err.text, "/nonexistent/x.conf"));
    assert_int_equal(sig_conf_read("/", SIG_COMPAT_NONE, &conf, &err), ERR_INPUT);
    sig_conf_release(&conf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes_become_bytes),
        cmocka_unit_test(sizes_are_read_digit_by_digit),
        cmocka_unit_test(types_are_prefixes),
        cmocka_unit_test(a_rule_is_a_whole_signature),
        cmocka_unit_test(the_last_wildcard_holds_for_all),
        cmocka_unit_test(names_and_case),
        cmocka_unit_test(regular_expressions),
        cmocka_unit_test(line_ends),
        cmocka_unit_test(what_is_unsafe_is_an_error_with_its_place),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(patterns_have_a_limit),
        cmocka_unit_test(files_that_cannot_be_read),
    };
    return cmocka_run_group_tests_name("configuration", tests, NULL, NULL);
}
