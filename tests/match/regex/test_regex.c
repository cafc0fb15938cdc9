/* SPDX-License-Identifier: Apache-2.0
 * tests/match/regex/test_regex.c - regular expressions find what they should, however the range is
 * cut.
 *
 * Method: answers written by hand, scanned at every cut; random texts against glibc's regexec,
 * asked at every start with the window that defines the match (another implementation, of the same
 * standard); refusals with their reasons.
 */
#include <locale.h>
#include <regex.h>
#include <stdio.h>

#include "tests/match/match_test.h"

enum { HITS_MAX = 8, SEGMENT_MAX = 8192 };

#define TEXT(literal) .text = (literal), .text_len = sizeof(literal) - 1

static const struct regex_case {
    const char *expression;
    bool fold_case;
    const char *text;
    uint32_t text_len;
    uint32_t want_count;
    struct {
        uint32_t at, len;
    } want[HITS_MAX];
} cases[] = {
    { "abc", false, TEXT("xabcabx"), 1, { { 1, 3 } } },
    { "a+", false, TEXT("baaab"), 3, { { 1, 3 }, { 2, 2 }, { 3, 1 } } },
    { "a*", false, TEXT("bab"), 1, { { 1, 1 } } },
    { "a|ab|abc", false, TEXT("abcd"), 1, { { 0, 3 } } },
    { "[0-9]{2,3}x", false, TEXT("12345x"), 2, { { 2, 4 }, { 3, 3 } } },
    { "HeX", true, TEXT("hexHEXhEx"), 3, { { 0, 3 }, { 3, 3 }, { 6, 3 } } },
    { "HeX", false, TEXT("hexHEXHeX"), 1, { { 6, 3 } } },
    { "\\x00\\x01", false, TEXT("\0\0\1\1"), 1, { { 1, 2 } } },
    { "\\xff\\xd8.", false, TEXT("\xff\xd8\xff\xff\xd8"), 1, { { 0, 3 } } },
    { "[^a]b",
      false,
      TEXT("\0b\xe9"
           "bab"),
      2,
      { { 0, 2 }, { 2, 2 } } },
    { "a.c", false, TEXT("a\nca\0c"), 2, { { 0, 3 }, { 3, 3 } } },
    { "[[:digit:]]+[[:upper:]]", false, TEXT("12A\xc3\x84"), 2, { { 0, 3 }, { 1, 2 } } },
    { "\\.\\$\\^", false, TEXT("..$^"), 1, { { 1, 3 } } },
    { "(ab)+c?", false, TEXT("ababc"), 2, { { 0, 5 }, { 2, 3 } } },
};

static struct match_matcher *open_one(struct match_dictionary *dictionary, uint32_t threads)
{
    const struct match_options options = { .threads = threads,
                                           .slots = 3,
                                           .segment_len = SEGMENT_MAX };
    struct match_matcher *matcher = NULL;

    TEST_OK(match_open(dictionary, &options, &matcher, &test_err));
    return matcher;
}

static void expressions_answer_the_table(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct regex_case *c = &cases[i];
        struct match_dictionary *dictionary = NULL;
        struct test_hits got = { 0 };

        TEST_OK(match_dictionary_create(&dictionary, &test_err));
        test_add_regex(dictionary, c->expression, c->fold_case);
        struct match_matcher *matcher = open_one(dictionary, 1);
        for (uint32_t cut = 0; cut <= c->text_len; cut++) {
            got.count = 0;
            test_scan(matcher, (const uint8_t *)c->text, c->text_len, 100, &cut, 1, &got);
            test_hits_sort(&got);
            bool right = got.count == c->want_count;
            for (uint32_t k = 0; right && k < got.count; k++)
                right = got.items[k].offset == 100 + c->want[k].at &&
                        got.items[k].len == c->want[k].len;
            if (!right)
                fail_msg("/%s/, cut %u: %u hits, want %u", c->expression, cut, got.count,
                         c->want_count);
        }
        match_close(matcher);
        match_dictionary_destroy(dictionary);
        free(got.items);
    }
}

