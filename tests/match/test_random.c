/* SPDX-License-Identifier: Apache-2.0
 * tests/match/test_random.c - every engine, behind the whole matcher, finds what the oracle finds.
 *
 * Method: random dictionaries (small alphabets, repeats, masks, folding, one pattern to 300) on
 * random texts, cut at random places, with every number of threads and slots and with room for few
 * hits; each answer compared hit by hit with the naive engine on the whole text. The seeds are
 * fixed, so a failure comes again.
 *
 * Labels: slow
 */
#include <stdio.h>

#include "tests/match/match_test.h"

enum { TEXT_MAX = 4000, DISK_LEN = 30000, CUTS_MAX = 12, PIECES_MAX = 50 };
#define ROUNDS FEW_OR_ALL(15, 25, 60)

struct trial {
    uint64_t random;
    uint32_t alphabet; /* bytes used, 1..256 */
    bool letters;      /* of both cases instead of small numbers */
};

static uint8_t trial_byte(struct trial *trial)
{
    const uint32_t n = test_random(&trial->random, trial->alphabet);

    return (uint8_t)(trial->letters ? (n % 2 ? 'a' : 'A') + n / 2 % 26 : n * 255 / trial->alphabet);
}

static uint32_t trial_pattern_len(struct trial *trial)
{
    switch (test_random(&trial->random, 8)) {
    case 0:
        return 1;
    case 1:
        return 1 + test_random(&trial->random, 40);
    case 2:
        return LIMIT_PATTERN_LEN - test_random(&trial->random, 3);
    default:
        return 1 + test_random(&trial->random, 8);
    }
}

/* Half of the patterns are cut from the text, so that there is something to find. */
static void trial_add_patterns(struct trial *trial, struct match_dictionary *dictionary,
                               uint32_t count, const uint8_t *text, uint32_t text_len)
{
    static const uint8_t masks[] = { 0, 0, 0xf0, 0x0f, 0xdf, 0x80, 0x01, 0xff };

    while (match_dictionary_count(dictionary) < count) {
        const uint32_t len = trial_pattern_len(trial);
        const bool masked = test_random(&trial->random, 3) == 0,
                   fold = test_random(&trial->random, 3) == 0;
        uint8_t bytes[LIMIT_PATTERN_LEN], mask[LIMIT_PATTERN_LEN];

        for (uint32_t i = 0; i < len; i++) {
            bytes[i] = trial_byte(trial);
            mask[i] = test_random(&trial->random, 3)
                          ? 0xff
                          : masks[test_random(&trial->random, sizeof masks)];
        }
        if (len <= text_len && test_random(&trial->random, 2))
            memcpy(bytes, text + test_random(&trial->random, text_len - len + 1), len);
        mask[test_random(&trial->random, len)] = 0xff;
        test_add(dictionary, bytes, masked ? mask : NULL, len, fold);
    }
}

/* Runs of one byte between random ones, as on a disk. */
static uint32_t trial_text(struct trial *trial, uint8_t *text)
{
    const uint32_t len = test_random(&trial->random, 4) ? test_random(&trial->random, 600)
                                                        : test_random(&trial->random, TEXT_MAX);
    uint32_t i = 0;

    while (i < len) {
        uint32_t run = test_random(&trial->random, 8) ? 1 : test_random(&trial->random, 400);
        const uint8_t byte = trial_byte(trial);

        while (run-- > 0 && i < len)
            text[i++] = byte;
    }
    return len;
}

static uint32_t trial_cuts(struct trial *trial, uint32_t len, uint32_t cuts[CUTS_MAX])
{
    const uint32_t count = test_random(&trial->random, CUTS_MAX + 1);

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t cut = test_random(&trial->random, len + 1);
        uint32_t to = i;

        while (to > 0 && cuts[to - 1] > cut) {
            cuts[to] = cuts[to - 1];
            to--;
        }
        cuts[to] = cut;
    }
    return count;
}

