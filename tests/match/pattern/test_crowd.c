/* SPDX-License-Identifier: Apache-2.0
 * tests/match/pattern/test_crowd.c - how many matches there can be at one place: never less than
 * naive finds there, and not many more.
 */
#include <stdio.h>

#include "match/pattern/crowd.h"
#include "tests/match/match_test.h"

enum { ROUNDS = 300, TEXT_LEN = 400, PATTERNS_MAX = 60, LIST = 50000 };

/* Patterns of few letters: equal ones, ones that begin and end others, folded and masked ones. */
static struct match_dictionary *few_letters(uint64_t *random)
{
    const uint32_t count = 1 + test_random(random, PATTERNS_MAX);
    struct match_dictionary *dictionary = NULL;

    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t len = 1 + test_random(random, 20), kind = test_random(random, 4);
        uint8_t bytes[20], mask[20];

        for (uint32_t k = 0; k < len; k++) {
            bytes[k] = (uint8_t)("aA\0"[test_random(random, 3)]);
            mask[k] = test_random(random, 3) == 0 ? 0xdf : 0xff;
        }
        test_add(dictionary, bytes, kind == 0 ? mask : NULL, len, kind == 1);
    }
    return dictionary;
}

static void no_place_has_more_than_is_said(void **state)
{
    uint64_t random = 4;
    uint8_t text[TEXT_LEN];

    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct match_dictionary *dictionary = few_letters(&random);
        uint32_t begin[TEXT_LEN] = { 0 }, end[TEXT_LEN + 1] = { 0 };
        struct test_hits all = { 0 };
        struct match_crowd crowd;

        for (uint32_t i = 0; i < TEXT_LEN; i++)
            text[i] = (uint8_t)("aA\0"[test_random(&random, 3)]);
        test_oracle(dictionary, text, TEXT_LEN, 0, &all);
        TEST_OK(match_crowd(dictionary, &crowd, &test_err));
        for (uint32_t i = 0; i < all.count; i++) {
            assert_in_range(++begin[all.items[i].offset], 1, crowd.begin);
            assert_in_range(++end[all.items[i].offset + all.items[i].len], 1, crowd.end);
        }
        assert_in_range(crowd.begin, 1, match_dictionary_count(dictionary));
        assert_in_range(crowd.end, 1, match_dictionary_count(dictionary));
        match_dictionary_destroy(dictionary);
        free(all.items);
    }
}

/* Room for a list of different words is for a few at a place, whatever they have in common. */
static void different_words_are_no_crowd(void **state)
{
    struct match_dictionary *dictionary = NULL;
    struct match_crowd crowd;

    (void)state;
    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    for (uint32_t i = 0; i < LIST; i++) {
        char word[32];

        test_add(dictionary, word, NULL, (uint32_t)snprintf(word, sizeof word, "+49 %u", i * 7919),
                 i % 2 == 0);
    }
    TEST_OK(match_crowd(dictionary, &crowd, &test_err));
    assert_in_range(crowd.begin, 1, LIST / 20);
    assert_in_range(crowd.end, 1, LIST / 20);
    match_dictionary_destroy(dictionary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_place_has_more_than_is_said),
        cmocka_unit_test(different_words_are_no_crowd),
    };
    return cmocka_run_group_tests_name("match crowd", tests, NULL, NULL);
}
