/* SPDX-License-Identifier: Apache-2.0
 * tests/match/test_matcher.c - slots, pieces, engines by name, and the edges of the interface. */
#include "base/thread.h"
#include "match/slot.h"
#include "tests/match/match_test.h"

static struct match_dictionary *dictionary_of(const char *pattern, uint32_t len)
{
    struct match_dictionary *dictionary = NULL;

    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    if (len > 0)
        test_add(dictionary, pattern, NULL, len, false);
    return dictionary;
}

static struct match_matcher *open_matcher(const struct match_dictionary *dictionary,
                                          struct match_options options)
{
    struct match_matcher *matcher = NULL;

    TEST_OK(match_open(dictionary, &options, &matcher, &test_err));
    return matcher;
}

static void slots_are_aligned_and_have_room_for_the_carry(void **state)
{
    static const uint32_t lens[] = { 1, 5000, 65536, 3 << 20 };

    (void)state;
    struct match_dictionary *dictionary = dictionary_of("0123456789", 10);
    test_add_regex(dictionary, "a", false);
    for (uint32_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        struct match_matcher *matcher = open_matcher(
            dictionary, (struct match_options){ .threads = 1, .slots = 3, .segment_len = lens[i] });

        assert_int_equal(match_slot_count(matcher), 3);
        assert_int_equal(match_carry(matcher), LIMIT_REGEX_MATCH_LEN - 1);
        for (uint32_t slot = 0; slot < 3; slot++) {
            uint8_t *bytes = match_slot_bytes(matcher, slot);

            assert_int_equal((uintptr_t)bytes % 4096, 0);
            memset(bytes - match_carry(matcher), 0xaa, match_carry(matcher) + lens[i]);
        }
        match_close(matcher);
    }
    match_dictionary_destroy(dictionary);
}

/* A hit at every byte: many pieces, none larger than asked for, in order, none lost. */
static void dense_segments_come_in_pieces(void **state)
{
    enum { LEN = 50000, HITS_MAX = 700 };
    struct match_dictionary *dictionary = dictionary_of("\0\0\0", 3);

    (void)state;
    for (uint32_t e = 0; e < match_engine_count(); e++) {
        if (match_engine_get(e).missing != NULL)
            continue;
        struct match_matcher *matcher =
            open_matcher(dictionary, (struct match_options){ .engine = match_engine_get(e).name,
                                                             .threads = 2,
                                                             .slots = 1,
                                                             .segment_len = LEN,
                                                             .hits_max = HITS_MAX });
        const struct match_segment segment = { .offset = 2, .fresh_len = LEN, .carry_len = 2 };
        struct match_hits hits;
        uint64_t next = 0;

        memset(match_slot_bytes(matcher, 0) - 2, 0, LEN + 2);
        match_submit(matcher, 0, &segment);
        do {
            TEST_OK(match_collect(matcher, 0, &hits, &test_err));
            assert_true(hits.count <= HITS_MAX);
            for (uint32_t i = 0; i < hits.count; i++)
                assert_int_equal(hits.items[i].offset, next++);
        } while (hits.more);
        assert_int_equal(next, LEN);
        match_close(matcher);
    }
    match_dictionary_destroy(dictionary);
}

/* More patterns end at one byte than were asked for in one piece: the room grows to hold them. */
static void room_for_all_patterns_at_one_byte(void **state)
{
    enum { PATTERNS = 300 };
    static const uint32_t at[] = { 0, 1, 3 };
    struct match_dictionary *dictionary = dictionary_of("x", 1);
    struct test_hits got = { 0 };

    (void)state;
    for (uint32_t i = 1; i < PATTERNS; i++)
        test_add(dictionary, "x", NULL, 1, false);
    struct match_matcher *matcher = open_matcher(
        dictionary,
        (struct match_options){ .threads = 1, .slots = 1, .segment_len = 64, .hits_max = 1 });
    test_scan(matcher, (const uint8_t *)"xx.x", 4, 0, NULL, 0, &got);
    assert_int_equal(got.count, 3 * PATTERNS);
    for (uint32_t i = 0; i < got.count; i++) {
        assert_int_equal(got.items[i].offset, at[i / PATTERNS]);
        assert_int_equal(got.items[i].pattern, i % PATTERNS);
    }
    match_close(matcher);
    match_dictionary_destroy(dictionary);
    free(got.items);
}