static void run_trial(const char *engine, uint32_t round)
{
    static const uint32_t alphabets[] = { 1, 2, 3, 5, 20, 256 };
    struct trial trial = { .random = 0x9e3779b97f4a7c15u * (round + 1) };
    trial.alphabet = alphabets[test_random(&trial.random, 6)];
    trial.letters = test_random(&trial.random, 2);
    uint8_t *text = malloc(TEXT_MAX);
    struct match_dictionary *dictionary = NULL;
    struct match_matcher *matcher = NULL;
    struct test_hits want = { 0 }, got = { 0 };
    uint32_t cuts[CUTS_MAX];

    assert_non_null(text);
    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    const uint32_t len = trial_text(&trial, text);
    const uint32_t most = len > 300 ? 20 : 300;
    const uint32_t count = 1 + test_random(&trial.random, test_random(&trial.random, 2) ? most : 6);
    trial_add_patterns(&trial, dictionary, count, text, len);

    struct match_options options = { .engine = engine,
                                     .threads = 1 + test_random(&trial.random, 8),
                                     .slots = 1 + test_random(&trial.random, 5),
                                     .segment_len = len > 0 ? len : 1 };
    const bool few = test_random(&trial.random, 2);
    const uint64_t offset = (uint64_t)test_random(&trial.random, 1000) << 32;
    test_oracle(dictionary, text, len, offset, &want);
    /* Room for few hits cuts a segment into pieces, and each piece is searched again. */
    options.hits_max = few ? 1 + want.count / PIECES_MAX : 0;
    TEST_OK(match_open(dictionary, &options, &matcher, &test_err));
    const uint32_t cut_count = trial_cuts(&trial, len, cuts);
    test_scan(matcher, text, len, offset, cuts, cut_count, &got);
    test_hits_sort(&got);
    if (!test_hits_equal(&want, &got))
        fail_msg("%s, round %u: %u hits, the oracle has %u", engine, round, got.count, want.count);

    match_close(matcher);
    match_dictionary_destroy(dictionary);
    free(want.items);
    free(got.items);
    free(text);
}

static void engine_agrees_with_the_oracle(void **state)
{
    const struct match_engine *engine = *state;

    if (engine->missing() != NULL)
        skip();
    for (uint32_t round = 0; round < ROUNDS; round++)
        run_trial(engine->name, round);
}

/* Runs of zeros and of random bytes over many blocks, with signatures planted close to every
 * multiple of 512. */
static void disk_text(struct trial *trial, const struct match_dictionary *dictionary, uint8_t *text)
{
    for (uint32_t i = 0; i < DISK_LEN;) {
        const bool zeros = test_random(&trial->random, 3) == 0;

        for (uint32_t run = test_random(&trial->random, 9000); run > 0 && i < DISK_LEN; run--)
            text[i++] = zeros ? 0 : trial_byte(trial);
    }
    for (uint32_t edge = 512; edge < DISK_LEN - 512; edge += 512) {
        const uint32_t which = test_random(&trial->random, match_dictionary_count(dictionary));
        const struct match_pattern *pattern = match_dictionary_get(dictionary, which);

        memcpy(text + edge - test_random(&trial->random, pattern->len + 2), pattern->bytes,
               pattern->len);
    }
}

static void engine_agrees_on_a_disk(void **state)
{
    const struct match_engine *engine = *state;

    if (engine->missing() != NULL)
        skip();
    for (uint32_t threads = 1; threads <= 8; threads++) {
        const struct match_options options = { .engine = engine->name,
                                               .threads = threads,
                                               .slots = threads + 1,
                                               .segment_len = DISK_LEN };
        struct trial trial = { .random = 31 * threads, .alphabet = 256 };
        struct match_dictionary *dictionary = NULL;
        struct match_matcher *matcher = NULL;
        struct test_hits want = { 0 }, got = { 0 };
        uint32_t cuts[CUTS_MAX];
        uint8_t *text = malloc(DISK_LEN);

        assert_non_null(text);
        memset(text, 0xff, DISK_LEN);
        TEST_OK(match_dictionary_create(&dictionary, &test_err));
        trial_add_patterns(&trial, dictionary, 40, text, 0);
        disk_text(&trial, dictionary, text);
        TEST_OK(match_open(dictionary, &options, &matcher, &test_err));
        const uint32_t cut_count = trial_cuts(&trial, DISK_LEN, cuts);
        test_scan(matcher, text, DISK_LEN, 4096, cuts, cut_count, &got);
        test_hits_sort(&got);
        test_oracle(dictionary, text, DISK_LEN, 4096, &want);
        if (want.count == 0 || !test_hits_equal(&want, &got))
            fail_msg("%s, %u threads: %u hits, the oracle has %u", engine->name, threads, got.count,
                     want.count);
        match_close(matcher);
        match_dictionary_destroy(dictionary);
        free(want.items);
        free(got.items);
        free(text);
    }
}

#define ENGINE(id, role)                                                                           \
    { #id " agrees with the oracle", engine_agrees_with_the_oracle, NULL, NULL,                    \
      (void *)(uintptr_t)&match_##id##_engine },                                                   \
        { #id " agrees on a disk", engine_agrees_on_a_disk, NULL, NULL,                            \
          (void *)(uintptr_t)&match_##id##_engine },
int main(void)
{
    const struct CMUnitTest tests[] = {
#include "match/engines.def"
    };
    return cmocka_run_group_tests_name("match against the oracle", tests, NULL, NULL);
}
