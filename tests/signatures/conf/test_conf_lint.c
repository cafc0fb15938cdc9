/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/conf/test_conf_lint.c - which rules are warned of, and where.
 *
 * Goal: every trap known from the tools' own files and their users is named with line and column,
 * and rules that are fine are left alone. Method: a table of lines with the warnings they deserve;
 * then the files that Debian ships, with their samples switched on, where they are installed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "signatures/conf.h"

struct want {
    uint32_t line, column;
    const char *holds;
};

static const struct {
    const char *text;
    enum sig_compat compat;
    struct want want[4]; /* line 0 ends */
} rows[] = {
    /* Fine as they are. */
    { "wildcard ?\njpg y 5242880 \\xff\\xd8\\xff???Exif \\xff\\xd9 REVERSE\n",
      SIG_COMPAT_NONE,
      { { 0 } } },
    { "htm n 50000 <html </html>\ncpp y 20000 #include #include ASCII\n",
      SIG_COMPAT_NONE,
      { { 0 } } },
    { "a yes 5:100 /GGG[^G]/ /[0-9]HHHHH/ forward\nb No 9 \\\\\\s\\101 next NEXT\n",
      SIG_COMPAT_SCALPEL,
      { { 0 } } },
    /* Escapes. */
    { "a y 20 \\x4F\\123\\I\\sCCI\n", SIG_COMPAT_NONE, { { 1, 16, "\\I is not an escape" } } },
    { "a y 20 HEAD\\\n", SIG_COMPAT_NONE, { { 1, 12, "stray \\" } } },
    { "mp3 y 8000000 \\x57\\x41\\x56\\45 \\x00\\x00\\xFF\\\n",
      SIG_COMPAT_NONE,
      { { 1, 27, "\\45 is not an escape: the backslash stays" }, { 1, 43, "stray \\" } } },
    { "a y 20 \\400AB\n",
      SIG_COMPAT_NONE,
      { { 1, 8, "\\400 is not an escape: the backslash stays" } } },
    { "a y 20 \\189AB\n",
      SIG_COMPAT_NONE,
      { { 1, 8, "\\189 is not an escape: the backslash is dropped" } } },
    { "a y 20 AB \\xZZ\n",
      SIG_COMPAT_NONE,
      { { 1, 11, "\\xZZ is not an escape: the backslash is dropped" } } },
    { "ogg y 20 x4fx67x67x53x00x02\n", SIG_COMPAT_NONE, { { 1, 10, "\\x4f\\x67" } } },
    { "a y 20 A\\x3fC\n", SIG_COMPAT_NONE, { { 1, 9, "\\x3f is the wildcard" } } },
    { "a y 20 AB\x01"
      "C\n",
      SIG_COMPAT_NONE,
      { { 1, 10, "0x01" } } },
    /* Expressions. */
    { "a y 20 /usr/bin/ x/\n", SIG_COMPAT_NONE, { { 1, 8, "regular expression" } } },
    { "a y 20 /usr[/]/\n", SIG_COMPAT_FOREMOST, { { 1, 8, "no regular expressions" } } },
    /* Comments, types, columns. */
    { "a y 50 HEAD # comment here\n", SIG_COMPAT_NONE, { { 1, 13, "the footer" } } },
    { "a y 50 HEAD FOOT #comment\n", SIG_COMPAT_NONE, { { 1, 18, "the type" } } },
    { "a y 50 HEAD FOOT NEXT # why\n", SIG_COMPAT_NONE, { { 1, 23, "a seventh column" } } },
    { "a y 50 HEAD FOOT NEXT why\n", SIG_COMPAT_NONE, { { 1, 23, "only six columns" } } },
    { "a y 50 HEAD FOOT FORWARD_NEXT\n",
      SIG_COMPAT_NONE,
      { { 1, 18, "FORWARD_NEXT is FORWARD" } } },
    { "a y 50 HEAD FOOT NEXTFOO\n", SIG_COMPAT_NONE, { { 1, 18, "\"NEXTFOO\" is read as NEXT" } } },
    { "a y 50 HEAD FOOT BACKWARD\n", SIG_COMPAT_NONE, { { 1, 18, "\"BACKWARD\" is not a type" } } },
    { "a y 50 HEAD FOOT ASCII\n", SIG_COMPAT_SCALPEL, { { 1, 18, "\"ASCII\" is not a type" } } },
    { "a y 100 HEAD reverse\n", SIG_COMPAT_NONE, { { 1, 14, "the fifth column is the footer" } } },
    { "a true 50 HEAD\n", SIG_COMPAT_NONE, { { 1, 3, "\"true\" is read as n" } } },
    { "a yellow 50 HEAD\n", SIG_COMPAT_NONE, { { 1, 3, "\"yellow\" is read as y" } } },
    { "nonesuch y 50 HEAD\n", SIG_COMPAT_NONE, { { 1, 1, "begins with NONE" } } },
    /* Sizes. */
    { "a y 0 HEAD\n", SIG_COMPAT_NONE, { { 1, 5, "a maximum of 0 bytes" } } },
    { "a y 50K HEAD\n", SIG_COMPAT_NONE, { { 1, 7, "the maximum is 50 bytes" } } },
    { "a y 0x10 HEAD\n",
      SIG_COMPAT_NONE,
      { { 1, 5, "a maximum of 0 bytes" }, { 1, 6, "\"0x10\"" } } },
    { "a y 10:50M HEAD\n", SIG_COMPAT_NONE, { { 1, 10, "the maximum is 50 bytes" } } },
    { "a y 100:5 HEAD\n", SIG_COMPAT_NONE, { { 1, 5, "above the maximum" } } },
    { "a y 5:100 HEADR\n", SIG_COMPAT_FOREMOST, { { 1, 6, "foremost knows no min:max" } } },
    { "a y 3 HEAD\n", SIG_COMPAT_NONE, { { 1, 7, "header of 4 bytes is longer" } } },
    { "a y 5 HEAD FOOTER\n", SIG_COMPAT_NONE, { { 1, 12, "footer of 6 bytes is longer" } } },
    { "a y 50 H\n", SIG_COMPAT_NONE, { { 1, 8, "header of one byte" } } },
    /* The wildcard. */
    { "a y 20 A?C\nwildcard *\n", SIG_COMPAT_NONE, { { 2, 1, "the rules above it" } } },
    { "wildcard\nwildcard **\nwildcard +\na y 20 ABC\n",
      SIG_COMPAT_NONE,
      { { 1, 9, "without a character" },
        { 2, 1, "never used: the one in line 3" },
        { 2, 10, "one character" } } },
    /* Known wrong rules. */
    { "png y 200000 \\x50\\x4e\\x47? \\xff\\xfc\\xfd\\xfe\n",
      SIG_COMPAT_NONE,
      { { 1, 14, "begins one byte before" }, { 1, 28, "no PNG file ends" } } },
    { "a y 20 ABC DEF\nb y 30 ABC DEF\nc y 20 ABC DEG\nd n 20 ABC DEF\n",
      SIG_COMPAT_NONE,
      { { 2, 1, "the rule in line 1" } } },
    /* foremost's own. */
    { "gif y 155000000 \\x47\\x49\\x46 \\x00\\x3b\n",
      SIG_COMPAT_FOREMOST,
      { { 1, 30, "begins with a NUL byte" } } },
    { "gif y 155000000 \\x47\\x49\\x46 \\x00\\x3b\n", SIG_COMPAT_SCALPEL, { { 0 } } },
    { "a y 20 ABC DEF REVERSE\n", SIG_COMPAT_FOREMOST, { { 1, 16, "finds nothing in foremost" } } },
    { "a y 20 ABC DEF NEXT\nb y 20 ABC ABC NEXT\n",
      SIG_COMPAT_FOREMOST,
      { { 1, 16, "NEXT ignores its footer" } } },
    { "longname y 20 ABC\n", SIG_COMPAT_FOREMOST, { { 1, 1, "more than 7 letters" } } },
};