static void nothing_comes_of_nothing(void **state)
{
    const struct match_segment empty = { .ends_range = true };
    struct match_hits hits;

    (void)state;
    struct match_dictionary *dictionary = dictionary_of("abc", 3);
    test_add_regex(dictionary, "a*", false);
    struct match_matcher *matcher = open_matcher(
        dictionary, (struct match_options){ .threads = 1, .slots = 1, .segment_len = 64 });
    match_submit(matcher, 0, &empty);
    TEST_OK(match_collect(matcher, 0, &hits, &test_err));
    assert_int_equal(hits.count, 0);
    assert_false(hits.more);
    match_close(matcher);
    match_dictionary_destroy(dictionary);

    dictionary = dictionary_of("", 0);
    matcher = open_matcher(dictionary,
                           (struct match_options){ .threads = 1, .slots = 1, .segment_len = 64 });
    struct test_hits got = { 0 };
    test_scan(matcher, (const uint8_t *)"anything", 8, 0, NULL, 0, &got);
    assert_int_equal(got.count, 0);
    match_close(matcher);
    match_dictionary_destroy(dictionary);
    match_close(NULL);
}

static void work_in_flight_is_waited_for(void **state)
{
    enum { LEN = 1 << 20 };
    struct match_dictionary *dictionary = dictionary_of("\1\2\3", 3);

    (void)state;
    struct match_matcher *matcher = open_matcher(
        dictionary, (struct match_options){ .threads = 2, .slots = 4, .segment_len = LEN });
    for (uint32_t slot = 0; slot < 4; slot++) {
        const struct match_segment segment = { .offset = (uint64_t)slot * LEN, .fresh_len = LEN };

        memset(match_slot_bytes(matcher, slot), (int)slot, LEN);
        match_submit(matcher, slot, &segment);
    }
    match_close(matcher);
    match_dictionary_destroy(dictionary);
}

/* One thread of many_threads_share: it scans the whole text with a matcher of its own. */
struct sharer {
    struct match_matcher *matcher;
    const uint8_t *text;
    uint32_t len;
    const uint32_t *cuts;
    uint32_t cut_count;
    struct test_hits got;
    struct thread thread;
};

static void scan_shared(void *arg)
{
    struct sharer *sharer = arg;

    test_scan(sharer->matcher, sharer->text, sharer->len, 0, sharer->cuts, sharer->cut_count,
              &sharer->got);
}

/*
 * Every engine that can be shared, by many threads at once, on segments that are hardly worth
 * searching: each thread finds what the oracle finds. The others say that they cannot be shared.
 */
static void many_threads_share(void **state)
{
    enum { THREADS = 8, SEGMENTS = 200, SEGMENT = 257, LEN = SEGMENTS * SEGMENT };
    static uint32_t cuts[SEGMENTS - 1]; /* each is set before it is read */
    struct match_dictionary *dictionary = dictionary_of("abc", 3);
    struct test_hits want = { 0 };
    uint8_t *text = malloc(LEN);
    uint64_t random = 5;

    (void)state;
    assert_non_null(text);
    test_add(dictionary, "ca", NULL, 2, true);
    test_add_regex(dictionary, "c+ab", false);
    for (uint32_t i = 0; i < LEN; i++)
        text[i] = (uint8_t)('a' + test_random(&random, 4));
    for (uint32_t i = 0; i < SEGMENTS - 1; i++)
        cuts[i] = (i + 1) * SEGMENT;
    struct match_matcher *oracle = open_matcher(
        dictionary,
        (struct match_options){ .engine = "naive", .threads = 1, .slots = 1, .segment_len = LEN });
    test_scan(oracle, text, LEN, 0, NULL, 0, &want);
    match_close(oracle);
    assert_true(want.count > 1000);
    for (uint32_t e = 0; e < match_engine_count(); e++) {
        const struct match_engine_info info = match_engine_get(e);
        struct sharer sharers[THREADS] = { 0 };

        if (info.missing != NULL)
            continue;
        struct match_matcher *matcher = open_matcher(
            dictionary,
            (struct match_options){
                .engine = info.name, .threads = THREADS, .slots = 3, .segment_len = SEGMENT });
        assert_int_equal(match_can_share(matcher),
                         strcmp(info.device, "CPU") == 0 && !info.threads_itself);
        if (!match_can_share(matcher))
            assert_int_equal(match_share(matcher, 3, &sharers[0].matcher, &test_err), ERR_ARG);
        for (uint32_t i = 0; match_can_share(matcher) && i < THREADS; i++) {
            sharers[i] = (struct sharer){
                .text = text, .len = LEN, .cuts = cuts, .cut_count = SEGMENTS - 1
            };
            TEST_OK(match_share(matcher, 1 + i, &sharers[i].matcher, &test_err));
            assert_int_equal(match_slot_count(sharers[i].matcher), 1 + i);
            TEST_OK(
                thread_start(&sharers[i].thread, "sharer", scan_shared, &sharers[i], &test_err));
        }
        for (uint32_t i = 0; match_can_share(matcher) && i < THREADS; i++) {
            thread_join(&sharers[i].thread);
            test_hits_sort(&sharers[i].got);
            assert_true(test_hits_equal(&want, &sharers[i].got));
            free(sharers[i].got.items);
            match_close(sharers[i].matcher);
        }
        match_close(matcher);
    }
    free(text);
    free(want.items);
    match_dictionary_destroy(dictionary);
}

