/* SPDX-License-Identifier: Apache-2.0
 * tests/match/regex/test_regex_hold.c - whether a match can hold a text.
 *
 * Method: every text over two letters of up to 9 bytes is asked of glibc's regexec as a whole; a
 * literal is one that a match can hold when one of those that match has it. The expressions have
 * such a match within 9 bytes where they have one at all.
 */
#include <regex.h>
#include <stdio.h>

#include "match/regex.h"
#include "tests/match/match_test.h"

enum { LONGEST = 9 };

static bool can_hold(const char *expression, const char *text)
{
    const struct match_pattern pattern = { .kind = MATCH_REGEX,
                                           .bytes = (const uint8_t *)expression,
                                           .len = (uint32_t)strlen(expression),
                                           .escapes = true };
    bool can = false;

    TEST_OK(match_regex_can_hold(&pattern, (const uint8_t *)text, (uint32_t)strlen(text), &can,
                                 &test_err));
    return can;
}

/* The letters of number `bits`, `len` of them. */
static void spell(uint32_t bits, uint32_t len, char *out)
{
    for (uint32_t i = 0; i < len; i++)
        out[i] = (bits >> i & 1) != 0 ? 'b' : 'a';
    out[len] = '\0';
}

static bool glibc_can_hold(const char *expression, const char *text)
{
    char whole[128], candidate[LONGEST + 1];
    bool can = false;
    regex_t compiled;

    snprintf(whole, sizeof whole, "^(%s)$", expression);
    assert_int_equal(regcomp(&compiled, whole, REG_EXTENDED | REG_NOSUB), 0);
    for (uint32_t len = 1; len <= LONGEST && !can; len++)
        for (uint32_t bits = 0; bits < 1u << len && !can; bits++) {
            spell(bits, len, candidate);
            can = strstr(candidate, text) != NULL && regexec(&compiled, candidate, 0, NULL, 0) == 0;
        }
    regfree(&compiled);
    return can;
}

static void every_short_literal_is_answered_as_by_trying(void **state)
{
    static const char *const expressions[] = {
        "a",       "ab",          "a+b",    "(ab)+",      "a|bb",     "(a|b){3}",
        "a{2,4}b", "(aab|b)*aba", "[ab]aa", "(ba?){1,3}", "b+(aa)*b", "(a|ab)(bb|ba)",
    };
    uint32_t yes = 0, asked = 0;
    char text[LONGEST + 1];

    (void)state;
    for (size_t e = 0; e < sizeof expressions / sizeof expressions[0]; e++)
        for (uint32_t len = 1; len <= 4; len++)
            for (uint32_t bits = 0; bits < 1u << len; bits++) {
                spell(bits, len, text);
                const bool want = glibc_can_hold(expressions[e], text);

                if (can_hold(expressions[e], text) != want)
                    fail_msg("%s can%s hold %s", expressions[e], want ? "" : "not", text);
                yes += want;
                asked++;
            }
    assert_true(yes > 50 && asked - yes > 50);
}

static void bytes_classes_and_long_literals(void **state)
{
    char longest[MATCH_HOLD_MAX + 2];
    const struct match_pattern pattern = { .kind = MATCH_REGEX,
                                           .bytes = (const uint8_t *)"x+",
                                           .len = 2 };
    bool can = false;

    (void)state;
    assert_true(can_hold("AKIA[A-Z2-7]{16}", "AKIA"));
    assert_true(can_hold("AKIA[A-Z2-7]{16}", "AZ"));
    assert_false(can_hold("AKIA[A-Z2-7]{16}", "ASIA1"));
    assert_false(can_hold("AKIA[A-Z2-7]{16}", "akia"));
    assert_true(can_hold("(?i)AKIA[A-Z2-7]{16}", "akia"));
    assert_true(can_hold("\\x00\\xff.", "\xff!"));
    memset(longest, 'x', sizeof longest);
    longest[MATCH_HOLD_MAX] = '\0';
    assert_true(can_hold("x+", longest));
    assert_int_equal(match_regex_can_hold(&pattern, (const uint8_t *)longest, MATCH_HOLD_MAX + 1,
                                          &can, &test_err),
                     ERR_ARG);
    assert_int_equal(match_regex_can_hold(&pattern, (const uint8_t *)"", 0, &can, &test_err),
                     ERR_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_short_literal_is_answered_as_by_trying),
        cmocka_unit_test(bytes_classes_and_long_literals),
    };
    return cmocka_run_group_tests_name("texts in matches", tests, NULL, NULL);
}
