/* SPDX-License-Identifier: Apache-2.0
 * tests/match/match_test.h - what the tests of match/ share: dictionaries from literals, a text
 * scanned cut by cut. */
#ifndef BURIN_TESTS_MATCH_MATCH_TEST_H
#define BURIN_TESTS_MATCH_MATCH_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "match/engine.h"
#include "match/lab.h"
#include "match/matcher.h"
#include "tests/asan.h"

#define TEST_OK(call) test_ok((call), &test_err, __FILE__, __LINE__)

static struct err test_err;

static inline void test_ok(enum err_code rc, const struct err *err, const char *file, int line)
{
    if (rc != ERR_OK) {
        print_error("%s\n", err->text);
        _fail(file, line);
    }
}

/* A list of hits that grows. */
struct test_hits {
    struct hit *items;
    uint32_t count, max;
};

static inline void test_hits_add(struct test_hits *hits, const struct hit *items, uint32_t count)
{
    while (hits->count + count > hits->max) {
        hits->max = hits->max == 0 ? 256 : hits->max * 2;
        hits->items = realloc(hits->items, hits->max * sizeof *hits->items);
        assert_non_null(hits->items);
    }
    if (count > 0)
        memcpy(hits->items + hits->count, items, count * sizeof *items);
    hits->count += count;
}

static inline int test_hit_order(const void *a, const void *b)
{
    const struct hit *x = a, *y = b;

    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->pattern < y->pattern ? -1 : x->pattern > y->pattern;
}

static inline void test_hits_sort(struct test_hits *hits)
{
    if (hits->count > 0)
        qsort(hits->items, hits->count, sizeof *hits->items, test_hit_order);
}

static inline bool test_hits_equal(const struct test_hits *a, const struct test_hits *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (test_hit_order(&a->items[i], &b->items[i]) != 0 || a->items[i].len != b->items[i].len)
            return false;
    return true;
}

/* xorshift64*: the same numbers everywhere. */
static inline uint32_t test_random(uint64_t *state, uint32_t below)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)((*state * 2685821657736338717u) >> 32) % below;
}

static inline uint32_t test_add(struct match_dictionary *dictionary, const void *bytes,
                                const void *mask, uint32_t len, bool fold_case)
{
    const struct match_pattern pattern = {
        .kind = MATCH_LITERAL, .bytes = bytes, .mask = mask, .len = len, .fold_case = fold_case
    };
    uint32_t index = UINT32_MAX;

    TEST_OK(match_dictionary_add(dictionary, &pattern, &index, &test_err));
    return index;
}

enum { TEST_SHARED = 2000 };

/* TEST_SHARED keywords that are alike in their first 24 bytes. */
static inline void test_shared_beginnings(struct match_dictionary **dictionary)
{
    uint64_t random = 11;

    TEST_OK(match_dictionary_create(dictionary, &test_err));
    for (uint32_t i = 0; i < TEST_SHARED; i++) {
        char url[] = "https://www.example.org/________";

        for (uint32_t k = 24; k < 32; k++)
            url[k] = (char)('a' + test_random(&random, 26));
        test_add(*dictionary, url, NULL, 32, false);
    }
}

static inline uint32_t test_add_regex(struct match_dictionary *dictionary, const char *text,
                                      bool fold_case)
{
    const struct match_pattern pattern = { .kind = MATCH_REGEX,
                                           .bytes = (const uint8_t *)text,
                                           .len = (uint32_t)strlen(text),
                                           .fold_case = fold_case };
    uint32_t index = UINT32_MAX;

    TEST_OK(match_dictionary_add(dictionary, &pattern, &index, &test_err));
    return index;
}

/*
 * Scans text as one range that begins at image offset `offset`, segment by segment through all
 * slots of the matcher; cuts are the ends of segments but the last, ascending. Appends the hits as
 * they come, and checks that each segment's come in order.
 */
static inline void test_scan(struct match_matcher *matcher, const uint8_t *text, uint32_t len,
                             uint64_t offset, const uint32_t *cuts, uint32_t cut_count,
                             struct test_hits *out)
{
    const uint32_t slots = match_slot_count(matcher), segments = cut_count + 1;
    uint32_t from = 0;

    for (uint32_t i = 0; i < segments + slots; i++) {
        const uint32_t slot = i % slots;

        if (i >= slots && i - slots < segments) {
            const uint32_t first = out->count;
            struct match_hits hits;

            do {
                TEST_OK(match_collect(matcher, slot, &hits, &test_err));
                test_hits_add(out, hits.items, hits.count);
            } while (hits.more);
            for (uint32_t k = first + 1; k < out->count; k++)
                assert_true(test_hit_order(&out->items[k - 1], &out->items[k]) < 0);
        }
        if (i < segments) {
            const uint32_t to = i < cut_count ? cuts[i] : len;
            const uint32_t carry = from < match_carry(matcher) ? from : match_carry(matcher);
            const struct match_segment segment = { .offset = offset + from,
                                                   .fresh_len = to - from,
                                                   .carry_len = carry,
                                                   .ends_range = i + 1 == segments };

            if (carry + to - from > 0)
                memcpy(match_slot_bytes(matcher, slot) - carry, text + from - carry,
                       carry + to - from);
            match_submit(matcher, slot, &segment);
            from = to;
        }
    }
}

/* Whether byte i of a pattern takes a byte of the text. */
static inline bool test_takes(const struct match_pattern *pattern, uint32_t i, uint8_t byte)
{
    const uint8_t want = pattern->bytes[i], lower = want | 0x20;
    const uint8_t mask = pattern->mask == NULL ? 0xff : pattern->mask[i];
    const bool letter = lower >= 'a' && lower <= 'z';

    return ((byte ^ want) & mask) == 0 ||
           (pattern->fold_case && letter && ((byte ^ want ^ 0x20) & mask) == 0);
}

static inline bool test_stands(const struct match_pattern *pattern, const uint8_t *text)
{
    for (uint32_t i = 0; i < pattern->len; i++)
        if (!test_takes(pattern, i, text[i]))
            return false;
    return true;
}

/*
 * The oracle, which shares no code with any engine: at each place of the text, each literal that
 * may begin with the byte there is compared with it. Appends the hits, which are then in order.
 */
static inline void test_oracle(const struct match_dictionary *dictionary, const uint8_t *text,
                               uint32_t len, uint64_t offset, struct test_hits *out)
{
    enum { BYTES = 256 };
    const uint32_t count = match_dictionary_count(dictionary);
    uint32_t *beginning =
        malloc(BYTES * (count + (size_t)1) * sizeof *beginning); /* a row a byte */
    uint32_t begin[BYTES] = { 0 };                               /* how many are in each row */

    assert_non_null(beginning);
    for (uint32_t p = 0; p < count; p++) {
        const struct match_pattern *pattern = match_dictionary_get(dictionary, p);

        for (uint32_t byte = 0; byte < BYTES && pattern->kind == MATCH_LITERAL; byte++)
            if (test_takes(pattern, 0, (uint8_t)byte))
                beginning[(size_t)byte * count + begin[byte]++] = p;
    }
    for (uint32_t at = 0; at < len; at++)
        for (uint32_t i = 0; i < begin[text[at]]; i++) {
            const uint32_t p = beginning[(size_t)text[at] * count + i];
            const struct match_pattern *pattern = match_dictionary_get(dictionary, p);

            if (pattern->len > len - at || !test_stands(pattern, text + at))
                continue;
            test_hits_add(
                out, &(struct hit){ .offset = offset + at, .pattern = p, .len = pattern->len }, 1);
        }
    free(beginning);
}

#endif
