/* SPDX-License-Identifier: Apache-2.0
 * tests/match/papers/rabin_karp/test_rk_fused.c - Rabin-Karp in one pass: which way windows roll,
 * and what is found, for sets of patterns of one length.
 *
 * Method: sets of 1 to thousands of patterns over alphabets of 2 to 256 letters, cut out of the
 * text or made up, some in another case, are searched for on the stand-in on the host, and on a
 * device where there is one; hits must be the oracle's. What the ways are that sets take is worked
 * out by hand.
 *
 * Labels: gpu
 */
#include "match/device/device_host.h"
#include "match/papers/rabin_karp/rk_fused.h"
#include "tests/match/match_test.h"

enum { TEXT = 30000, MEMORY = 256 << 20 };

struct set {
    uint32_t letters, len, count;
    bool fold;
    enum rk_fused_way way;
    uint32_t window;
};

/*
 * Words want bits * window >= log2(4 * count), up, + 6, with the bits of a letter rounded down, and
 * windows of 4 * ((len - 3) / 4) bytes; bytes have all of the pattern up to 32.
 */
static const struct set sets[] = {
    { 2, 30, 256, false, RK_FUSED_WORDS, 24 },    /* 24 >= 10 + 6 */
    { 2, 20, 256, false, RK_FUSED_WORDS, 16 },    /* 16 >= 16 */
    { 2, 20, 257, false, RK_FUSED_BYTES, 20 },    /* 16 < 17 */
    { 2, 10, 1, false, RK_FUSED_BYTES, 10 },      /* 4 < 8 */
    { 4, 12, 100, false, RK_FUSED_WORDS, 8 },     /* 16 >= 15 */
    { 64, 7, 1000, false, RK_FUSED_WORDS, 4 },    /* 24 >= 18 */
    { 256, 40, 3000, false, RK_FUSED_WORDS, 32 }, /* a filter in device memory */
    { 64, 6, 9000, false, RK_FUSED_BYTES, 6 },    /* another */
    { 256, 1, 50, false, RK_FUSED_BYTES, 1 },     { 256, 255, 20, false, RK_FUSED_WORDS, 32 },
    { 26, 11, 40, true, RK_FUSED_WORDS, 8 }, /* 32 >= 14 */
    { 2, 33, 5, true, RK_FUSED_WORDS, 28 },
};

static uint8_t letter(const struct set *set, uint64_t *seed)
{
    const uint32_t x = test_random(seed, set->letters);

    return (uint8_t)(set->letters == 256 ? x
                     : set->fold         ? 'A' + x % 26 + (test_random(seed, 2) ? 0x20 : 0)
                                         : '0' + x);
}

static struct match_dictionary *make_set(const struct set *set, uint8_t *text)
{
    struct match_dictionary *dictionary = NULL;
    uint64_t seed = 0xfeed + set->len;

    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    for (uint32_t i = 0; i < TEXT; i++)
        text[i] = letter(set, &seed);
    for (uint32_t i = 0; i < set->count; i++) {
        uint8_t bytes[LIMIT_PATTERN_LEN];

        for (uint32_t k = 0; k < set->len; k++)
            bytes[k] = letter(set, &seed);
        if (i % 3 == 0)
            memcpy(bytes, text + test_random(&seed, TEXT - set->len), set->len);
        test_add(dictionary, bytes, NULL, set->len, set->fold);
    }
    return dictionary;
}

static void sets_take_the_way_that_suits_them(void **state)
{
    static uint8_t text[TEXT];

    (void)state;
    for (uint32_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        struct match_dictionary *dictionary = make_set(&sets[i], text);
        struct rk_fused_head *head = NULL;
        size_t size = 0;

        TEST_OK(rk_fused_build(dictionary, false, 0, &head, &size, &test_err));
        assert_int_equal(head->group_count, 1);
        assert_int_equal(head->groups[0].way, sets[i].way);
        assert_int_equal(head->groups[0].window, sets[i].window);
        assert_int_equal(head->groups[0].filter_far, sets[i].count >= 3000);
        assert_int_equal(size, sizeof *head + 4 * head->words);
        free(head);
        match_dictionary_destroy(dictionary);
    }
}

