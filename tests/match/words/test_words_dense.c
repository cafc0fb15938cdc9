/* SPDX-License-Identifier: Apache-2.0
 * tests/match/words/test_words_dense.c - the engine for large dictionaries goes over to its dense
 * program and back, and loses nothing on the way.
 *
 * Method: text of which a part is full of words, words cut short and words with a byte wrong, in
 * other places each time; every form, with few patterns (tables) and many (cells, where a form has
 * them); the text's bytes lie against the ends of their memory.
 */
#include <pthread.h>

#include "match/words/words_dense.h"
#include "tests/match/match_test.h"

enum { ROOM = 1000000, FORMS_MAX = 4, WORD_MAX = 20, TEXT = 60000, FEW = 200, MANY = 6100 };

struct dense_case {
    uint32_t patterns, len_min, len_max;
    bool folded, masked;
};

static const struct dense_case cases[] = {
    { FEW, 6, 16, true, false },  { FEW, 6, 16, false, false },
    { FEW, 2, 9, true, false },   { FEW, 12, WORD_MAX, true, true },
    { MANY, 6, 16, true, false }, { MANY, 6, WORD_MAX, true, true },
};
enum { CASES = sizeof cases / sizeof cases[0] };

static uint32_t dense_forms(const struct words_form *forms[FORMS_MAX])
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

/* Words of few letters, with some of other bytes; each third one is the beginning of another. */
static struct match_dictionary *dense_patterns(const struct dense_case *c, uint64_t *random)
{
    struct match_dictionary *dictionary = NULL;
    static const uint8_t odd[] = { '_', '[', '{', '-', 0xc3, 0 };
    uint8_t bytes[WORD_MAX] = { 0 }, mask[WORD_MAX];

    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    for (uint32_t i = 0; i < c->patterns; i++) {
        const uint32_t len = c->len_min + test_random(random, c->len_max - c->len_min + 1);

        for (uint32_t k = i % 3 == 2 ? len / 2 : 0; k < len; k++)
            bytes[k] = (uint8_t)('a' + test_random(random, 9));
        if (i % 7 == 0)
            bytes[test_random(random, len)] = odd[test_random(random, sizeof odd)];
        memset(mask, 0xff, sizeof mask);
        if (c->masked && i % 2 == 0)
            mask[test_random(random, len)] = 0xf7;
        test_add(dictionary, bytes, c->masked ? mask : NULL, len, c->folded && i % 5 != 0);
    }
    return dictionary;
}

/* Words one behind the other, whole, cut, or with a byte or a letter's case changed. */
static void dense_write(const struct match_dictionary *dictionary, uint64_t *random, uint8_t *text,
                        uint32_t len)
{
    for (uint32_t at = 0; at < len;) {
        const struct match_pattern *pattern = match_dictionary_get(
            dictionary, test_random(random, match_dictionary_count(dictionary)));
        const uint32_t kind = test_random(random, 4),
                       some = 1 + test_random(random, pattern->len - 1);
        const uint32_t put = pattern->len < len - at ? pattern->len : len - at;

        memcpy(text + at, pattern->bytes, put);
        if (kind == 1 && at + some < len)
            text[at + some] ^= 0x20;
        if (kind == 2 && at + put < len)
            text[at + put - 1] ^= 3;
        at += kind == 3 ? some : put;
    }
}

static void dense_fill(uint64_t *random, uint8_t *text, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++)
        text[i] = (uint8_t)test_random(random, 256);
}

/* What another engine finds. */
static void dense_oracle(const struct match_dictionary *dictionary, const uint8_t *text,
                         uint32_t len, struct test_hits *out)
{
    const struct match_setup setup = { .threads = 1 };
    const struct match_text whole = { .bytes = text, .len = len };
    void *program = NULL;

    *out = (struct test_hits){ 0 };
    if (match_dictionary_count(dictionary) > FEW) {
        struct match_sink sink = { .items = malloc(ROOM * sizeof *sink.items), .max = ROOM };

        assert_non_null(sink.items);
        TEST_OK(match_ac_engine.compile(dictionary, &setup, &program, &test_err));
        assert_true(match_ac_engine.scan(program, &whole, 0, len, &sink));
        match_ac_engine.release(program);
        *out = (struct test_hits){ .items = sink.items, .count = sink.count, .max = ROOM };
        test_hits_sort(out);
    } else {
        test_oracle(dictionary, text, len, 0, out);
    }
}

/* Whatever has been judged of the dense program, it is tried. */
static void dense_scan(const struct words_program *program, const uint8_t *text, uint32_t len,
                       const uint32_t *cuts, uint32_t count, struct match_sink *sink)
{
    uint32_t from = 0;

    sink->count = 0;
    atomic_store(&program->late->pause, 0);
    for (uint32_t i = 0; i <= count; i++) {
        const uint32_t to = cuts != NULL && i < count ? cuts[i] : len;
        const struct match_text part = { .bytes = text, .len = i % 2 ? len : to };

        assert_true(words_scan(program, &part, from, to, sink));
        from = to;
    }
}

