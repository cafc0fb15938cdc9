/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_engines.c - dictionary, text and cuts from the input; every engine must find what
 * the oracle finds.
 *
 * Input: number of patterns; for each one flags (1 mask, 2 case folding), length, bytes and mask;
 * where the number is large, how many words of few letters to add and a seed to make them of, so
 * that engines for large dictionaries have one; number of cuts and the cuts, each a part of 256 of
 * the text; threads, slots and hits_max in one byte; which engine; the rest is text, repeated to be
 * longer than a block of the automaton when the first bit of the byte before is set. To compile for
 * one engine takes longer than all else, so there is one for each input.
 */
#include <stdlib.h>
#include <string.h>

#include "match/engine.h"
#include "match/matcher.h"

enum {
    FUZZ_PATTERNS_MAX = 64,
    FUZZ_MANY = 224, /* numbers of patterns from here on ask for words too */
    FUZZ_WORDS =
        520, /* at least: more than `simd` takes, which is slow to compile for some hundred */
    FUZZ_WORD_MAX = 9,
    FUZZ_ENGINES_MAX = 64,
    FUZZ_CUTS_MAX = 8,
    FUZZ_TEXT_MAX = 9000,
    FUZZ_HITS_MAX = FUZZ_PATTERNS_MAX * FUZZ_TEXT_MAX
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fuzz_input {
    const uint8_t *at, *end;
};

struct fuzz_hits {
    struct hit *items; /* [FUZZ_HITS_MAX] */
    uint32_t count;
};

struct fuzz_case {
    struct match_dictionary *dictionary;
    uint8_t text[FUZZ_TEXT_MAX];
    uint32_t len, cuts[FUZZ_CUTS_MAX + 1], cut_count;
    uint8_t launch, engine;
};

static uint8_t fuzz_byte(struct fuzz_input *input)
{
    return input->at < input->end ? *input->at++ : 0;
}

static void fuzz_check(bool right)
{
    if (!right)
        abort();
}

/* Words of two to nine of four letters. */
static void fuzz_words(struct fuzz_case *c, struct fuzz_input *input)
{
    const uint32_t count = FUZZ_WORDS + fuzz_byte(input);
    uint32_t state = fuzz_byte(input) + 1u;

    for (uint32_t i = 0; i < count; i++) {
        uint8_t bytes[FUZZ_WORD_MAX];
        const struct match_pattern pattern = { .bytes = bytes,
                                               .len = 2 + i % (FUZZ_WORD_MAX - 1),
                                               .fold_case = (state & 1) != 0 };
        uint32_t index;

        for (uint32_t k = 0; k < sizeof bytes; k++) {
            state = state * 1664525 + 1013904223;
            bytes[k] = (uint8_t)('a' + (state >> 24) % 4);
        }
        fuzz_check(match_dictionary_add(c->dictionary, &pattern, &index, NULL) == ERR_OK);
    }
}

static void fuzz_dictionary(struct fuzz_case *c, struct fuzz_input *input)
{
    const uint32_t number = fuzz_byte(input), count = 1 + number % FUZZ_PATTERNS_MAX;

    fuzz_check(match_dictionary_create(&c->dictionary, NULL) == ERR_OK);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t bytes[256] = { 0 }, mask[256] = { 0 };
        const uint8_t flags = fuzz_byte(input);
        const uint32_t len = flags & 4 ? fuzz_byte(input) : fuzz_byte(input) % 8;
        const struct match_pattern pattern = {
            .bytes = bytes, .mask = flags & 1 ? mask : NULL, .len = len, .fold_case = flags & 2
        };
        uint32_t index;

        for (uint32_t k = 0; k < len; k++) {
            bytes[k] = fuzz_byte(input);
            if (flags & 1)
                mask[k] = fuzz_byte(input);
        }
        const enum err_code rc = match_dictionary_add(c->dictionary, &pattern, &index, NULL);
        fuzz_check(rc == ERR_OK || rc == ERR_INPUT);
    }
    if (number >= FUZZ_MANY)
        fuzz_words(c, input);
}

static int fuzz_order(const void *a, const void *b)
{
    const struct hit *x = a, *y = b;

    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->pattern < y->pattern ? -1 : x->pattern > y->pattern;
}