/* The sum that has rolled to a window is that of the window alone. */
static void sums_roll(void **state)
{
    enum { LEN = 200, WINDOW = 12 };
    const struct rk_fused_group prime = {
        .way = RK_FUSED_PRIME, .window = WINDOW, .base = 257, .drop = 0
    };
    uint32_t power = 1, sum = 0;
    uint64_t seed = 5;
    uint8_t text[LEN];

    (void)state;
    for (uint32_t i = 0; i < LEN; i++)
        text[i] = (uint8_t)test_random(&seed, 256);
    for (uint32_t i = 0; i < WINDOW; i++)
        power = power * 257 % RK_PRIME_Q;
    for (uint32_t i = 0; i < LEN; i++) {
        const uint32_t old = i < WINDOW ? 0 : text[i - WINDOW];

        sum = rk_fused_roll(RK_FUSED_PRIME, 257, RK_PRIME_Q - power, sum, text[i], old);
        assert_true(sum < 1u << 17);
        if (i + 1 >= WINDOW)
            assert_int_equal(
                rk_fused_hash(RK_FUSED_PRIME, sum),
                rk_fused_hash(RK_FUSED_PRIME, rk_fused_sum(&prime, text + i + 1 - WINDOW)));
    }
}

static void check_set(const struct set *set, const char *engine,
                      const struct device_provider *provider)
{
    static uint8_t text[TEXT];
    static const uint32_t cuts[] = { 1, 700, 16001 };
    struct match_dictionary *dictionary = make_set(set, text);
    const struct match_options options = {
        .engine = engine, .threads = 1, .slots = 2, .segment_len = TEXT, .devices = provider
    };
    struct test_hits want = { 0 }, got = { 0 };
    struct match_matcher *matcher = NULL;

    TEST_OK(match_open(dictionary, &options, &matcher, &test_err));
    test_scan(matcher, text, TEXT, 3, cuts, 3, &got);
    match_close(matcher);
    test_hits_sort(&got);
    TEST_OK(match_open(
        dictionary,
        &(struct match_options){ .engine = "words", .threads = 1, .slots = 2, .segment_len = TEXT },
        &matcher, &test_err));
    test_scan(matcher, text, TEXT, 3, cuts, 3, &want);
    match_close(matcher);
    test_hits_sort(&want);
    if (!test_hits_equal(&want, &got))
        fail_msg("%s: %u letters, length %u, %u patterns: %u hits, want %u", engine, set->letters,
                 set->len, set->count, got.count, want.count);
    assert_true(want.count > 0);
    match_dictionary_destroy(dictionary);
    free(want.items);
    free(got.items);
}

static void sets_are_found_on_the_stand_in(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        struct device_host host;

        device_host_init(&host, 1, MEMORY);
        const struct device_provider provider = device_host_provider(&host);
        check_set(&sets[i], "rk:cuda", &provider);
        check_set(&sets[i], "rk:cuda-prime", &provider);
        check_set(&sets[i], "rk:cuda-scan", &provider);
        device_host_release(&host);
    }
}

static void sets_are_found_on_a_device(void **state)
{
    static const char *const engines[] = {
        "rk:cuda",        "rk:cuda-prime",  "rk:cuda-scan",
        "rk:cuda-direct", "match-str:cuda", "quick-search:cuda"
    };

    (void)state;
    if (match_rk_cuda_engine.missing() != NULL)
        skip();
    for (uint32_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        for (uint32_t k = 0; k < sizeof engines / sizeof engines[0]; k++)
            check_set(&sets[i], engines[k], NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_take_the_way_that_suits_them),
        cmocka_unit_test(sums_roll),
        cmocka_unit_test(sets_are_found_on_the_stand_in),
        cmocka_unit_test(sets_are_found_on_a_device),
    };
    return cmocka_run_group_tests_name("Rabin-Karp in one pass", tests, NULL, NULL);
}