/* glibc's answer: the longest match that begins at each start and lies in the window. */
static void posix_hits(const char *expression, bool fold_case, uint32_t pattern, const char *text,
                       uint32_t len, struct test_hits *out)
{
    char anchored[300], window[LIMIT_REGEX_MATCH_LEN + 1];
    regmatch_t match;
    regex_t compiled;

    snprintf(anchored, sizeof anchored, "^(%s)", expression);
    assert_int_equal(regcomp(&compiled, anchored, REG_EXTENDED | (fold_case ? REG_ICASE : 0)), 0);
    for (uint32_t at = 0; at < len; at++) {
        const uint32_t left = len - at < LIMIT_REGEX_MATCH_LEN ? len - at : LIMIT_REGEX_MATCH_LEN;

        memcpy(window, text + at, left);
        window[left] = 0;
        if (regexec(&compiled, window, 1, &match, 0) != 0 || match.rm_eo == 0)
            continue;
        const struct hit hit = { .offset = at, .pattern = pattern, .len = (uint32_t)match.rm_eo };
        test_hits_add(out, &hit, 1);
    }
    regfree(&compiled);
}

static void expressions_agree_with_posix(void **state)
{
    static const char *const expressions[] = { "ab",  "a[bc]+d", "(ab|ba)*c", "a.{3,9}b",
                                               "b*a", "c(a|b)*", "a.*d",      "A[b-d]B" };
    enum { COUNT = sizeof expressions / sizeof expressions[0], LEN = 3000 };
    struct match_dictionary *dictionary = NULL;
    uint64_t random = 99;
    char text[LEN];

    (void)state;
    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    for (uint32_t i = 0; i < COUNT; i++)
        test_add_regex(dictionary, expressions[i], i % 2 == 1);
    test_add(dictionary, "abc", NULL, 3, false);
    for (uint32_t round = 0; round < 8; round++) {
        struct match_matcher *matcher = open_one(dictionary, 1 + round);
        struct test_hits want = { 0 }, got = { 0 };
        uint32_t cuts[3];

        for (uint32_t i = 0; i < LEN; i++)
            text[i] = "abcdABxyz        "[test_random(&random, round < 4 ? 6 : 17)];
        for (uint32_t i = 0; i < COUNT; i++)
            posix_hits(expressions[i], i % 2 == 1, i, text, LEN, &want);
        posix_hits("abc", false, COUNT, text, LEN, &want);
        test_hits_sort(&want);
        cuts[0] = test_random(&random, 1500);
        cuts[1] = cuts[0] + test_random(&random, 700);
        cuts[2] = cuts[1] + test_random(&random, 700);
        test_scan(matcher, (const uint8_t *)text, LEN, 0, cuts, 3, &got);
        test_hits_sort(&got);
        assert_true(want.count > 100);
        assert_true(test_hits_equal(&want, &got));
        match_close(matcher);
        free(want.items);
        free(got.items);
    }
    match_dictionary_destroy(dictionary);
}

/* x a...a y of 1024 bytes is the longest there can be; of 1025 there is none. */
static void window_bounds_a_match(void **state)
{
    enum { LEN = 4000 };
    struct match_dictionary *dictionary = NULL;
    uint8_t text[LEN];

    (void)state;
    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    test_add_regex(dictionary, "xa+y", false);
    struct match_matcher *matcher = open_one(dictionary, 2);
    assert_int_equal(match_carry(matcher), LIMIT_REGEX_MATCH_LEN - 1);
    for (uint32_t len = LIMIT_REGEX_MATCH_LEN - 1; len <= LIMIT_REGEX_MATCH_LEN + 1; len++) {
        for (uint32_t cut = 400; cut < 3400; cut += 97) {
            struct test_hits got = { 0 };

            memset(text, 'a', LEN);
            text[1000] = 'x';
            text[1000 + len - 1] = 'y';
            test_scan(matcher, text, LEN, 0, &cut, 1, &got);
            assert_int_equal(got.count, len <= LIMIT_REGEX_MATCH_LEN);
            if (got.count == 1) {
                assert_int_equal(got.items[0].offset, 1000);
                assert_int_equal(got.items[0].len, len);
            }
            free(got.items);
        }
    }
    match_close(matcher);
    match_dictionary_destroy(dictionary);
}

/* a.* takes all of its window: 1024 bytes, or what is left of the range. One start hits per byte:
 * it must come in pieces. */