static void warnings_name_place_and_reason(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sig_conf conf;
        struct err err = { 0 };
        uint32_t want = 0;

        if (sig_conf_parse("t.conf", rows[i].text, strlen(rows[i].text), rows[i].compat, &conf,
                           &err) != ERR_OK)
            fail_msg("%s: %s", rows[i].text, err.text);
        while (want < 4 && rows[i].want[want].line != 0)
            want++;
        for (uint32_t k = 0; k < conf.warning_count; k++) {
            const struct sig_conf_warning *got = &conf.warnings[k];
            const struct want *w = &rows[i].want[k];

            if (k >= want || got->line != w->line || got->column != w->column ||
                strstr(got->text, w->holds) == NULL)
                fail_msg("%s: unexpected %u:%u: %s", rows[i].text, got->line, got->column,
                         got->text);
        }
        if (conf.warning_count != want)
            fail_msg("%s: %u warnings, want %u", rows[i].text, conf.warning_count, want);
        sig_conf_release(&conf);
    }
}

static void warnings_have_a_limit(void **state)
{
    const uint32_t lines = SIG_CONF_WARNINGS_MAX + 100;
    char *text = malloc(lines * 20);
    struct sig_conf conf;
    struct err err = { 0 };
    size_t len = 0;

    (void)state;
    for (uint32_t i = 0; i < lines; i++)
        len += (size_t)sprintf(text + len, "a y 0 H%u\n", i);
    assert_int_equal(sig_conf_parse("t.conf", text, len, SIG_COMPAT_NONE, &conf, &err), ERR_OK);
    assert_int_equal(conf.rule_count, lines);
    assert_int_equal(conf.warning_count, SIG_CONF_WARNINGS_MAX);
    sig_conf_release(&conf);
    free(text);
}

