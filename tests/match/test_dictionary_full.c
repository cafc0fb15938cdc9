/* SPDX-License-Identifier: Apache-2.0
 * Labels: long
 *
 * tests/match/test_dictionary_full.c - a dictionary that takes as many patterns as it may, and no
 * more: half a gigabyte.
 */
#include "tests/match/match_test.h"

static void the_last_pattern_is_taken_and_the_next_refused(void **state)
{
    struct match_dictionary *dictionary = NULL;
    const struct match_pattern pattern = { .bytes = (const uint8_t *)"x", .len = 1 };
    uint32_t index = 0;

    (void)state;
    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    for (uint32_t i = 0; i < LIMIT_PATTERN_COUNT; i++)
        TEST_OK(match_dictionary_add(dictionary, &pattern, &index, &test_err));
    assert_int_equal(index, LIMIT_PATTERN_COUNT - 1);
    assert_int_equal(match_dictionary_add(dictionary, &pattern, &index, &test_err), ERR_FULL);
    assert_non_null(strstr(test_err.text, "more than 16000000 patterns: split the dictionary"));
    assert_int_equal(match_dictionary_count(dictionary), LIMIT_PATTERN_COUNT);
    match_dictionary_destroy(dictionary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_pattern_is_taken_and_the_next_refused),
    };
    return cmocka_run_group_tests_name("match dictionary, full", tests, NULL, NULL);
}
