/* SPDX-License-Identifier: Apache-2.0
 * tests/match/simd/test_simd.c - every form of the vector engine finds what the oracle finds, by
 * itself and without the matcher.
 *
 * Method: the text lies in memory of exactly its size, so that a read past its end is seen by the
 * sanitizer; it is scanned in stretches, as the matcher does, with a sink that may be too small;
 * hits are compared one by one. A form that the processor lacks is reported as skipped.
 *
 * Labels: slow
 */
#include <pthread.h>

#include "match/simd/simd.h"
#include "tests/match/match_test.h"

#define ROUNDS FEW_OR_ALL(3, 12, 40)
#define DENSE_ROUNDS FEW_OR_ALL(2, 6, 16)
#define LONG_ROUNDS FEW_OR_ALL(1, 3, 8)
#define RUN_ROUNDS FEW_OR_ALL(12, 30, 60)
#define PLAN_TIMES FEW_OR_ALL(2, 3, 5)
enum { TEXT_MAX = 9000, SINK = 400000, ALIGNMENTS = 257 };

struct form_test {
    const struct match_engine *engine;
    struct match_dictionary *dictionary;
    void *program;
    uint8_t *text; /* [len], no byte more */
    uint32_t len;
    struct hit *items, *part_items; /* [SINK] */
    struct test_hits oracle;
};

static struct form_test form_open(const struct match_engine *engine)
{
    struct form_test t = { .engine = engine };

    t.items = malloc(SINK * sizeof *t.items);
    t.part_items = malloc(SINK * sizeof *t.part_items);
    assert_non_null(t.items);
    assert_non_null(t.part_items);
    TEST_OK(match_dictionary_create(&t.dictionary, &test_err));
    return t;
}

static void form_text(struct form_test *t, const void *bytes, uint32_t len)
{
    free(t->text);
    t->text = malloc(len > 0 ? len : 1);
    assert_non_null(t->text);
    t->len = len;
    if (len > 0)
        memcpy(t->text, bytes, len);
}

static void form_compile(struct form_test *t)
{
    const struct match_setup setup = { .threads = 1 };

    TEST_OK(t->engine->compile(t->dictionary, &setup, &t->program, &test_err));
}

static void form_close(struct form_test *t)
{
    t->engine->release(t->program);
    match_dictionary_destroy(t->dictionary);
    free(t->text);
    free(t->items);
    free(t->part_items);
    free(t->oracle.items);
}

/* All matches in the text, by the oracle. */
static void form_oracle(struct form_test *t)
{
    t->oracle.count = 0;
    test_oracle(t->dictionary, t->text, t->len, 5000, &t->oracle);
}

/* Scans text [from, to) in stretches of at most `stretch` bytes into a sink for `room` hits. */
static uint32_t form_scan(const struct form_test *t, uint32_t from, uint32_t to, uint32_t stretch,
                          uint32_t room)
{
    const struct match_text text = { .bytes = t->text, .len = t->len, .offset = 5000 };
    uint32_t count = 0, part = stretch;

    while (from < to) {
        const uint32_t len = part < to - from ? part : to - from;
        struct match_sink sink = { .items = t->items + count,
                                   .max = room < SINK - count ? room : SINK - count };

        if (t->engine->scan(t->program, &text, from, from + len, &sink)) {
            count += sink.count;
            from += len;
            part = len < stretch / 2 ? len * 2 : stretch;
        } else {
            assert_int_equal(sink.count, 0);
            assert_true(len > 1);
            part = len / 2;
        }
    }
    return count;
}

static uint32_t form_check(const struct form_test *t, uint32_t from, uint32_t to, uint32_t stretch,
                           uint32_t room)
{
    struct test_hits want = { .items = t->part_items };
    struct test_hits got = { .items = t->items, .count = form_scan(t, from, to, stretch, room) };

    for (uint32_t i = 0; i < t->oracle.count; i++) {
        const uint64_t past = t->oracle.items[i].offset - 5000 + t->oracle.items[i].len;

        if (past > from && past <= to)
            want.items[want.count++] = t->oracle.items[i];
    }
    test_hits_sort(&want);
    test_hits_sort(&got);
    if (!test_hits_equal(&want, &got))
        fail_msg("%s: %u bytes, [%u, %u) by %u, %u hits at a time: %u hits, the oracle has %u",
                 t->engine->name, t->len, from, to, stretch, room, got.count, want.count);
    return want.count;
}

