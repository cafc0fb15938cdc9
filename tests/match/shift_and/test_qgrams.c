/* SPDX-License-Identifier: Apache-2.0
 * tests/match/shift_and/test_qgrams.c - lists of words on a device: the engine shift-and finds
 * them by qgrams (match/shift_and/qgrams.h).
 *
 * Method: lists with shortest words of each length that makes for other qgrams and another stride,
 * in both cases, with short patterns and wildcards among them, are looked for in texts full of
 * them, cut at odd places, on the stand-in and on a device of this machine if there is one; the
 * hits must be those of the oracle. And what the build answers is looked at: strides, and when it
 * is not asked.
 *
 * Labels: gpu
 */
#include "match/device/device_host.h"
#include "match/shift_and/qgrams_build.h"
#include "tests/match/match_test.h"

enum { WORDS = 600, TEXT_LEN = 12000, MEMORY = 64 << 20, LEN_MAX = 40 };

static const uint32_t shortest[] = { 4, 5, 6, 7, 8, 12 };
enum { LISTS = sizeof shortest / sizeof shortest[0] };

/* Words of few letters, so that qgrams are shared; every fourth in any case. */
static struct match_dictionary *make_list(uint32_t least, bool mixed)
{
    static const uint8_t letters[] = "abcdeAB";
    struct match_dictionary *dictionary = NULL;
    uint64_t seed = 77 + least;

    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    for (uint32_t i = 0; i < WORDS; i++) {
        const uint32_t len = least + (i % 3 == 0 ? 0 : test_random(&seed, LEN_MAX - least));
        uint8_t bytes[LEN_MAX];

        for (uint32_t k = 0; k < len; k++)
            bytes[k] = letters[test_random(&seed, 7)];
        test_add(dictionary, bytes, NULL, len, i % 4 == 0);
    }
    if (mixed) {
        test_add(dictionary, "ab", NULL, 2, false);
        test_add(dictionary, "a??c", "\xff\0\0\xff", 4, false);
        test_add(dictionary, "??cabcdead", "\0\0\xff\xff\xff\xff\xff\xff\xff\xff", 10, true);
    }
    return dictionary;
}

/* Words of the list one behind the other, in some other case now and then, with zeros and noise
 * between. */
static void make_text(const struct match_dictionary *dictionary, uint8_t *text)
{
    uint64_t seed = 99;

    for (uint32_t i = 0; i < TEXT_LEN;) {
        const struct match_pattern *pattern = match_dictionary_get(
            dictionary, test_random(&seed, match_dictionary_count(dictionary)));
        const uint8_t flip = test_random(&seed, 3) == 0 ? 0x20 : 0;

        for (uint32_t k = 0; k < pattern->len && i < TEXT_LEN; k++)
            text[i++] = pattern->bytes[k] ^ flip;
        for (uint32_t k = test_random(&seed, 9); k > 0 && i < TEXT_LEN; k--)
            text[i++] = test_random(&seed, 2) == 0 ? 0 : (uint8_t)test_random(&seed, 256);
    }
}

static void check_list(const struct match_dictionary *dictionary,
                       const struct device_provider *provider)
{
    static const uint32_t cuts[] = { 1, 2, 17, 4099, 4100, 9001 };
    static uint8_t text[TEXT_LEN];
    struct match_options options = {
        .engine = "shift-and", .threads = 1, .slots = 2, .segment_len = TEXT_LEN
    };
    struct test_hits want = { 0 }, got = { 0 };
    struct match_matcher *matcher = NULL;

    options.devices = provider;
    make_text(dictionary, text);
    test_oracle(dictionary, text, TEXT_LEN, 5, &want);
    assert_true(want.count > 100);
    for (uint32_t count = 0; count <= sizeof cuts / sizeof cuts[0]; count += 3) {
        TEST_OK(match_open(dictionary, &options, &matcher, &test_err));
        test_scan(matcher, text, TEXT_LEN, 5, cuts, count, &got);
        match_close(matcher);
        test_hits_sort(&got);
        if (!test_hits_equal(&want, &got))
            fail_msg("%u cuts: %u hits, want %u", count, got.count, want.count);
        got.count = 0;
    }
    free(want.items);
    free(got.items);
}

