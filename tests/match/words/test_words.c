/* SPDX-License-Identifier: Apache-2.0
 * tests/match/words/test_words.c - every form of the engine for large dictionaries finds what the
 * oracle finds.
 *
 * Method: dictionaries whose fingerprints fall in one group or in many, with and without masks and
 * case folding; texts with patterns planted across the edges of steps and blocks; the text's bytes
 * lie against the end of their memory, so that a read behind them is seen.
 *
 * Labels: slow
 */
#include "match/words/words.h"
#include "match/words/words_tables.h"
#include "tests/match/match_test.h"

enum { TEXT_LEN = 40000, FORMS_MAX = 4 };

struct words_case {
    const char *name;
    uint32_t patterns;
    uint32_t len_min, len_max;
    uint32_t alphabet; /* of patterns and text, from 'A' on if less than 256 */
    bool masked, folded;
    uint32_t groups_min; /* fingerprint lengths expected */
};

static const struct words_case cases[] = {
    { "words", 800, 6, 16, 58, false, true, 1 },
    { "words with case", 800, 6, 16, 58, false, false, 1 },
    { "words of eight", 900, 8, 13, 30, false, true, 1 },
    { "long ones", 80, 120, 255, 256, false, true, 1 },
    { "all lengths", 600, 1, 255, 256, false, true, 2 },
    { "short", 300, 1, 3, 256, false, true, 1 },
    { "pairs", 2000, 2, 2, 256, false, false, 1 },
    { "single bytes", 5, 1, 1, 256, false, false, 1 },
    { "masked", 400, 1, 40, 256, true, true, 2 },
    { "long and masked", 300, 40, 255, 256, true, false, 1 },
    { "two letters", 300, 3, 60, 2, false, false, 1 },
    { "four letters", 1000, 12, 30, 4, false, true, 1 },
    { "long", 60, 250, 255, 4, true, true, 1 },
    { "few short words", 200, 4, 5, 26, false, true, 1 },
    { "many short words", 1500, 4, 5, 20, false, false, 1 },
};

static uint8_t words_byte(uint64_t *random, const struct words_case *c)
{
    const uint32_t n = test_random(random, c->alphabet);

    return (uint8_t)(c->alphabet < 256 ? 'A' + n : n);
}

static struct match_dictionary *words_patterns(const struct words_case *c, uint64_t *random)
{
    struct match_dictionary *dictionary = NULL;

    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    for (uint32_t i = 0; i < c->patterns; i++) {
        const uint32_t len = c->len_min + test_random(random, c->len_max - c->len_min + 1);
        uint8_t bytes[LIMIT_PATTERN_LEN], mask[LIMIT_PATTERN_LEN];

        for (uint32_t k = 0; k < len; k++) {
            bytes[k] = words_byte(random, c);
            mask[k] = (uint8_t)(test_random(random, 4) ? 0xff : test_random(random, 256));
        }
        mask[test_random(random, len)] = (uint8_t)(test_random(random, 9) ? 0xff : 0x3c);
        mask[0] |= 1;
        test_add(dictionary, bytes, c->masked ? mask : NULL, len,
                 c->folded && test_random(random, 2));
    }
    return dictionary;
}

static void words_text(const struct words_case *c, const struct match_dictionary *dictionary,
                       uint64_t *random, uint8_t *text)
{
    for (uint32_t i = 0; i < TEXT_LEN; i++)
        text[i] = words_byte(random, c);
    memset(text + 9000, 0, 3000);
    for (uint32_t edge = 64; edge < TEXT_LEN; edge += 64 + test_random(random, 300)) {
        const struct match_pattern *pattern =
            match_dictionary_get(dictionary, test_random(random, c->patterns));
        const uint32_t before = test_random(random, pattern->len + 2),
                       at = edge > before ? edge - before : 0;

        if (at + pattern->len <= TEXT_LEN)
            memcpy(text + at, pattern->bytes, pattern->len);
    }
}

static uint32_t words_forms(const struct words_form *forms[FORMS_MAX])
{
    uint32_t count = 0;

    forms[count++] = &words_portable;
#ifdef __x86_64__
    if (match_words_avx2_engine.missing() == NULL)
        forms[count++] = &words_avx2;
    if (match_words_avx512_engine.missing() == NULL)
        forms[count++] = &words_avx512;
    if (match_words_gather_engine.missing() == NULL)
        forms[count++] = &words_gather;
#endif
    return count;
}

/* Tables are looked up so, whatever suits this processor. */
static void words_set_halves(struct words_program *program, bool by_halves)
{
    for (uint32_t g = 0; g < program->group_count; g++)
        program->groups[g].by_halves = by_halves;
}