/* "#  jpg  y  5242880 ..." -> the same without its #. */
static bool is_sample(const char *line)
{
    char name[32], sensitive[8];
    unsigned size;

    return line[0] == '#' && isspace((unsigned char)line[1]) != 0 &&
           sscanf(line + 1, "%31s %7s %u", name, sensitive, &size) == 3 &&
           (strcmp(sensitive, "y") == 0 || strcmp(sensitive, "n") == 0);
}

static char *switch_samples_on(const char *path)
{
    FILE *file = fopen(path, "re");
    char line[1024], *text = calloc(1, 1 << 20);

    if (file == NULL) {
        free(text);
        return NULL;
    }
    for (size_t len = 0; fgets(line, sizeof line, file) != NULL; len += strlen(text + len))
        strcpy(text + len, is_sample(line) ? line + 1 : line);
    fclose(file);
    return text;
}

static void check_shipped(const char *path, uint32_t rules, const char *const *holds,
                          uint32_t count)
{
    char *text = switch_samples_on(path);
    struct sig_conf conf;
    struct err err = { 0 };

    if (text == NULL)
        skip();
    if (sig_conf_parse(path, text, strlen(text), SIG_COMPAT_NONE, &conf, &err) != ERR_OK)
        fail_msg("%s", err.text);
    free(text);
    assert_int_equal(conf.rule_count, rules);
    for (uint32_t i = 0; i < conf.warning_count; i++)
        if (i >= count || strstr(conf.warnings[i].text, holds[i]) == NULL)
            fail_msg("%s:%u: %s", path, conf.warnings[i].line, conf.warnings[i].text);
    assert_int_equal(conf.warning_count, count);
    sig_conf_release(&conf);
}

static void the_shipped_scalpel_conf(void **state)
{
    static const char *const holds[] = { "begins one byte before", "no PNG file ends" };

    (void)state;
    check_shipped("/etc/scalpel/scalpel.conf", 50, holds, 2);
}

static void the_shipped_foremost_conf(void **state)
{
    static const char *const holds[] = { "begins one byte before",
                                         "no PNG file ends",
                                         "looks for the same",
                                         "\\45 is not an escape",
                                         "stray \\",
                                         "stray \\",
                                         "stray \\",
                                         "stray \\",
                                         "stray \\" };

    (void)state;
    check_shipped("/etc/foremost.conf", 59, holds, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warnings_name_place_and_reason),
        cmocka_unit_test(warnings_have_a_limit),
        cmocka_unit_test(the_shipped_scalpel_conf),
        cmocka_unit_test(the_shipped_foremost_conf),
    };
    return cmocka_run_group_tests_name("configuration warnings", tests, NULL, NULL);
}