static void check_all(const struct device_provider *provider)
{
    for (uint32_t i = 0; i < 2 * LISTS; i++) {
        struct match_dictionary *dictionary = make_list(shortest[i / 2], i % 2 != 0);

        check_list(dictionary, provider);
        match_dictionary_destroy(dictionary);
    }
}

static void lists_give_the_oracles_hits(void **state)
{
    struct device_host host;

    (void)state;
    device_host_init(&host, 1, MEMORY);
    const struct device_provider provider = device_host_provider(&host);
    check_all(&provider);
    assert_int_equal(host.in_use, 0);
    device_host_release(&host);
}

static void the_real_device_gives_the_oracles_hits(void **state)
{
    (void)state;
    if (device_cuda_missing() != NULL)
        skip();
    check_all(NULL);
}

static void strides_and_qgrams_are_as_long_as_words_allow(void **state)
{
    static const uint32_t strides[LISTS] = { 1, 1, 2, 2, 2, 2 }, lens[LISTS] = { 4, 5, 5, 6, 7, 8 };

    (void)state;
    for (uint32_t i = 0; i < LISTS; i++) {
        struct match_dictionary *dictionary = make_list(shortest[i], false);
        bool taken[WORDS] = { false };
        struct qgrams *qgrams = NULL;
        size_t size = 0;

        assert_int_equal(qgrams_take(dictionary, taken), WORDS);
        TEST_OK(qgrams_build(dictionary, taken, &qgrams, &size, &test_err));
        assert_int_equal(qgrams->stride, strides[i]);
        assert_int_equal(qgrams->qgram, lens[i]);
        assert_int_equal(qgrams->entry_count, WORDS * strides[i]);
        free(qgrams);
        match_dictionary_destroy(dictionary);
    }
}

/* A stride looks at half of the places, for qgrams that are shorter and twice as many: it pays
 * until text is full of them. */
static void a_stride_is_taken_while_it_costs_less(void **state)
{
    static const struct {
        uint32_t words, letters, stride;
    } lists[] = { { 3000, 26, 2 }, { 8000, 26, 2 }, { 50000, 26, 1 }, { 20000, 5, 1 } };

    (void)state;
    for (uint32_t l = 0; l < sizeof lists / sizeof lists[0]; l++) {
        struct match_dictionary *dictionary = NULL;
        struct qgrams *qgrams = NULL;
        uint64_t seed = 5;
        size_t size = 0;
        bool *taken = calloc(lists[l].words, sizeof *taken);

        assert_non_null(taken);
        TEST_OK(match_dictionary_create(&dictionary, &test_err));
        for (uint32_t i = 0; i < lists[l].words; i++) {
            uint8_t word[12];
            const uint32_t len = 6 + test_random(&seed, sizeof word - 6 + 1);

            for (uint32_t k = 0; k < len; k++) /* the first letters are common */
                word[k] =
                    (uint8_t)('a' + test_random(&seed, 1 + test_random(&seed, lists[l].letters)));
            test_add(dictionary, word, NULL, len, false);
        }
        assert_int_equal(qgrams_take(dictionary, taken), lists[l].words);
        TEST_OK(qgrams_build(dictionary, taken, &qgrams, &size, &test_err));
        assert_int_equal(qgrams->stride, lists[l].stride);
        assert_int_equal(qgrams->qgram, qgrams->stride == 2 ? 5 : 6);
        free(qgrams);
        free(taken);
        match_dictionary_destroy(dictionary);
    }
}