static void engines_are_chosen_by_name(void **state)
{
    const struct match_options unknown = {
        .engine = "sorcery", .threads = 1, .slots = 1, .segment_len = 64
    };
    struct match_dictionary *dictionary = dictionary_of("abc", 3);
    struct match_matcher *matcher = NULL;
    uint32_t first = UINT32_MAX;

    (void)state;
    for (uint32_t i = 0; i < match_engine_count(); i++) {
        const struct match_engine_info info = match_engine_get(i);

        assert_true(strlen(info.name) > 0 && strlen(info.what) > 0 && strlen(info.device) > 0);
        if (info.missing != NULL)
            continue;
        if (first == UINT32_MAX)
            first = i;
        matcher = open_matcher(
            dictionary, (struct match_options){
                            .engine = info.name, .threads = 1, .slots = 1, .segment_len = 64 });
        assert_string_equal(match_engine(matcher), info.name);
        match_close(matcher);
    }
    matcher = open_matcher(
        dictionary,
        (struct match_options){ .engine = "auto", .threads = 1, .slots = 1, .segment_len = 64 });
    assert_string_equal(match_engine(matcher), match_engine_get(first).name);
    match_close(matcher);

    assert_int_equal(match_open(dictionary, &unknown, &matcher, &test_err), ERR_ARG);
    assert_null(matcher);
    assert_non_null(strstr(test_err.text, "sorcery"));
    assert_non_null(strstr(test_err.text, "naive"));
    match_dictionary_destroy(dictionary);
}

/* The vector engine cannot take a keyword list: by itself it is passed over, by name it says so at
 * once. */
static void the_vector_engine_leaves_large_dictionaries_alone(void **state)
{
    const struct match_options by_name = {
        .engine = "simd", .threads = 1, .slots = 1, .segment_len = 64
    };
    struct match_dictionary *dictionary = dictionary_of("abc", 3);
    struct match_matcher *matcher = NULL;

    (void)state;
    if (match_simd_engine.missing() != NULL)
        skip();
    for (uint32_t i = 0; i < 20000; i++)
        test_add(dictionary, &i, NULL, sizeof i, false);
    matcher = open_matcher(dictionary,
                           (struct match_options){ .threads = 1, .slots = 1, .segment_len = 64 });
    assert_string_equal(match_engine(matcher), "words");
    match_close(matcher);
    assert_int_equal(match_open(dictionary, &by_name, &matcher, &test_err), ERR_ARG);
    assert_non_null(strstr(test_err.text, "20001"));
    match_dictionary_destroy(dictionary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_are_aligned_and_have_room_for_the_carry),
        cmocka_unit_test(dense_segments_come_in_pieces),
        cmocka_unit_test(room_for_all_patterns_at_one_byte),
        cmocka_unit_test(nothing_comes_of_nothing),
        cmocka_unit_test(work_in_flight_is_waited_for),
        cmocka_unit_test(many_threads_share),
        cmocka_unit_test(engines_are_chosen_by_name),
        cmocka_unit_test(the_vector_engine_leaves_large_dictionaries_alone),
    };
    return cmocka_run_group_tests_name("matcher", tests, NULL, NULL);
}