static bool words_have_rider(const struct words_program *program)
{
    bool have = false;

    for (uint32_t g = 0; g < program->group_count; g++)
        have = have || (program->groups[g].rider != NULL && program->groups[g].rider->rides);
    return have;
}

/* by_halves: how tables of 128 bytes are looked up. rides: a group must ride, if the
 * form can do that. */
static void check_form(const struct match_dictionary *dictionary, const struct words_form *form,
                       const uint8_t *text, const struct test_hits *want, const char *name,
                       uint32_t number, bool by_halves, bool rides)
{
    static const uint32_t ends[] = { 1,     2,     63,    64,    511,   777,   4096,
                                     16383, 16384, 16385, 20000, 39487, 39990, TEXT_LEN };
    struct match_sink sink = { .items = malloc((want->count + 1u) * sizeof *sink.items),
                               .max = want->count };
    struct words_program *program = NULL;
    struct test_hits got = { 0 };
    uint32_t from = 0;

    assert_non_null(sink.items);
    TEST_OK(words_build(dictionary, form, &program, &test_err));
    words_set_halves(program, by_halves);
    assert_true(!rides || !form->rider || words_have_rider(program));
    for (uint32_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        /* Every other stretch is all of the text there is; the others have more behind them. */
        const struct match_text part = { .bytes = text,
                                         .len = i % 2 ? TEXT_LEN : ends[i],
                                         .offset = 1u << 20 };
        uint8_t *exact = malloc(part.len);
        struct match_text copy = part;

        assert_non_null(exact);
        memcpy(exact, text, part.len);
        copy.bytes = exact;
        assert_true(words_scan(program, &copy, from, ends[i], &sink));
        free(exact);
        from = ends[i];
    }
    test_hits_add(&got, sink.items, sink.count);
    test_hits_sort(&got);
    if (!test_hits_equal(want, &got))
        fail_msg("%s, form %u: %u hits, the oracle has %u", name, number, got.count, want->count);

    /* No room for one of them: says so, and leaves the sink as it was. */
    if (want->count > 0) {
        const struct match_text whole = { .bytes = text, .len = TEXT_LEN };

        sink.count = 1;
        assert_false(words_scan(program, &whole, 0, TEXT_LEN, &sink));
        assert_int_equal(sink.count, 1);
    }
    words_destroy(program);
    free(sink.items);
    free(got.items);
}

static void every_form_agrees_with_the_oracle(void **state)
{
    uint8_t *text = malloc(TEXT_LEN);

    (void)state;
    assert_non_null(text);
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t random = 177 + i;
        struct match_dictionary *dictionary = words_patterns(&cases[i], &random);
        struct words_program *program = NULL;
        struct test_hits want = { 0 };
        const struct words_form *forms[FORMS_MAX];

        words_text(&cases[i], dictionary, &random, text);
        test_oracle(dictionary, text, TEXT_LEN, 1u << 20, &want);
        TEST_OK(words_build(dictionary, &words_portable, &program, &test_err));
        assert_in_range(program->group_count, cases[i].groups_min, WORDS_GROUPS);
        for (uint32_t form = 0; form < words_forms(forms); form++)
            for (int halves = 0; halves < 1 + forms[form]->sieve; halves++)
                check_form(dictionary, forms[form], text, &want, cases[i].name, form, halves == 1,
                           false);
        words_destroy(program);
        match_dictionary_destroy(dictionary);
        free(want.items);
    }
    free(text);
}

/* Text of syllables, in any case, and now and then a stretch of zeros or of random bytes. */
static void words_syllables(uint64_t *random, uint8_t *text, uint32_t len)
{
    static const char *const syllables[] = {
        "in", "tion", "er", "re", "an",  "at",  "st",  "en",
        "al", "or",   "de", "lo", "con", "pro", "ing", "ment"
    };
    uint32_t at = 0;

    while (at < len) {
        const char *syllable = syllables[test_random(random, 16)];
        const uint32_t kind = test_random(random, 400);
        const uint32_t many = kind < 2 ? 700 : (uint32_t)strlen(syllable);

        for (uint32_t k = 0; k < many && at < len; k++, at++)
            text[at] = kind == 0   ? 0
                       : kind == 1 ? (uint8_t)test_random(random, 256)
                                   : (uint8_t)(syllable[k] ^ (test_random(random, 8) ? 0 : 0x20));
    }
}

