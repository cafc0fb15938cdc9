/* SPDX-License-Identifier: Apache-2.0
 * tests/match/auto/test_choose.c - `auto` takes its candidates from engines.def.
 *
 * Method: which engine scans before anything was measured is said by its role in engines.def and by
 * the dictionary; it is asked for dictionaries made for each role.
 */
#include "tests/match/match_test.h"

enum { FEW = 48, MANY = 49 }; /* patterns; docs/reference/simd.md */

static const struct match_engine *with_role(enum match_role role)
{
    uint32_t count;
    const struct match_listed *listed = match_engine_list(&count);

    for (uint32_t i = 0; i < count; i++)
        if (listed[i].role == role)
            return listed[i].engine;
    fail_msg("no line of engines.def has role %d", (int)role);
    return NULL;
}

static void lines_keep_what_their_roles_promise(void **state)
{
    uint32_t count;
    const struct match_listed *listed = match_engine_list(&count);

    (void)state;
    assert_int_equal(count, match_engine_count());
    for (uint32_t i = 0; i < count; i++) {
        const struct match_engine *engine = listed[i].engine;
        const bool candidate = listed[i].role >= MATCH_AUTO;

        if ((engine->suits != NULL) != candidate || (engine->good_for != NULL) != candidate)
            fail_msg("%s: role %d", engine->name, (int)listed[i].role);
        if (candidate)
            assert_null(engine->offload); /* auto calls scan */
        assert_int_equal(match_engine_get(i).is_paper, listed[i].role == MATCH_PAPER);
    }
    assert_non_null(with_role(MATCH_DEVICES)->offload);
    assert_string_equal(match_device_engine(), with_role(MATCH_DEVICES)->name);
}

/* Words that differ in their last two bytes. */
static struct match_dictionary *words_of(uint32_t count)
{
    struct match_dictionary *dictionary = NULL;

    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t bytes[] = { 'w', 'o', 'r', 'd', (uint8_t)(i >> 8), (uint8_t)i };

        test_add(dictionary, bytes, NULL, sizeof bytes, false);
    }
    return dictionary;
}

/* The engine that auto begins with, and its reason. */
static void check_first(struct match_dictionary *dictionary, const struct match_engine *want)
{
    void *program = NULL;
    char why[512];

    TEST_OK(match_auto_engine.compile(dictionary, &(struct match_setup){ .threads = 1 }, &program,
                                      &test_err));
    assert_string_equal(match_auto_name(program), want->name);
    match_auto_why(program, why, sizeof why);
    assert_non_null(strstr(why, want->good_for));
    match_auto_engine.release(program);
    match_dictionary_destroy(dictionary);
}

static void the_number_of_patterns_says_which_engine_begins(void **state)
{
    (void)state;
    check_first(words_of(1), with_role(MATCH_AUTO_FEW));
    check_first(words_of(FEW), with_role(MATCH_AUTO_FEW));
    check_first(words_of(MANY), with_role(MATCH_AUTO_MANY));
    check_first(words_of(5000), with_role(MATCH_AUTO_MANY));
}

/*
 * More patterns than simd takes, without a whole byte, so that words refuses them, and with more
 * bytes than make a small table.
 */
static void a_dictionary_that_suits_no_candidate_is_searched(void **state)
{
    enum { COUNT = 20000, LEN = 16 };
    struct match_dictionary *dictionary = NULL;
    uint32_t count;
    const struct match_listed *listed = match_engine_list(&count);

    (void)state;
    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    for (uint32_t i = 0; i < COUNT; i++) {
        uint8_t bytes[LEN], masks[LEN];

        for (uint32_t k = 0; k < LEN; k++) {
            bytes[k] = (uint8_t)(i >> k & 1);
            masks[k] = 1;
        }
        test_add(dictionary, bytes, masks, LEN, false);
    }
    for (uint32_t i = 0; i < count; i++)
        if (listed[i].role >= MATCH_AUTO)
            assert_false(listed[i].engine->suits(dictionary));
    check_first(dictionary, with_role(MATCH_AUTO_ANY));
}

/* Searches all of the text. */
static struct test_hits search(const void *program, const uint8_t *bytes, uint32_t len)
{
    enum { HITS = 64 };
    struct hit items[HITS];
    struct match_sink sink = { .items = items, .max = HITS };
    struct test_hits hits = { 0 };

    assert_true(match_auto_engine.scan(program, &(struct match_text){ .bytes = bytes, .len = len },
                                       0, len, &sink));
    test_hits_add(&hits, items, sink.count);
    test_hits_sort(&hits);
    return hits;
}

/* The first candidate is alone for 16 MiB. Whichever searches finds the same. */
static void a_long_search_tries_all_candidates(void **state)
{
    enum { LEN = 1 << 20, ALONE = 15, HITS = 10 };
    struct match_dictionary *dictionary = words_of(MANY);
    uint8_t *bytes = calloc(1, LEN);
    void *program = NULL;
    char why[512];

    (void)state;
    assert_non_null(bytes);
    for (uint32_t i = 0; i < HITS; i++)
        memcpy(bytes + LEN / HITS * i, (const uint8_t[]){ 'w', 'o', 'r', 'd', 0, (uint8_t)i }, 6);
    TEST_OK(match_auto_engine.compile(dictionary, &(struct match_setup){ .threads = 1 }, &program,
                                      &test_err));
    struct test_hits first = search(program, bytes, LEN);
    assert_int_equal(first.count, HITS);
    for (uint32_t i = 1;; i++) {
        struct test_hits again = search(program, bytes, LEN);

        assert_true(test_hits_equal(&first, &again));
        free(again.items);
        match_auto_why(program, why, sizeof why);
        const bool tried = strstr(why, "on samples of the data") != NULL;
        assert_false(tried && i < ALONE);
        if (tried)
            break;
    }
    match_auto_engine.release(program);
    match_dictionary_destroy(dictionary);
    free(first.items);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_keep_what_their_roles_promise),
        cmocka_unit_test(the_number_of_patterns_says_which_engine_begins),
        cmocka_unit_test(a_dictionary_that_suits_no_candidate_is_searched),
        cmocka_unit_test(a_long_search_tries_all_candidates),
    };
    return cmocka_run_group_tests_name("candidates of auto", tests, NULL, NULL);
}