static void short_lists_and_short_patterns_go_another_way(void **state)
{
    struct match_dictionary *dictionary = NULL;
    bool taken[WORDS] = { false };

    (void)state;
    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    for (uint32_t i = 0; i < 100; i++)
        test_add(dictionary, "window", NULL, 6, false);
    assert_int_equal(qgrams_take(dictionary, taken), 100); /* text, and long enough for a stride */
    test_add(dictionary, "short", NULL, 5, false);
    assert_int_equal(qgrams_take(dictionary, taken), 0);
    assert_false(taken[0]);
    for (uint32_t i = 101; i < WORDS; i++)
        test_add(dictionary, "windows", NULL, i == 300 ? 3 : 7, false);
    assert_int_equal(qgrams_take(dictionary, taken), WORDS - 1);
    assert_false(taken[300]);
    assert_true(taken[0]);
    match_dictionary_destroy(dictionary);
}

/* More words than 18 bits can number, two of them in each hundred bytes of the text; and what is
 * said where the device has not the memory for them. */
static void long_lists_are_searched_or_refused(void **state)
{
    enum {
        COUNT = ASAN_OR_ALL(60000, 300000),
        ROOM_FEW = ASAN_OR_ALL(4 << 20, 16 << 20), /* not enough for its table */
        LEN = 9,
        EVERY = COUNT / 100,
        APART = 64,
        LONG = COUNT / EVERY * APART
    };
    static uint8_t text[LONG];
    struct match_options options = {
        .engine = "shift-and", .threads = 1, .slots = 1, .segment_len = LONG
    };
    static const uint32_t cuts[] = { 5, 64, 69, 2000, 2003 };
    struct match_dictionary *dictionary = NULL;
    struct match_matcher *matcher = NULL;
    struct test_hits want = { 0 }, got = { 0 };
    struct device_host host;

    (void)state;
    memset(text, '.', LONG);
    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    for (uint32_t i = 0; i < COUNT; i++) {
        uint8_t word[LEN] = "wor";

        for (uint32_t k = LEN, rest = i; k-- > 3; rest /= 10)
            word[k] = (uint8_t)('a' + rest % 10);
        test_add(dictionary, word, NULL, LEN, i % 2 == 0);
        if (i % EVERY != 0)
            continue;
        const struct hit hit = { .offset = i / EVERY * APART, .pattern = i, .len = LEN };
        for (uint32_t k = 0; k < LEN; k++)
            text[hit.offset + k] = word[k] ^ (i % 2 == 0 ? 0x20 : 0);
        test_hits_add(&want, &hit, 1);
    }
    device_host_init(&host, 1, UINT64_C(1) << 30);
    const struct device_provider provider = device_host_provider(&host);
    options.devices = &provider;
    TEST_OK(match_open(dictionary, &options, &matcher, &test_err));
    test_scan(matcher, text, LONG, 0, cuts, sizeof cuts / sizeof cuts[0], &got);
    match_close(matcher);
    test_hits_sort(&got);
    assert_true(test_hits_equal(&want, &got));
    device_host_release(&host);

    device_host_init(&host, 1, ROOM_FEW);
    assert_int_equal(match_open(dictionary, &options, &matcher, &test_err), ERR_ENV);
    assert_non_null(strstr(test_err.text, "no room for the search's table on device 0"));
    assert_non_null(strstr(test_err.text, "MiB are free; end what else uses the device"));
    device_host_release(&host);
    match_dictionary_destroy(dictionary);
    free(want.items);
    free(got.items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_give_the_oracles_hits),
        cmocka_unit_test(the_real_device_gives_the_oracles_hits),
        cmocka_unit_test(strides_and_qgrams_are_as_long_as_words_allow),
        cmocka_unit_test(a_stride_is_taken_while_it_costs_less),
        cmocka_unit_test(short_lists_and_short_patterns_go_another_way),
        cmocka_unit_test(long_lists_are_searched_or_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
