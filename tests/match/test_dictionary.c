/* SPDX-License-Identifier: Apache-2.0
 * tests/match/test_dictionary.c - what a dictionary takes, keeps and refuses. */
#include "tests/match/match_test.h"

static struct match_dictionary *open_dictionary(void)
{
    struct match_dictionary *dictionary = NULL;

    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    return dictionary;
}

static void patterns_are_copied_and_numbered(void **state)
{
    struct match_dictionary *dictionary = open_dictionary();
    uint8_t bytes[] = "abc", mask[] = { 0xff, 0, 0xf0 };

    (void)state;
    assert_int_equal(match_dictionary_count(dictionary), 0);
    assert_int_equal(match_dictionary_carry(dictionary), 0);
    assert_int_equal(test_add(dictionary, bytes, NULL, 3, true), 0);
    assert_int_equal(test_add(dictionary, bytes, mask, 3, false), 1);
    assert_int_equal(test_add(dictionary, bytes, mask, 3, false), 2);
    memset(bytes, 'x', 3);
    memset(mask, 0x55, 3);
    assert_int_equal(match_dictionary_count(dictionary), 3);
    assert_memory_equal(match_dictionary_get(dictionary, 1)->bytes, "abc", 3);
    assert_memory_equal(match_dictionary_get(dictionary, 1)->mask, "\xff\0\xf0", 3);
    assert_null(match_dictionary_get(dictionary, 0)->mask);
    assert_true(match_dictionary_get(dictionary, 0)->fold_case);
    assert_false(match_dictionary_get(dictionary, 1)->fold_case);
    match_dictionary_destroy(dictionary);
}

static void a_pattern_stays_where_it_is_when_others_come(void **state)
{
    struct match_dictionary *dictionary = open_dictionary();

    (void)state;
    test_add(dictionary, "first", NULL, 5, false);
    const struct match_pattern *first = match_dictionary_get(dictionary, 0);
    for (uint32_t i = 0; i < 3000; i++)
        test_add(dictionary, &i, NULL, sizeof i, false);
    assert_ptr_equal(match_dictionary_get(dictionary, 0), first);
    assert_memory_equal(first->bytes, "first", 5);
    match_dictionary_destroy(dictionary);
}

static void the_carry_is_the_longest_less_one(void **state)
{
    struct match_dictionary *dictionary = open_dictionary();
    uint8_t longest[LIMIT_PATTERN_LEN] = { 1 };

    (void)state;
    test_add(dictionary, "a", NULL, 1, false);
    assert_int_equal(match_dictionary_carry(dictionary), 0);
    test_add(dictionary, "abcd", NULL, 4, false);
    test_add(dictionary, "ab", NULL, 2, false);
    assert_int_equal(match_dictionary_carry(dictionary), 3);
    test_add(dictionary, longest, NULL, LIMIT_PATTERN_LEN, false);
    assert_int_equal(match_dictionary_carry(dictionary), 254);
    test_add_regex(dictionary, "a", false);
    assert_int_equal(match_dictionary_carry(dictionary), 1023);
    match_dictionary_destroy(dictionary);
}

static void check_refused(struct match_dictionary *dictionary, const struct match_pattern *pattern,
                          const char *why)
{
    uint32_t index = 77;

    assert_int_equal(match_dictionary_add(dictionary, pattern, &index, &test_err), ERR_INPUT);
    assert_non_null(strstr(test_err.text, why));
    assert_int_equal(match_dictionary_count(dictionary), 0);
}

static void what_matches_everywhere_or_is_too_long_is_refused(void **state)
{
    static const uint8_t bytes[LIMIT_PATTERN_LEN + 1], no_bits[4];
    struct match_dictionary *dictionary = open_dictionary();

    (void)state;
    check_refused(dictionary, &(struct match_pattern){ .bytes = bytes, .len = 0 }, "empty");
    check_refused(dictionary,
                  &(struct match_pattern){ .bytes = bytes, .len = LIMIT_PATTERN_LEN + 1 },
                  "256 bytes");
    check_refused(dictionary, &(struct match_pattern){ .bytes = bytes, .mask = no_bits, .len = 4 },
                  "wildcards alone");
    check_refused(dictionary,
                  &(struct match_pattern){ .kind = MATCH_REGEX, .bytes = bytes, .len = 0 },
                  "empty");
    match_dictionary_destroy(dictionary);
    match_dictionary_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_are_copied_and_numbered),
        cmocka_unit_test(a_pattern_stays_where_it_is_when_others_come),
        cmocka_unit_test(the_carry_is_the_longest_less_one),
        cmocka_unit_test(what_matches_everywhere_or_is_too_long_is_refused),
    };
    return cmocka_run_group_tests_name("match dictionary", tests, NULL, NULL);
}