static void greedy_takes_its_window(void **state)
{
    enum { LEN = 3000 };
    const struct match_options options = {
        .threads = 1, .slots = 1, .segment_len = LEN, .hits_max = 1
    };
    struct match_dictionary *dictionary = NULL;
    struct match_matcher *matcher = NULL;
    struct test_hits got = { 0 };
    const uint32_t cut = 1500;
    uint8_t text[LEN];

    (void)state;
    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    test_add_regex(dictionary, "a.*", false);
    TEST_OK(match_open(dictionary, &options, &matcher, &test_err));
    memset(text, 'a', LEN);
    test_scan(matcher, text, LEN, 0, &cut, 1, &got);
    assert_int_equal(got.count, LEN);
    for (uint32_t i = 0; i < LEN; i++) {
        assert_int_equal(got.items[i].offset, i);
        assert_int_equal(got.items[i].len,
                         LEN - i < LIMIT_REGEX_MATCH_LEN ? LEN - i : LIMIT_REGEX_MATCH_LEN);
    }
    match_close(matcher);
    match_dictionary_destroy(dictionary);
    free(got.items);
}

static void what_cannot_be_looked_for_is_refused(void **state)
{
    static const struct {
        const char *expression, *why;
    } refused[] = {
        { "(a)\\1", "back-references" },
        { "^abc", "^ and $" },
        { "abc$", "^ and $" },
        { "a(b|^c)", "^ and $" },
        { "\\babc", "word edges" },
        { "abc\\>", "word edges" },
        { "()", "empty string" },
        { "a{0}", "empty string" },
        { "(a|b){0,0}", "empty string" },
        { "(foo){~1}", "approximate" },
        { "(abc", "is wrong" },
        { "[a", "is wrong" },
    };
    static const char *const accepted[] = { "[$^]",  "\\^",  "\\$a",         "a{0}b", "(a{0}|b)",
                                            "\\x5e", "[]^]", "[[:alpha:]$]", "a\\\\b" };
    struct match_dictionary *dictionary = NULL;

    (void)state;
    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    for (uint32_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        const struct match_pattern pattern = { .kind = MATCH_REGEX,
                                               .bytes = (const uint8_t *)refused[i].expression,
                                               .len = (uint32_t)strlen(refused[i].expression) };
        uint32_t index;

        if (match_dictionary_add(dictionary, &pattern, &index, &test_err) != ERR_INPUT ||
            strstr(test_err.text, refused[i].why) == NULL ||
            strstr(test_err.text, refused[i].expression) == NULL)
            fail_msg("/%s/: not refused for %s: %s", refused[i].expression, refused[i].why,
                     test_err.text);
    }
    assert_int_equal(match_dictionary_count(dictionary), 0);
    for (uint32_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++)
        test_add_regex(dictionary, accepted[i], false);
    match_dictionary_destroy(dictionary);
}

/* In a UTF-8 locale TRE would read characters of several bytes. */
static void bytes_stay_bytes_in_any_locale(void **state)
{
    static const uint8_t text[] = "\xc3\xa4\xc3\xa4\xff";
    struct match_dictionary *dictionary = NULL;
    struct test_hits got = { 0 };
    const uint32_t cut = 2;

    (void)state;
    assert_non_null(setlocale(LC_ALL, "C.UTF-8"));
    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    test_add_regex(dictionary, "\xc3.", false);
    test_add_regex(dictionary, "\\xa4[^a]", false);
    struct match_matcher *matcher = open_one(dictionary, 2);
    test_scan(matcher, text, 5, 0, &cut, 1, &got);
    test_hits_sort(&got);
    assert_int_equal(got.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(got.items[i].offset, i);
        assert_int_equal(got.items[i].pattern, i % 2);
        assert_int_equal(got.items[i].len, 2);
    }
    match_close(matcher);
    match_dictionary_destroy(dictionary);
    free(got.items);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_answer_the_table),
        cmocka_unit_test(expressions_agree_with_posix),
        cmocka_unit_test(window_bounds_a_match),
        cmocka_unit_test(greedy_takes_its_window),
        cmocka_unit_test(what_cannot_be_looked_for_is_refused),
        cmocka_unit_test(bytes_stay_bytes_in_any_locale),
    };
    return cmocka_run_group_tests_name("match expressions", tests, NULL, NULL);
}