static void fuzz_text(struct fuzz_case *c, struct fuzz_input *input)
{
    c->cut_count = fuzz_byte(input) % FUZZ_CUTS_MAX;
    for (uint32_t i = 0; i < c->cut_count; i++)
        c->cuts[i] = fuzz_byte(input);
    c->launch = fuzz_byte(input);
    c->engine = fuzz_byte(input);
    const size_t len = (size_t)(input->end - input->at);
    const uint32_t patterns = match_dictionary_count(c->dictionary);
    const uint32_t most = patterns > FUZZ_PATTERNS_MAX ? FUZZ_HITS_MAX / patterns : FUZZ_TEXT_MAX;
    if (c->launch & 1) {
        while (len > 0 && c->len + len <= most) {
            memcpy(c->text + c->len, input->at, len);
            c->len += (uint32_t)len;
        }
    } else {
        c->len = (uint32_t)(len < most ? len : most);
        if (c->len > 0)
            memcpy(c->text, input->at, c->len);
    }
    for (uint32_t i = 0; i < c->cut_count; i++) { /* ascending parts of what is left */
        const uint32_t before = i == 0 ? 0 : c->cuts[i - 1];
        c->cuts[i] = before + (uint32_t)((uint64_t)(c->len - before) * c->cuts[i] / 256);
    }
    c->cuts[c->cut_count] = c->len;
}

static void fuzz_oracle(const struct fuzz_case *c, struct fuzz_hits *out)
{
    const struct match_text text = { .bytes = c->text, .len = c->len };
    struct match_sink sink = { .items = out->items, .max = FUZZ_HITS_MAX };
    void *program = NULL;

    fuzz_check(match_naive_engine.compile(c->dictionary, &(struct match_setup){ .threads = 1 },
                                          &program, NULL) == ERR_OK);
    fuzz_check(match_naive_engine.scan(program, &text, 0, c->len, &sink));
    match_naive_engine.release(program);
    out->count = sink.count;
    qsort(out->items, out->count, sizeof *out->items, fuzz_order);
}

/* False when the engine does not take such a dictionary. */
static bool fuzz_engine(const struct fuzz_case *c, const char *engine, struct fuzz_hits *out)
{
    /* Little room, so that hits come in pieces; but a long text full of hits, piece by piece, takes
     * an engine seconds. */
    const uint32_t room = (c->launch >> 2) * (1 + c->len / 256);
    const struct match_options options = { .engine = engine,
                                           .threads = 1 + (c->launch >> 1) % 2,
                                           .slots = 1,
                                           .segment_len = FUZZ_TEXT_MAX,
                                           .hits_max = room };
    struct match_matcher *matcher = NULL;
    uint32_t from = 0;

    out->count = 0;
    const enum err_code opened = match_open(c->dictionary, &options, &matcher, NULL);
    if (opened == ERR_ARG && match_dictionary_count(c->dictionary) > FUZZ_PATTERNS_MAX)
        return false;
    fuzz_check(opened == ERR_OK);
    for (uint32_t i = 0; i <= c->cut_count; i++) {
        const uint32_t carry = from < match_carry(matcher) ? from : match_carry(matcher);
        const struct match_segment segment = { .offset = from,
                                               .fresh_len = c->cuts[i] - from,
                                               .carry_len = carry,
                                               .ends_range = i == c->cut_count };
        struct match_hits hits;

        memcpy(match_slot_bytes(matcher, 0) - carry, c->text + from - carry,
               carry + segment.fresh_len);
        match_submit(matcher, 0, &segment);
        do {
            fuzz_check(match_collect(matcher, 0, &hits, NULL) == ERR_OK);
            fuzz_check(out->count + hits.count <= FUZZ_HITS_MAX);
            if (hits.count > 0)
                memcpy(out->items + out->count, hits.items, hits.count * sizeof *hits.items);
            out->count += hits.count;
        } while (hits.more);
        from = c->cuts[i];
    }
    match_close(matcher);
    qsort(out->items, out->count, sizeof *out->items, fuzz_order);
    return true;
}

/* The engine of the input: one of those that run here, or `auto`. */
static const char *fuzz_engine_name(const struct fuzz_case *c)
{
    const char *names[FUZZ_ENGINES_MAX + 1];
    uint32_t count = 0;

    for (uint32_t i = 0; i < match_engine_count() && count < FUZZ_ENGINES_MAX; i++)
        if (match_engine_get(i).missing == NULL && strcmp(match_engine_get(i).name, "naive") != 0)
            names[count++] = match_engine_get(i).name;
    names[count++] = "auto"; /* the last one: it compiles several engines */
    return names[c->engine % count];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = { .at = data, .end = data + size };
    static struct hit want_items[FUZZ_HITS_MAX],
        got_items[FUZZ_HITS_MAX]; /* allocating them took most of the time */
    struct fuzz_hits want = { .items = want_items }, got = { .items = got_items };
    struct fuzz_case *c = calloc(1, sizeof *c);

    fuzz_check(c != NULL);
    fuzz_dictionary(c, &input);
    fuzz_text(c, &input);
    if (fuzz_engine(c, fuzz_engine_name(c), &got)) {
        fuzz_oracle(c, &want);
        fuzz_check(got.count == want.count);
        for (uint32_t k = 0; k < got.count; k++)
            fuzz_check(fuzz_order(&got.items[k], &want.items[k]) == 0 &&
                       got.items[k].len == want.items[k].len);
    }
    match_dictionary_destroy(c->dictionary);
    free(c);
    return 0;
}