/* Words of four letters beside 900 longer ones: their group rides with the other. */
static void a_small_group_rides(void **state)
{
    static const char *const few[] = { "java", "Lock", "jazz", "kiwi",
                                       "menT", "inin", "reAL", "zoom" };
    enum { LONG = 900, FEW = sizeof few / sizeof few[0] };
    const struct words_form *forms[FORMS_MAX];
    struct match_dictionary *dictionary = NULL;
    struct test_hits want = { 0 };
    uint8_t *text = malloc(TEXT_LEN), word[16];
    uint64_t random = 5;

    (void)state;
    assert_non_null(text);
    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    for (uint32_t i = 0; i < LONG; i++) {
        words_syllables(&random, word, sizeof word);
        test_add(dictionary, word, NULL, 8 + test_random(&random, 8), true);
    }
    for (uint32_t i = 0; i < FEW; i++)
        test_add(dictionary, few[i], NULL, 4, i % 2);
    words_syllables(&random, text, TEXT_LEN);
    for (uint32_t at = 61; at + 4 < TEXT_LEN; at += 100 + test_random(&random, 3000))
        memcpy(text + at, few[test_random(&random, FEW)], 4);
    test_oracle(dictionary, text, TEXT_LEN, 1u << 20, &want);
    for (uint32_t form = 0; form < words_forms(forms); form++)
        for (int halves = 0; halves < 1 + forms[form]->sieve; halves++)
            check_form(dictionary, forms[form], text, &want, "rides", form, halves == 1, true);
    match_dictionary_destroy(dictionary);
    free(want.items);
    free(text);
}

/* Zeros for a pattern, zeros for a text, equal patterns, and one in the other: hits at every byte.
 */
static void dense_hits_are_all_found(void **state)
{
    struct match_dictionary *dictionary = NULL;
    struct test_hits want = { 0 };
    const struct words_form *forms[FORMS_MAX];
    uint8_t *text = calloc(1, TEXT_LEN), zeros[LIMIT_PATTERN_LEN] = { 0 };

    (void)state;
    assert_non_null(text);
    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    for (uint32_t i = 0; i < 20; i++)
        test_add(dictionary, zeros, NULL, i < 10 ? 7 : 1 + i * 13, i % 2);
    test_oracle(dictionary, text, TEXT_LEN, 1u << 20, &want);
    for (uint32_t form = 0; form < words_forms(forms); form++)
        check_form(dictionary, forms[form], text, &want, "zeros", form, false, false);
    match_dictionary_destroy(dictionary);
    free(want.items);
    free(text);
}

/* More than 18 bits can number. Random bytes do not match by chance: what is planted is what must
 * be found. */
static void a_large_dictionary_builds_and_finds(void **state)
{
    enum { PLANTED = 200, EVERY = ASAN_OR_ALL(300, 1350), COUNT = EVERY * PLANTED };
    struct match_dictionary *dictionary = NULL;
    struct words_program *program = NULL;
    uint64_t random = 5;
    const struct words_form *forms[FORMS_MAX];
    uint8_t *text = calloc(1, PLANTED * 300u);
    struct match_sink sink = { .items = malloc(PLANTED * sizeof *sink.items), .max = PLANTED };
    const struct match_text whole = { .bytes = text, .len = PLANTED * 300u };

    (void)state;
    assert_non_null(text);
    assert_non_null(sink.items);
    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t len = 8 + test_random(&random, LIMIT_PATTERN_LEN - 8 + 1);
        uint8_t bytes[LIMIT_PATTERN_LEN], mask[LIMIT_PATTERN_LEN];

        for (uint32_t k = 0; k < len; k++) {
            bytes[k] = (uint8_t)test_random(&random, 256);
            mask[k] = k % 8 == 2 ? 0xf0 : 0xff;
        }
        test_add(dictionary, bytes, i % 2 ? mask : NULL, len, false);
        if (i % EVERY == 0)
            memcpy(text + i / EVERY * 300, bytes, len);
    }
    for (uint32_t form = 0; form < words_forms(forms); form++) {
        struct test_hits got = { 0 };

        sink.count = 0;
        TEST_OK(words_build(dictionary, forms[form], &program, &test_err));
        assert_true(words_scan(program, &whole, 0, whole.len, &sink));
        words_destroy(program);
        test_hits_add(&got, sink.items, sink.count);
        test_hits_sort(&got);
        assert_int_equal(got.count, PLANTED);
        for (uint32_t i = 0; i < PLANTED; i++) {
            assert_int_equal(got.items[i].offset, i * 300);
            assert_int_equal(got.items[i].pattern, i * EVERY);
        }
        free(got.items);
    }
    match_dictionary_destroy(dictionary);
    free(sink.items);
    free(text);
}

/* Patterns of masks alone stand for so many fingerprints that the program would not fit: refused,
 * in words. */