static bool dense_is_equal(const struct test_hits *want, const struct match_sink *sink)
{
    struct test_hits got = { .items = sink->items, .count = sink->count };

    test_hits_sort(&got);
    return test_hits_equal(want, &got);
}

/* Makes a program find nothing. */
static void dense_blind(struct words_program *program)
{
    for (uint32_t g = 0; g < program->group_count; g++) {
        struct words_group *group = &program->groups[g];

        if (group->twins != NULL)
            memset(group->twins, 0, sizeof *group->twins << (64 - group->twins_shift));
        else
            memset(group->bitmap, 0, ((size_t)1 << (64 - group->bitmap_shift)) / 8);
    }
}

/* A program whose dense one has been made. */
static struct words_program *dense_program(const struct match_dictionary *dictionary,
                                           const struct words_form *form, uint64_t *random)
{
    enum { SAMPLE = 32768 };
    struct words_program *program = NULL;
    uint8_t *sample = calloc(1, SAMPLE + WORDS_PAD);

    assert_non_null(sample);
    dense_write(dictionary, random, sample, SAMPLE);
    TEST_OK(words_build(dictionary, form, &program, &test_err));
    assert_non_null(program->late);
    assert_null(words_dense(program));
    assert_non_null(words_dense_make(program, sample, SAMPLE));
    program->late->dense_cost = 1; /* all but zeros is dense */
    free(sample);
    return program;
}

/* Sparse text, dense text from a place on, and sparse text again. */
static void check_case(const struct dense_case *c, uint32_t number)
{
    const uint32_t rounds = c->patterns == FEW ? 18 : 6;
    const struct words_form *forms[FORMS_MAX];
    const uint32_t count = dense_forms(forms);
    struct match_sink sink = { .items = malloc(ROOM * sizeof *sink.items), .max = ROOM };
    uint64_t random = 31 + number;
    struct match_dictionary *dictionary = dense_patterns(c, &random);
    struct words_program *programs[FORMS_MAX];
    uint8_t *text = malloc(TEXT);

    assert_non_null(sink.items);
    assert_non_null(text);
    for (uint32_t f = 0; f < count; f++)
        programs[f] = dense_program(dictionary, forms[f], &random);
    for (uint32_t round = 0; round < rounds; round++) {
        const uint32_t begin = round % 3 == 0 ? 0 : 3000 + 67 * round + test_random(&random, 5000);
        const uint32_t end = round % 3 == 1 ? TEXT : TEXT - 500 - test_random(&random, 20000);
        const uint32_t cuts[] = { 100 + round, 12000 + test_random(&random, 64),
                                  42000 + test_random(&random, 4096) };
        struct test_hits want;

        dense_fill(&random, text, TEXT);
        dense_write(dictionary, &random, text + begin, end - begin);
        dense_oracle(dictionary, text, TEXT, &want);
        for (uint32_t f = 0; f < count; f++) {
            dense_scan(programs[f], text, TEXT, cuts, round % 4, &sink);
            if (!dense_is_equal(&want, &sink))
                fail_msg("case %u, form %u, round %u: %u hits, the oracle has %u", number, f, round,
                         sink.count, want.count);
        }
        free(want.items);
    }
    for (uint32_t f = 0; f < count; f++) { /* it is asked indeed */
        const uint32_t all = (dense_scan(programs[f], text, TEXT, NULL, 0, &sink), sink.count);

        dense_blind(atomic_load(&programs[f]->late->program));
        dense_scan(programs[f], text, TEXT, NULL, 0, &sink);
        assert_in_range(sink.count, 1, all - 1);
        words_destroy(programs[f]);
    }
    match_dictionary_destroy(dictionary);
    free(sink.items);
    free(text);
}

static void goes_in_and_out_of_dense_text(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < CASES; i++)
        check_case(&cases[i], i);
}

/* In a sink that is filled to the last hit all is found; in a smaller one nothing is, and it says
 * so. */
static void says_when_there_is_no_room(void **state)
{
    const struct words_form *forms[FORMS_MAX];
    const uint32_t count = dense_forms(forms);
    struct match_sink sink = { .items = malloc(ROOM * sizeof *sink.items), .max = ROOM };
    uint8_t *text = malloc(TEXT);

    (void)state;
    assert_non_null(sink.items);
    assert_non_null(text);
    for (uint32_t i = 0; i < CASES; i += CASES - 2) {
        uint64_t random = 5 + i;
        struct match_dictionary *dictionary = dense_patterns(&cases[i], &random);
        const struct match_text whole = { .bytes = text, .len = TEXT };
        struct test_hits want;

        dense_write(dictionary, &random, text, TEXT);
        dense_oracle(dictionary, text, TEXT, &want);
        for (uint32_t f = 0; f < count; f++) {
            struct words_program *program = dense_program(dictionary, forms[f], &random);

            sink.max = want.count;
            sink.count = 0;
            assert_true(words_scan(program, &whole, 0, TEXT, &sink));
            assert_true(dense_is_equal(&want, &sink));
            for (uint32_t less = 1; less < want.count; less *= 5) {
                sink.max = want.count - less;
                sink.count = 0;
                assert_false(words_scan(program, &whole, 0, TEXT, &sink));
                assert_int_equal(sink.count, 0);
            }
            words_destroy(program);
        }
        match_dictionary_destroy(dictionary);
        free(want.items);
    }
    free(sink.items);
    free(text);
}