static uint8_t random_byte(uint64_t *seed, uint32_t alphabet)
{
    static const uint8_t few[] = { 'a', 'b', 'A', 0, 0xff, 'B', 0x80, 0xe1 };

    return alphabet <= sizeof few ? few[test_random(seed, alphabet)]
                                  : (uint8_t)test_random(seed, 256);
}

static uint32_t random_len(uint64_t *seed)
{
    switch (test_random(seed, 10)) {
    case 0:
        return 255 - test_random(seed, 4);
    case 1:
        return 1 + test_random(seed, 255);
    case 2:
        return 8 + test_random(seed, 20);
    default:
        return 1 + test_random(seed, 10);
    }
}

/* Half of the patterns stand in the text, some of them at its ends. */
static void random_patterns(struct form_test *t, uint64_t *seed, uint32_t alphabet, uint32_t count)
{
    static const uint8_t masks[] = { 0, 0, 0xf0, 0x0f, 0xdf, 0x80, 0x01 };

    for (uint32_t i = 0; i < count; i++) {
        uint8_t bytes[255], mask[255];
        const uint32_t len = random_len(seed);

        for (uint32_t k = 0; k < len; k++) {
            bytes[k] = random_byte(seed, alphabet);
            mask[k] = test_random(seed, 4) == 0 ? masks[test_random(seed, sizeof masks)] : 0xff;
        }
        mask[test_random(seed, len)] = 0xff;
        if (len <= t->len && test_random(seed, 2) == 0) {
            const uint32_t where = test_random(seed, 4), last = t->len - len;

            memcpy(bytes,
                   t->text + (where == 0   ? 0
                              : where == 1 ? last
                                           : test_random(seed, last + 1)),
                   len);
        }
        test_add(t->dictionary, bytes, test_random(seed, 3) == 0 ? mask : NULL, len,
                 test_random(seed, 3) == 0);
    }
}

/* Random bytes and runs of one byte. */
static void random_text(struct form_test *t, uint64_t *seed, uint32_t alphabet)
{
    static uint8_t bytes[TEXT_MAX];
    const uint32_t len =
        test_random(seed, 6) == 0 ? test_random(seed, TEXT_MAX) : test_random(seed, 400);

    for (uint32_t i = 0; i < len;) {
        const uint8_t byte = random_byte(seed, alphabet);

        for (uint32_t run = test_random(seed, 12) == 0 ? test_random(seed, 300) : 1;
             run > 0 && i < len; run--)
            bytes[i++] = byte;
    }
    form_text(t, bytes, len);
}

static void finds_what_the_oracle_finds(void **state)
{
    static const uint32_t alphabets[] = { 1, 2, 4, 8, 256 };
    const struct match_engine *engine = *state;
    uint64_t total = 0;

    if (engine->missing() != NULL)
        skip();
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint64_t seed = 0x9e3779b97f4a7c15u * (round + 1);
        struct form_test t = form_open(engine);
        const uint32_t alphabet = alphabets[test_random(&seed, 5)];

        random_text(&t, &seed, alphabet);
        random_patterns(
            &t, &seed, alphabet,
            1 + test_random(&seed, test_random(&seed, 4) == 0 && t.len < 400 ? 400 : 24));
        form_compile(&t);
        form_oracle(&t);
        const uint32_t from = test_random(&seed, t.len + 1),
                       to = from + test_random(&seed, t.len - from + 1);
        total += form_check(&t, 0, t.len, UINT32_MAX, SINK);
        total += form_check(&t, from, to, 1 + test_random(&seed, 200), SINK);
        form_check(&t, 0, t.len, 1 + test_random(&seed, 6000),
                   match_dictionary_count(t.dictionary));
        form_close(&t);
    }
    assert_true(total > 100000); /* or the test shows nothing */
}

