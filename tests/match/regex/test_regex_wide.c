/* SPDX-License-Identifier: Apache-2.0
 * tests/match/regex/test_regex_wide.c - expressions on characters that have zeros around their
 * bytes, as in UTF-16 and UTF-32.
 *
 * Method: glibc's regexec on the plain text says what must be found; the text is then written with
 * zeros around each byte, and cut anywhere. What begins at a zero, or between two characters, must
 * not match.
 */
#include <locale.h>
#include <regex.h>
#include <stdio.h>

#include "match/regex.h"
#include "tests/match/match_test.h"

enum { CHARS = 1500, SEGMENT_MAX = 8192 };

static const char *const expressions[] = { "ab",     "a[bc]+d", "(ab|ba)*c", "a.{3,9}b",   "b*a",
                                           "A[b-d]", "(a|b)+d", "[a-d]{4,}", "x(yz|abc)?", "." };
enum { COUNT = sizeof expressions / sizeof expressions[0] };

static const struct width {
    uint8_t before, after;
} widths[] = { { 0, 1 }, { 1, 0 }, { 0, 3 }, { 3, 0 } };

/* The longest match from each character on, of those that fit into the bytes that count. */
static void want_hits(uint32_t which, const char *text, struct width width, struct test_hits *out)
{
    const uint32_t unit = 1u + width.before + width.after, most = LIMIT_REGEX_MATCH_LEN / unit;
    char anchored[300], window[LIMIT_REGEX_MATCH_LEN + 1];
    regmatch_t match;
    regex_t compiled;

    snprintf(anchored, sizeof anchored, "^(%s)", expressions[which]);
    assert_int_equal(regcomp(&compiled, anchored, REG_EXTENDED | (which % 2 ? REG_ICASE : 0)), 0);
    for (uint32_t at = 0; at < CHARS; at++) {
        const uint32_t left = CHARS - at < most ? CHARS - at : most;

        memcpy(window, text + at, left);
        window[left] = 0;
        if (regexec(&compiled, window, 1, &match, 0) != 0 || match.rm_eo == 0)
            continue;
        const struct hit hit = { .offset = at * unit,
                                 .pattern = which,
                                 .len = (uint32_t)match.rm_eo * unit };
        test_hits_add(out, &hit, 1);
    }
    regfree(&compiled);
}

static void add_all(struct match_dictionary *dictionary, struct width width)
{
    uint32_t index;

    for (uint32_t i = 0; i < COUNT; i++) {
        const struct match_pattern pattern = { .kind = MATCH_REGEX,
                                               .bytes = (const uint8_t *)expressions[i],
                                               .len = (uint32_t)strlen(expressions[i]),
                                               .fold_case = i % 2 == 1,
                                               .zeros_before = width.before,
                                               .zeros_after = width.after };

        TEST_OK(match_dictionary_add(dictionary, &pattern, &index, &test_err));
        assert_int_equal(index, i);
    }
}

static void scan_cut(const struct match_dictionary *dictionary, const uint8_t *bytes, uint32_t len,
                     uint64_t *random, struct test_hits *got)
{
    const struct match_options options = { .threads = 1, .slots = 3, .segment_len = SEGMENT_MAX };
    struct match_matcher *matcher = NULL;
    const uint32_t cuts[] = { len / 8 + test_random(random, len / 8),
                              len / 3 + test_random(random, len / 9),
                              len / 2 + test_random(random, len / 2) };

    TEST_OK(match_open(dictionary, &options, &matcher, &test_err));
    test_scan(matcher, bytes, len, 0, cuts, 3, got);
    test_hits_sort(got);
    match_close(matcher);
}