struct dense_thread {
    const struct words_program *program;
    const uint8_t *text;
    struct match_sink sink;
    pthread_t thread;
};

static void *dense_thread_run(void *arg)
{
    struct dense_thread *t = arg;

    for (uint32_t time = 0; time < 3; time++)
        dense_scan(t->program, t->text, TEXT, NULL, 0, &t->sink);
    return NULL;
}

/* One of the threads that meet dense text makes the program, while the others scan; before that
 * there is none. */
static void threads_make_it_while_they_scan(void **state)
{
    enum { THREADS = 4 };
    const struct words_form *forms[FORMS_MAX];
    const uint32_t count = dense_forms(forms);
    uint64_t random = 77;
    struct match_dictionary *dictionary = dense_patterns(&cases[0], &random);
    uint8_t *text = malloc(TEXT);
    struct test_hits want;

    (void)state;
    assert_non_null(text);
    dense_write(dictionary, &random, text, TEXT);
    dense_oracle(dictionary, text, TEXT, &want);
    for (uint32_t f = 0; f < count; f++) {
        struct words_program *program = NULL;
        struct dense_thread threads[THREADS];

        TEST_OK(words_build(dictionary, forms[f], &program, &test_err));
        for (uint32_t i = 0; i < THREADS; i++) {
            threads[i] = (struct dense_thread){ .program = program, .text = text };
            threads[i].sink =
                (struct match_sink){ .items = malloc(ROOM * sizeof(struct hit)), .max = ROOM };
            assert_non_null(threads[i].sink.items);
            assert_null(i == 0 ? words_dense(program) : NULL);
            assert_int_equal(
                pthread_create(&threads[i].thread, NULL, dense_thread_run, &threads[i]), 0);
        }
        for (uint32_t i = 0; i < THREADS; i++) {
            assert_int_equal(pthread_join(threads[i].thread, NULL), 0);
            assert_true(dense_is_equal(&want, &threads[i].sink));
            free(threads[i].sink.items);
        }
        assert_non_null(words_dense(program));
        words_destroy(program);
    }
    match_dictionary_destroy(dictionary);
    free(want.items);
    free(text);
}

/* A dense program that is no better is left alone for a while, each time longer; one that is better
 * is not. */
static void a_program_that_is_no_better_is_left_alone(void **state)
{
    uint64_t random = 3;
    struct match_dictionary *dictionary = dense_patterns(&cases[0], &random);
    struct words_program *program = dense_program(dictionary, &words_portable, &random);
    const struct words_sample sample = { 0 };
    uint32_t left[3] = { 0 };

    (void)state;
    assert_non_null(words_dense_met(program, 1000, &sample));
    words_dense_judge(program, true);
    assert_non_null(words_dense_met(program, 1000, &sample));
    for (uint32_t i = 0; i < 3; i++) {
        words_dense_judge(program, i == 2);
        while (words_dense_met(program, 1000, &sample) == NULL)
            left[i]++;
    }
    assert_in_range(left[0], 100, 1000);
    assert_in_range(left[1], 2 * left[0] - 1, 2 * left[0] + 1);
    assert_int_equal(left[2], 0);
    words_destroy(program);
    match_dictionary_destroy(dictionary);
}

/* Patterns without two bytes of their own in a row have no fingerprint that could be rare: the text
 * is scanned as before. */
static void masks_alone_make_none(void **state)
{
    struct match_dictionary *dictionary = NULL;
    struct words_program *program = NULL;
    static uint8_t sample[8192 + WORDS_PAD];

    (void)state;
    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    test_add(dictionary, "abcdefgh", NULL, 8, false);
    test_add(dictionary, "abcd", "\xff\xf0\xff\xf0", 4, false);
    TEST_OK(words_build(dictionary, &words_portable, &program, &test_err));
    assert_null(words_dense_make(program, sample, 8192));
    assert_null(words_dense_make(program, sample, 8192));
    words_destroy(program);
    match_dictionary_destroy(dictionary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_in_and_out_of_dense_text),
        cmocka_unit_test(says_when_there_is_no_room),
        cmocka_unit_test(threads_make_it_while_they_scan),
        cmocka_unit_test(a_program_that_is_no_better_is_left_alone),
        cmocka_unit_test(masks_alone_make_none),
    };
    return cmocka_run_group_tests_name("words_dense", tests, NULL, NULL);
}