/* One match, at every place of texts of every length around a block and a piece, cut at every byte
 * close to it. */
static void finds_a_match_at_every_alignment(void **state)
{
    static const uint32_t lengths[] = { 1, 3, 4, 5, 8, 9, 65, 255 };
    static uint8_t bytes[4096 + 2 * ALIGNMENTS];
    const struct match_engine *engine = *state;
    uint8_t pattern[255];

    if (engine->missing() != NULL)
        skip();
    for (uint32_t i = 0; i < sizeof pattern; i++)
        pattern[i] = (uint8_t)(1 + i % 250);
    for (uint32_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
        const uint32_t len = lengths[l];
        struct form_test t = form_open(engine);

        test_add(t.dictionary, pattern, NULL, len, false);
        form_compile(&t);
        for (uint32_t at = 0; at < ALIGNMENTS; at++)
            for (uint32_t far = 0; far < (at % 8 == 0 ? 2 : 1); far++) {
                const uint32_t start = at + far * 4000;

                memset(bytes, 0, sizeof bytes);
                memcpy(bytes + start, pattern, len);
                form_text(&t, bytes, start + len + at % 3 * 40);
                const uint32_t near = start > 300 ? start - 300 : 0;

                for (uint32_t cut = start; cut <= start + len && cut < start + 10; cut++) {
                    const uint32_t before = form_scan(&t, near, cut, UINT32_MAX, SINK);

                    assert_int_equal(before, cut >= start + len);
                    assert_int_equal(form_scan(&t, cut, t.len, UINT32_MAX, SINK), 1 - before);
                }
                assert_int_equal(form_scan(&t, 0, t.len, UINT32_MAX, SINK), 1);
                assert_int_equal(t.items[0].offset, 5000 + start);
            }
        form_close(&t);
    }
}

/* Patterns of which there is one at nearly every place, in a sink that holds few of them. */
static void copes_with_a_hit_at_every_place(void **state)
{
    static const char *const patterns[] = { "\0\0", "\0\0\0\0\0\0\0\0\0\0\0\0", "\0", "\0\0\0\1",
                                            "\1\0\0\0" };
    static const uint32_t lens[] = { 2, 12, 1, 4, 4 };
    static uint8_t bytes[TEXT_MAX];
    const struct match_engine *engine = *state;

    if (engine->missing() != NULL)
        skip();
    struct form_test t = form_open(engine);
    for (uint32_t i = 0; i < 5; i++)
        test_add(t.dictionary, patterns[i], NULL, lens[i], false);
    form_compile(&t);
    bytes[5000] = 1;
    form_text(&t, bytes, sizeof bytes);
    form_oracle(&t);
    assert_true(form_check(&t, 0, t.len, UINT32_MAX, SINK) > 2 * TEXT_MAX);
    form_check(&t, 0, t.len, UINT32_MAX, 5);
    form_check(&t, 100, 7000, 777, 1000);
    form_close(&t);
}

/* Patterns of all kinds, of which dense text is made. */
/* Runs of one byte between patterns that begin or end with it, or have nothing else, and which
 * reach into them. */