static void too_many_masked_fingerprints_are_refused(void **state)
{
    struct match_dictionary *dictionary = NULL;
    struct words_program *program = NULL;

    (void)state;
    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    for (uint32_t i = 0; i <= WORDS_MASKED_MAX / 128; i++)
        test_add(dictionary, "\1", "\1", 1, false);
    assert_int_equal(words_build(dictionary, &words_portable, &program, &test_err), ERR_FULL);
    assert_null(program);
    match_dictionary_destroy(dictionary);
}

/* Keywords that share a long beginning must not all hang on it: each would be compared wherever it
 * stands. */
static void shared_beginnings_are_avoided(void **state)
{
    struct match_dictionary *dictionary = NULL;
    struct words_program *program = NULL;
    uint32_t most = 0;

    (void)state;
    test_shared_beginnings(&dictionary);
    TEST_OK(words_build(dictionary, &words_portable, &program, &test_err));
    const struct words_group *group = &program->groups[0];
    for (uint32_t i = 0, run = 0; i < TEST_SHARED; i++) {
        run = group->entries[i].ends ? 0 : run + 1;
        most = run + 1 > most ? run + 1 : most;
    }
    assert_in_range(most, 1, 16);
    words_destroy(program);
    match_dictionary_destroy(dictionary);
}

/* Every fingerprint passes the sieve or the map of a form, or its couples, where there is one; runs
 * of zeros, which disks are full of, pass no sieve and no couples. runs: patterns may have three
 * zeros, one behind the other. */
static void check_first_step(const struct words_form *form, uint32_t count, bool map,
                             uint32_t table_bits, bool by_halves, bool runs)
{
    struct match_dictionary *dictionary = NULL;
    struct words_program *program = NULL;
    uint64_t random = 3 + count;
    uint8_t *text = calloc(count + WORDS_PAD / WORDS_STEP + 1, WORDS_STEP);
    uint16_t places[2 * WORDS_STEP];
    struct words_ridden ridden = { 0 };

    assert_non_null(text);
    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    for (uint32_t k = 0; k < count; k++) {
        uint8_t *bytes = text + (size_t)k * WORDS_STEP;

        for (uint32_t b = 0; b < 6; b++) /* many zeros, so that the sets let runs of them through */
            bytes[b] = (uint8_t)(test_random(&random, 2) ? 0 : 1 + test_random(&random, 255));
        bytes[5] |= 1;
        bytes[2] |= !runs;
        test_add(dictionary, bytes, NULL, 6, false);
    }
    TEST_OK(words_build(dictionary, form, &program, &test_err));
    words_set_halves(program, by_halves);
    assert_int_equal(program->group_count, 1);
    const struct words_group *group = &program->groups[0];
    assert_int_equal(group->map != NULL, map && form->map);
    assert_int_equal(group->couples != NULL, form->couples && table_bits > 0 && !runs);
    assert_int_equal(group->sieve == NULL ? 0 : group->sieve->table_bits,
                     form->sieve && group->couples == NULL ? table_bits : 0);
    for (uint32_t k = 0; k < count; k++) {
        bool seen = false;

        for (uint32_t i =
                 form->find(group, text + (size_t)k * WORDS_STEP, WORDS_STEP, places, &ridden)
                     .candidates;
             i > 0; i--)
            seen = seen || places[i - 1] < 6;
        assert_true(seen);
    }
    memset(text, 0, WORDS_STEP * 2);
    if (group->sieve != NULL || group->couples != NULL)
        assert_int_equal(form->find(group, text, WORDS_STEP, places, &ridden).candidates, 0);
    words_destroy(program);
    match_dictionary_destroy(dictionary);
    free(text);
}

static void the_first_step_keeps_fingerprints_and_not_zeros(void **state)
{
    const struct words_form *forms[FORMS_MAX];

    (void)state;
    for (uint32_t form = 0; form < words_forms(forms); form++) {
        for (int halves = 0; halves < 1 + forms[form]->sieve; halves++) {
            check_first_step(forms[form], 30, true, 0, halves == 1, true);
            check_first_step(forms[form], 300, true, WORDS_TABLE_BITS - 1, halves == 1, true);
            check_first_step(forms[form], 3000, true, WORDS_TABLE_BITS, halves == 1, true);
            check_first_step(forms[form], 9000, false, 0, halves == 1, true);
            check_first_step(forms[form], 3000, true, WORDS_TABLE_BITS, halves == 1, false);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_agrees_with_the_oracle),
        cmocka_unit_test(a_small_group_rides),
        cmocka_unit_test(dense_hits_are_all_found),
        cmocka_unit_test(a_large_dictionary_builds_and_finds),
        cmocka_unit_test(too_many_masked_fingerprints_are_refused),
        cmocka_unit_test(shared_beginnings_are_avoided),
        cmocka_unit_test(the_first_step_keeps_fingerprints_and_not_zeros),
    };
    return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}