static void characters_among_zeros_are_found(void **state)
{
    uint64_t random = 7;
    char text[CHARS];
    uint8_t bytes[CHARS * 4];

    (void)state;
    for (uint32_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
        const uint32_t unit = 1u + widths[w].before + widths[w].after;
        struct match_dictionary *dictionary = NULL;
        struct test_hits want = { 0 }, got = { 0 };

        for (uint32_t i = 0; i < CHARS; i++)
            text[i] = "abcdABxyz        "[test_random(&random, 17)];
        memset(bytes, 0, sizeof bytes);
        for (uint32_t i = 0; i < CHARS; i++)
            bytes[i * unit + widths[w].before] = (uint8_t)text[i];
        TEST_OK(match_dictionary_create(&dictionary, &test_err));
        add_all(dictionary, widths[w]);
        for (uint32_t i = 0; i < COUNT; i++)
            want_hits(i, text, widths[w], &want);
        test_hits_sort(&want);
        assert_true(want.count > CHARS);
        scan_cut(dictionary, bytes, CHARS * unit, &random, &got);
        if (!test_hits_equal(&want, &got))
            fail_msg("%u zeros before, %u behind: %u hits, want %u", widths[w].before,
                     widths[w].after, got.count, want.count);
        match_dictionary_destroy(dictionary);
        free(want.items);
        free(got.items);
    }
}

/* The longest expressions that can be written still compile, whatever the zeros. */
static void the_largest_expressions_fit(void **state)
{
    static const char *const parts[] = { "a", "a|", "[ab]", "a?b|", "(a)", "a.", "ab{2}" };
    char text[LIMIT_PATTERN_LEN + 1];
    struct err err = { 0 };
    uint32_t at, compiled = 0;

    (void)state;
    for (uint32_t p = 0; p < sizeof parts / sizeof parts[0]; p++)
        for (uint32_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
            struct match_pattern pattern = { .kind = MATCH_REGEX,
                                             .bytes = (const uint8_t *)text,
                                             .zeros_before = widths[w].before,
                                             .zeros_after = widths[w].after };

            while (pattern.len + strlen(parts[p]) <= LIMIT_PATTERN_LEN) {
                memcpy(text + pattern.len, parts[p], strlen(parts[p]));
                pattern.len += (uint32_t)strlen(parts[p]);
            }
            const enum err_code rc = match_regex_check(&pattern, &at, &err);
            assert_true(rc == ERR_OK || (rc == ERR_INPUT && err.text[0] != '\0'));
            compiled += rc == ERR_OK;
        }
    assert_true(compiled > 10);
}

/* What brackets with escapes take, byte by byte. */
static void brackets_have_escapes(void **state)
{
    static const struct {
        const char *expression, *takes; /* of all bytes in order; NULL: it is refused */
    } cases[] = {
        { "[\\x41-\\x43]", "ABC" },     { "[\\d\\-]", "-0123456789" },
        { "[\\]\\\\]", "\\]" },         { "[a-\\x64.]", ".abcd" },
        { "[\\t\\n\\x{20}]", "\t\n " }, { "[-\\x41]", "-A" },
        { "[^\\x01-\\xff]x", "" },      { "[a-\\d]", NULL },
        { "[\\x5a-\\x41]", NULL },      { "[\\", NULL },
        { "[\\xfff]", "f\xff" },
    };

    (void)state;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct match_pattern pattern = { .kind = MATCH_REGEX,
                                               .bytes = (const uint8_t *)cases[i].expression,
                                               .len = (uint32_t)strlen(cases[i].expression),
                                               .escapes = true };
        struct match_dictionary *dictionary = NULL;
        struct test_hits got = { 0 };
        struct err err = { 0 };
        uint8_t bytes[255];
        uint64_t random = 3;
        uint32_t index;

        for (uint32_t c = 0; c < sizeof bytes; c++)
            bytes[c] = (uint8_t)(c + 1);
        TEST_OK(match_dictionary_create(&dictionary, &test_err));
        const enum err_code rc = match_dictionary_add(dictionary, &pattern, &index, &err);
        assert_int_equal(rc, cases[i].takes != NULL ? ERR_OK : ERR_INPUT);
        if (rc == ERR_OK) {
            scan_cut(dictionary, bytes, sizeof bytes, &random, &got);
            assert_int_equal(got.count, strlen(cases[i].takes));
            for (uint32_t k = 0; k < got.count; k++)
                assert_int_equal(got.items[k].offset + 1, (uint8_t)cases[i].takes[k]);
        }
        match_dictionary_destroy(dictionary);
        free(got.items);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_among_zeros_are_found),
        cmocka_unit_test(the_largest_expressions_fit),
        cmocka_unit_test(brackets_have_escapes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