static void finds_what_begins_and_ends_in_runs(void **state)
{
    static const struct {
        uint8_t bytes[16];
        uint32_t len;
        bool is_alone; /* with others fingerprints could be chosen so that there is none in a run */
    } patterns[] = {
        { { 0, 0, 0, 0, 0, 0, 'a', 'b' }, 8, false },
        { { 'P', 'K', 0, 0, 0, 0, 0, 0, 0 }, 9, false },
        { { 0, 0, 'x' }, 3, false },
        { { 'y', 0 }, 2, false },
        { { 0xff, 0xff, 0xff, 0xff, 1 }, 5, false },
        { { 2, 0xff, 0xff, 0xff }, 4, false },
        { { 'a', 0, 0, 0, 0, 0, 0, 0, 'b' }, 9, false },
        { { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, 12, true },
        { { 0xff, 0xff }, 2, true },
    };
    static const uint32_t lengths[] = { 7,   8,   63,  255,  256,  257,  263, 264,
                                        319, 320, 511, 1000, 4095, 4096, 4110 };
    const uint32_t count = sizeof patterns / sizeof patterns[0];
    const struct match_engine *engine = *state;
    uint64_t seed = 77;

    if (engine->missing() != NULL)
        skip();
    for (uint32_t round = 0; round < RUN_ROUNDS; round++) {
        struct form_test t = form_open(engine);
        uint8_t bytes[TEXT_MAX];
        uint32_t len = test_random(&seed, 20);

        memset(bytes, 'q', sizeof bytes);
        for (uint32_t i = 0; i < count; i++)
            if (!patterns[i].is_alone || round % 3 == i % 3)
                test_add(t.dictionary, patterns[i].bytes, NULL, patterns[i].len, false);
        while (len + 4200 < TEXT_MAX) {
            const uint32_t run = lengths[test_random(&seed, sizeof lengths / sizeof lengths[0])];
            const uint32_t which = test_random(&seed, count),
                           put = 1 + test_random(&seed, patterns[which].len);

            memcpy(bytes + len, patterns[which].bytes, put);
            len += put;
            memset(bytes + len, test_random(&seed, 3) ? 0 : 0xff, run);
            len += run;
            memcpy(bytes + len, patterns[which].bytes + test_random(&seed, patterns[which].len), 1);
            len += test_random(&seed, 2);
        }
        form_text(&t, bytes, len);
        form_compile(&t);
        form_oracle(&t);
        form_check(&t, 0, t.len, t.len, SINK);
        for (uint32_t i = 0; i < 6; i++) {
            const uint32_t from = test_random(&seed, t.len),
                           to = from + test_random(&seed, t.len - from) + 1;

            form_check(&t, from, to > t.len ? t.len : to, 1 + test_random(&seed, 700), SINK);
        }
        form_close(&t);
    }
}

/* Whether the plan for dense text is made or being made. */
static bool dense_is_begun(const struct form_test *t)
{
    const struct simd_program *program = t->program;

    return atomic_load(&program->late->taken);
}

static void dense_patterns(struct form_test *t)
{
    static const struct {
        const char *bytes, *mask;
        uint32_t len;
        bool fold_case;
    } patterns[] = {
        { "\xff\xd8\xff\xe0", "\xff\xff\xff\xf0", 4, false },
        { "RIFF\0\0\0\0WAVE", "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff", 12, false },
        { "RIFF\0\0\0\0AVI ", "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff", 12, false },
        { "PK\3\4", NULL, 4, false },
        { "BM", NULL, 2, false },
        { "\xff\xd9", NULL, 2, false },
        { "</html>", NULL, 7, true },
        { "%PDF-1.", NULL, 7, false },
        { "\xd0\xcf\x11\xe0\xa1\xb1", NULL, 6, false },
        { "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0", NULL, 10, false },
        { "\0\0\1\xba", NULL, 4, false },
        { "SQLite format 3 and so on, longer than two words of it", NULL, 53, false },
    };
    uint8_t longest[255];
    uint64_t seed = 77;

    for (uint32_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        test_add(t->dictionary, patterns[i].bytes, patterns[i].mask, patterns[i].len,
                 patterns[i].fold_case);
    for (uint32_t i = 0; i < sizeof longest; i++)
        longest[i] = (uint8_t)test_random(&seed, 256);
    test_add(t->dictionary, longest, NULL, sizeof longest, false);
    test_add(t->dictionary, longest + 100, NULL, 90, false);
}

/* Beginnings of patterns one behind the other, some of them whole, some with a byte wrong. */
static void dense_write(const struct form_test *t, uint64_t *seed, uint8_t *bytes, uint32_t len)
{
    for (uint32_t at = 0; at < len;) {
        const uint32_t count = match_dictionary_count(t->dictionary),
                       few = test_random(seed, 30) == 0 ? 0 : 2;
        const struct match_pattern *pattern = match_dictionary_get(
            t->dictionary, test_random(seed, count - few)); /* the last two are long */
        const uint32_t room = pattern->len < len - at ? pattern->len : len - at;
        const uint32_t kind = test_random(seed, 4),
                       put = kind < 2 ? 1 + test_random(seed, room) : room;

        memcpy(bytes + at, pattern->bytes, put);
        if (kind == 3)
            bytes[at + put - 1 - test_random(seed, put) / 2] ^= 1;
        at += put;
    }
}

/* Whether the form's filter takes the piece that begins there for a dense one. */
static bool dense_is_seen(const struct form_test *t, uint32_t at)
{
    static struct simd_found found;
    const struct simd_program *program = t->program;

    assert_true(at + SIMD_PIECE + SIMD_AHEAD <= t->len);
    return !program->form->filter(&program->sparse, t->text + at, SIMD_BLOCKS_MAX, program->most,
                                  &found);
}

/* Dense text begins and ends at every place of a block: in the first piece, in others, and at the
 * end of the text. */
static void goes_in_and_out_of_dense_text(void **state)
{
    enum { TEXT = 6 * SIMD_PIECE };
    static uint8_t bytes[TEXT];
    const struct match_engine *engine = *state;
    uint64_t seed = 99;
    uint32_t total = 0, seen = 0;

    if (engine->missing() != NULL)
        skip();
    struct form_test t = form_open(engine);
    dense_patterns(&t);
    form_compile(&t);
    for (uint32_t shift = 0; shift < 2 * SIMD_BLOCK; shift++) {
        const uint32_t from = shift % 3 == 0 ? shift : SIMD_PIECE + shift;
        const uint32_t to = shift % 4 == 0 ? TEXT - shift : 4 * SIMD_PIECE + shift * 7 % 300;

        for (uint32_t i = 0; i < TEXT; i++)
            bytes[i] = (uint8_t)test_random(&seed, 256);
        dense_write(&t, &seed, bytes + from, to - from);
        form_text(&t, bytes, TEXT - shift / 2);
        form_oracle(&t);
        seen += dense_is_seen(&t, 2 * SIMD_PIECE + shift);
        assert_false(from > SIMD_PIECE && dense_is_seen(&t, 0));
        total += form_check(&t, 0, t.len, UINT32_MAX, SINK);
        form_check(&t, shift, t.len - shift, 1 + shift * 97, SINK);
        form_check(&t, SIMD_PIECE + shift, t.len, SIMD_PIECE - SIMD_BLOCK + shift, 100);
    }
    assert_true(total > 50000);
    assert_true(seen > SIMD_BLOCK); /* a long pattern may lie there */
    assert_true(dense_is_begun(&t));
    assert_non_null(simd_make_dense_plan(t.program));
    form_close(&t);
}

/* A match at every place of dense text around the seams of its pieces, each found once, whatever
 * fingerprint each plan has for it. */
static void loses_nothing_at_the_seams_of_dense_text(void **state)
{
    enum { TEXT = 4 * SIMD_PIECE };
    static uint8_t bytes[TEXT];
    const struct match_engine *engine = *state;
    uint64_t seed = 5;

    if (engine->missing() != NULL)
        skip();
    struct form_test t = form_open(engine);
    dense_patterns(&t);
    form_compile(&t);
    assert_non_null(simd_make_dense_plan(t.program));
    for (uint32_t at = 0; at < 5 * SIMD_BLOCK; at++) {
        const uint32_t index = at % match_dictionary_count(t.dictionary);
        const struct match_pattern *pattern = match_dictionary_get(t.dictionary, index);
        const uint32_t start = 2 * SIMD_PIECE - 4 * SIMD_BLOCK + at;

        dense_write(&t, &seed, bytes, TEXT);
        memcpy(bytes + start, pattern->bytes, pattern->len);
        form_text(&t, bytes, TEXT);
        form_oracle(&t);
        form_check(&t, 0, TEXT, UINT32_MAX, SINK);
        form_check(&t, at, TEXT, SIMD_PIECE, SINK);
    }
    form_close(&t);
}

/* Patterns of all kinds, some of them alike but for a byte or two, in text made of them. */
static void finds_what_the_oracle_finds_in_dense_text(void **state)
{
    enum { TEXT = 7 * SIMD_PIECE };
    static const uint32_t alphabets[] = { 4, 8, 256, 256 };
    static uint8_t bytes[TEXT];
    const struct match_engine *engine = *state;
    uint64_t total = 0;
    uint32_t seen = 0;

    if (engine->missing() != NULL)
        skip();
    for (uint32_t round = 0; round < DENSE_ROUNDS; round++) {
        uint64_t seed = 0x9e3779b97f4a7c15u * (round + 1);
        struct form_test t = form_open(engine);
        const uint32_t alphabet = alphabets[round % 4];

        for (uint32_t i = 0; i < TEXT; i++)
            bytes[i] = random_byte(&seed, alphabet);
        form_text(&t, bytes, TEXT);
        random_patterns(&t, &seed, alphabet, 3 + test_random(&seed, 60));
        for (uint32_t i = test_random(&seed, 20); i > 0; i--) {
            const uint32_t count = match_dictionary_count(t.dictionary);
            const struct match_pattern *like =
                match_dictionary_get(t.dictionary, test_random(&seed, count));
            uint8_t copy[255];
            const uint32_t len = like->len;

            memcpy(copy, like->bytes, len);
            copy[test_random(&seed, len)] ^= (uint8_t)test_random(&seed, 3);
            test_add(t.dictionary, copy, NULL, len, test_random(&seed, 4) == 0);
        }
        dense_write(&t, &seed, bytes, TEXT);
        form_text(&t, bytes, TEXT);
        form_compile(&t);
        assert_non_null(simd_make_dense_plan(t.program));
        form_oracle(&t);
        for (uint32_t at = 0; at + SIMD_PIECE + SIMD_AHEAD <= TEXT; at += SIMD_PIECE)
            seen += dense_is_seen(&t, at);
        total += form_check(&t, 0, TEXT, UINT32_MAX, SINK);
        form_check(&t, test_random(&seed, 9000), TEXT - test_random(&seed, 9000),
                   6000 + test_random(&seed, 9000), SINK);
        form_check(&t, 0, TEXT, UINT32_MAX, 3000 + test_random(&seed, 3000));
        form_close(&t);
    }
    assert_true(total > 10000);
    assert_true(seen > DENSE_ROUNDS);
}

/* A thread of the test below. */
/* Scans of dense text that begin and end anywhere read no byte before the text or behind it. */
static void stays_in_dense_text(void **state)
{
    enum { TEXT = 3 * SIMD_PIECE };
    static const char *const patterns[] = { "ab", "abcd", "bcda", "cdab", "dabc" };
    static uint8_t bytes[TEXT + 2 * SIMD_BLOCK];
    const struct match_engine *engine = *state;
    uint64_t seed = 11;

    if (engine->missing() != NULL)
        skip();
    struct form_test t = form_open(engine);
    for (uint32_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        test_add(t.dictionary, patterns[i], NULL, (uint32_t)strlen(patterns[i]), false);
    form_compile(&t);
    assert_non_null(simd_make_dense_plan(t.program));
    for (uint32_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)("abcd"[test_random(&seed, 16) == 0 ? test_random(&seed, 4) : i % 4]);
    form_text(&t, bytes, sizeof bytes);
    form_oracle(&t); /* of all of it: what ends in a part of it is what ends there */
    for (uint32_t more = 0; more < 4 * SIMD_BLOCK; more += FEW_OR_ALL(5, 3, 1)) {
        form_text(&t, bytes, TEXT - 2 * SIMD_BLOCK + more);
        assert_true(dense_is_seen(&t, 0));
        form_check(&t, 2 * SIMD_BLOCK, t.len, UINT32_MAX, SINK);
        form_check(&t, more, t.len, UINT32_MAX, SINK);
    }
    form_close(&t);
}

/* Patterns that lie in one line, and longer ones, with one byte wrong or none. */
static void compares_long_patterns_in_dense_text(void **state)
{
    enum { TEXT = 5 * SIMD_PIECE, MANY = 64 };
    static uint8_t bytes[TEXT];
    const struct match_engine *engine = *state;
    uint32_t total = 0;

    if (engine->missing() != NULL)
        skip();
    for (uint64_t seed = 1, round = 0; round < LONG_ROUNDS; round++) {
        struct form_test t = form_open(engine);
        uint8_t pattern[MANY];

        for (uint32_t len = 4; len < MANY; len++) {
            for (uint32_t i = 0; i < len; i++)
                pattern[i] = (uint8_t)test_random(&seed, i < len - 4 && round % 2 == 0 ? 2 : 256);
            test_add(t.dictionary, pattern, NULL, len, false);
        }
        form_compile(&t);
        assert_non_null(simd_make_dense_plan(t.program));
        for (uint32_t at = 0; at < TEXT;) {
            const struct match_pattern *any =
                match_dictionary_get(t.dictionary, test_random(&seed, MANY - 4));
            const uint32_t put = any->len < TEXT - at ? any->len : TEXT - at;

            memcpy(bytes + at, any->bytes, put);
            if (test_random(&seed, 2) == 0)
                bytes[at + test_random(&seed, put)] ^= 1;
            at += put;
        }
        form_text(&t, bytes, TEXT);
        form_oracle(&t);
        assert_true(dense_is_seen(&t, SIMD_PIECE));
        total += form_check(&t, 0, TEXT, UINT32_MAX, SINK);
        form_check(&t, 0, TEXT, UINT32_MAX, 100);
        form_close(&t);
    }
    assert_true(total > LONG_ROUNDS * TEXT / MANY / 4);
}

struct dense_thread {
    struct form_test test; /* with hits of its own */
    uint32_t count;
    pthread_t thread;
};

static void *dense_thread_run(void *arg)
{
    struct dense_thread *t = arg;

    t->count = form_scan(&t->test, 0, t->test.len, 8 * SIMD_PIECE, SINK);
    return NULL;
}

/* The plan for dense text is made beside the threads that meet such text, while they scan. */
static void makes_the_dense_plan_while_threads_scan(void **state)
{
    enum { TEXT = 12 * SIMD_PIECE, THREADS = 4 };
    static uint8_t bytes[TEXT];
    struct dense_thread threads[THREADS];
    const struct match_engine *engine = *state;
    uint64_t seed = 7;

    if (engine->missing() != NULL)
        skip();
    struct form_test t = form_open(engine);
    dense_patterns(&t);
    dense_write(&t, &seed, bytes, TEXT);
    form_text(&t, bytes, TEXT);
    form_oracle(&t);
    for (uint32_t time = 0; time < PLAN_TIMES; time++) {
        form_compile(&t);
        assert_null(simd_dense_plan(t.program));
        for (uint32_t i = 0; i < THREADS; i++) {
            threads[i].test = t;
            threads[i].test.items = malloc(SINK * sizeof *t.items);
            assert_non_null(threads[i].test.items);
            assert_int_equal(
                pthread_create(&threads[i].thread, NULL, dense_thread_run, &threads[i]), 0);
        }
        for (uint32_t i = 0; i < THREADS; i++) {
            struct test_hits want = t.oracle;

            assert_int_equal(pthread_join(threads[i].thread, NULL), 0);
            struct test_hits got = { .items = threads[i].test.items, .count = threads[i].count };
            test_hits_sort(&want);
            test_hits_sort(&got);
            assert_true(test_hits_equal(&want, &got));
            free(threads[i].test.items);
        }
        assert_true(dense_is_begun(&t));
        assert_non_null(simd_make_dense_plan(t.program));
        engine->release(t.program);
        t.program = NULL;
    }
    form_close(&t);
}

static void finds_nothing_in_nothing(void **state)
{
    const struct match_engine *engine = *state;

    if (engine->missing() != NULL)
        skip();
    struct form_test t = form_open(engine);
    test_add(t.dictionary, "ab", NULL, 2, false);
    form_compile(&t);
    form_text(&t, "", 0);
    assert_int_equal(form_scan(&t, 0, 0, 1, 1), 0);
    form_text(&t, "ab", 2);
    assert_int_equal(form_scan(&t, 1, 1, 1, 1), 0);
    assert_int_equal(form_scan(&t, 1, 2, 1, 1), 1);
    form_close(&t);
}

static void needs_no_literal(void **state)
{
    const struct match_engine *engine = *state;

    if (engine->missing() != NULL)
        skip();
    struct form_test t = form_open(engine);
    test_add_regex(t.dictionary, "a+b", false);
    form_compile(&t);
    form_text(&t, "aab", 3);
    assert_int_equal(form_scan(&t, 0, 3, 3, 1), 0);
    form_close(&t);
}

#define FORM_TESTS(id)                                                                             \
    { #id " finds what the oracle finds", finds_what_the_oracle_finds, NULL, NULL,                 \
      (void *)(uintptr_t)&match_##id##_engine },                                                   \
        { #id " finds a match at every alignment", finds_a_match_at_every_alignment, NULL, NULL,   \
          (void *)(uintptr_t)&match_##id##_engine },                                               \
        { #id " finds what begins and ends in runs", finds_what_begins_and_ends_in_runs, NULL,     \
          NULL, (void *)(uintptr_t)&match_##id##_engine },                                         \
        { #id " copes with a hit at every place", copes_with_a_hit_at_every_place, NULL, NULL,     \
          (void *)(uintptr_t)&match_##id##_engine },                                               \
        { #id " goes in and out of dense text", goes_in_and_out_of_dense_text, NULL, NULL,         \
          (void *)(uintptr_t)&match_##id##_engine },                                               \
        { #id " loses nothing at the seams of dense text",                                         \
          loses_nothing_at_the_seams_of_dense_text, NULL, NULL,                                    \
          (void *)(uintptr_t)&match_##id##_engine },                                               \
        { #id " finds what the oracle finds in dense text",                                        \
          finds_what_the_oracle_finds_in_dense_text, NULL, NULL,                                   \
          (void *)(uintptr_t)&match_##id##_engine },                                               \
        { #id " stays in dense text", stays_in_dense_text, NULL, NULL,                             \
          (void *)(uintptr_t)&match_##id##_engine },                                               \
        { #id " compares long patterns in dense text", compares_long_patterns_in_dense_text, NULL, \
          NULL, (void *)(uintptr_t)&match_##id##_engine },                                         \
        { #id " makes the dense plan while threads scan", makes_the_dense_plan_while_threads_scan, \
          NULL, NULL, (void *)(uintptr_t)&match_##id##_engine },                                   \
        { #id " finds nothing in nothing", finds_nothing_in_nothing, NULL, NULL,                   \
          (void *)(uintptr_t)&match_##id##_engine },                                               \
    {                                                                                              \
#id " needs no literal", needs_no_literal, NULL, NULL,                                     \
            (void *)(uintptr_t)&match_##id##_engine                                                \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        FORM_TESTS(simd_avx512),   FORM_TESTS(simd_avx2), FORM_TESTS(simd_ssse3),
        FORM_TESTS(simd_portable), FORM_TESTS(simd),
    };
    const uint32_t all = sizeof tests / sizeof tests[0];

    /* simd is the best of the others: of it one test is enough, but for who asks for all. */
    return _cmocka_run_group_tests("vector engine", tests, test_few_or_all(all - all / 5 + 1, all),
                                   NULL, NULL);
}
