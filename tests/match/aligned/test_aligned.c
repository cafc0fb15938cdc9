/* SPDX-License-Identifier: Apache-2.0
 * tests/match/aligned/test_aligned.c - patterns that go by sectors, against a search written here:
 * every place that is the right distance behind the start of a sector, every pattern, byte by byte;
 * with segments of several sizes and ranges that begin anywhere; and with the form for many sectors
 * at a time, where the processor has it, and without.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "match/aligned/aligned_rows.h"
#include "match/matcher.h"

enum { TEXT_LEN = 40000, PATTERNS = 9, HITS_MAX = 100000, MANY = 1500, MANY_LEN = 12 };

struct given {
    const char *bytes, *mask;
    uint32_t len, at;
    bool fold;
    enum match_kind kind;
};

static const struct given given[PATTERNS] = {
    { "BM", NULL, 2, 0, false, MATCH_SECTOR_ALIGNED },
    { "B", NULL, 1, 0, false, MATCH_SECTOR_ALIGNED },
    { "html", NULL, 4, 0, true, MATCH_SECTOR_ALIGNED },
    { "\xff\xe0", "\xff\xe0", 2, 0, false, MATCH_SECTOR_ALIGNED },
    { "\0\0\1", NULL, 3, 0, false, MATCH_SECTOR_ALIGNED },
    { "ustar", NULL, 5, 257, false, MATCH_SECTOR_ALIGNED },
    { "CD001", NULL, 5, 32769, false, MATCH_SECTOR_ALIGNED },
    { "?M", "\0\xff", 2, 511, false, MATCH_SECTOR_ALIGNED },
    { "BM", NULL, 2, 0, false, MATCH_LITERAL },
};

static bool oracle_byte(const struct given *g, uint32_t i, uint8_t byte)
{
    uint8_t want = (uint8_t)g->bytes[i];
    const uint8_t mask = g->mask == NULL ? 0xff : (uint8_t)g->mask[i];

    if (g->fold && byte >= 'A' && byte <= 'Z')
        byte = (uint8_t)(byte + 32);
    return (byte & mask) == (want & mask);
}

static uint32_t oracle(const struct given *all, uint32_t patterns, const uint8_t *text,
                       uint64_t base, struct hit *out)
{
    uint32_t count = 0;

    for (uint32_t at = 0; at < TEXT_LEN; at++)
        for (uint32_t p = 0; p < patterns; p++) {
            bool same = all[p].len <= TEXT_LEN - at;

            if (all[p].kind == MATCH_SECTOR_ALIGNED &&
                (base + at + 512 * 1000 - all[p].at) % 512 != 0)
                continue;
            for (uint32_t i = 0; same && i < all[p].len; i++)
                same = oracle_byte(&all[p], i, text[at + i]);
            if (same)
                out[count++] = (struct hit){ .offset = base + at, .pattern = p, .len = all[p].len };
        }
    return count;
}

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

static int by_place(const void *a, const void *b)
{
    const struct hit *x = a, *y = b;

    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->pattern < y->pattern ? -1 : x->pattern > y->pattern;
}

static uint32_t matched(const struct match_dictionary *dictionary, const uint8_t *text,
                        uint64_t base, uint32_t segment, uint32_t hits_max, struct hit *out)
{
    const struct match_options options = {
        .threads = 1, .slots = 1, .segment_len = segment, .hits_max = hits_max
    };
    struct match_matcher *matcher;
    struct match_hits hits = { 0 };
    struct err err;
    uint32_t count = 0;

    assert_int_equal(match_open(dictionary, &options, &matcher, &err), ERR_OK);
    const uint32_t carry = match_carry(matcher);
    for (uint32_t at = 0; at < TEXT_LEN; at += segment) {
        const struct match_segment one = { .offset = base + at,
                                           .fresh_len =
                                               segment < TEXT_LEN - at ? segment : TEXT_LEN - at,
                                           .carry_len = at < carry ? at : carry,
                                           .ends_range = at + segment >= TEXT_LEN };

        memcpy(match_slot_bytes(matcher, 0) - one.carry_len, text + at - one.carry_len,
               one.carry_len + one.fresh_len);
        match_submit(matcher, 0, &one);
        do {
            assert_int_equal(match_collect(matcher, 0, &hits, &err), ERR_OK);
            memcpy(out + count, hits.items, hits.count * sizeof *out);
            count += hits.count;
        } while (hits.more);
    }
    match_close(matcher);
    qsort(out, count, sizeof *out, by_place);
    return count;
}

static struct match_dictionary *dictionary_of(const struct given *all, uint32_t patterns)
{
    struct match_dictionary *dictionary;
    struct err err;
    uint32_t index;

    assert_int_equal(match_dictionary_create(&dictionary, &err), ERR_OK);
    for (uint32_t p = 0; p < patterns; p++) {
        const struct match_pattern pattern = { .kind = all[p].kind,
                                               .bytes = (const uint8_t *)all[p].bytes,
                                               .mask = (const uint8_t *)all[p].mask,
                                               .len = all[p].len,
                                               .fold_case = all[p].fold,
                                               .at = all[p].at };
        assert_int_equal(match_dictionary_add(dictionary, &pattern, &index, &err), ERR_OK);
    }
    return dictionary;
}

static void check_same(const struct hit *got, const struct hit *want, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(got[i].offset, want[i].offset);
        assert_int_equal(got[i].pattern, want[i].pattern);
        assert_int_equal(got[i].len, want[i].len);
    }
}

static void test_aligned(void **unused)
{
    static const uint64_t bases[] = { 0, 512, 100, 511, 32768 + 1, UINT64_C(1) << 40 };
    static const uint32_t segments[] = { 512, 4096, 1000, 997, TEXT_LEN };
    struct match_dictionary *dictionary;
    uint8_t *text = malloc(TEXT_LEN);
    struct hit *want = malloc(HITS_MAX * sizeof *want), *got = malloc(HITS_MAX * sizeof *got);
    uint64_t seed = 7;

    (void)unused;
    dictionary = dictionary_of(given, PATTERNS);
    for (size_t b = 0; b < sizeof bases / sizeof bases[0]; b++) {
        for (uint32_t i = 0; i < TEXT_LEN; i++)
            text[i] = (uint8_t)(next_random(&seed) & 1);
        for (uint32_t i = 0; i < 3000; i++) {
            const struct given *g = &given[next_random(&seed) % PATTERNS];
            /* Half of them where they count; the others are not to be found. */
            uint32_t at = next_random(&seed) % (TEXT_LEN - 8);
            if (i % 2 == 0)
                at = (uint32_t)((at / 512 * 512 + g->at + 512 * 100 - bases[b] % 512) % 512 +
                                at / 512 * 512) %
                     (TEXT_LEN - 8);
            memcpy(text + at, g->bytes, g->len);
        }
        const uint32_t count = oracle(given, PATTERNS, text, bases[b], want);
        assert_true(count > 100);
        for (size_t s = 0; s < sizeof segments / sizeof segments[0]; s++)
            for (uint32_t hits_max = 0; hits_max < 20; hits_max += 19) {
                assert_int_equal(matched(dictionary, text, bases[b], segments[s], hits_max, got),
                                 count);
                check_same(got, want, count);
            }
    }
    match_dictionary_destroy(dictionary);
    free(text);
    free(want);
    free(got);
}

/* What match_aligned_scan finds from an index of the text on; all of its bytes are fresh. */
static uint32_t scanned(const struct match_aligned *aligned, const uint8_t *text, uint64_t base,
                        uint32_t from, struct hit *out)
{
    const struct match_text all = { .bytes = text, .len = TEXT_LEN, .offset = base };
    struct match_sink sink = { .items = out, .max = HITS_MAX };

    assert_true(match_aligned_scan(aligned, &all, 0, from, TEXT_LEN, &sink));
    qsort(out, sink.count, sizeof *out, by_place);
    return sink.count;
}

/* With and without the form for many sectors at a time, from any byte of a sector on, and with the
 * text's end anywhere behind the last one. */
static void both_forms(const struct match_dictionary *dictionary, const struct given *all,
                       uint32_t patterns, const uint8_t *text, struct hit *want, struct hit *got)
{
    struct match_aligned *aligned;
    struct err err;

    assert_int_equal(match_aligned_open(dictionary, &aligned, &err), ERR_OK);
    for (uint32_t base = 0; base < 1024; base += 333) {
        const uint32_t count = oracle(all, patterns, text, base, want);
        struct aligned_wide *wide = aligned->wide;

        for (uint32_t from = 0; from < 600; from += 299) {
            uint32_t before = 0;

            while (before < count && want[before].offset < base + from)
                before++;
            for (uint32_t form = 0; form < 2; form++) {
                aligned->wide = form == 0 ? wide : NULL;
                assert_int_equal(scanned(aligned, text, base, from, got), count - before);
                check_same(got, want + before, count - before);
            }
            aligned->wide = wide;
        }
    }
    match_aligned_close(aligned);
}

/* Few patterns and many, at few distances and many, with bits open or not: they are put together in
 * many ways. */
static void test_many(void **unused)
{
    static const uint32_t counts[] = { 1, 40, 65, 700, MANY }, distances[] = { 1, 7, 60 };
    static char bytes[MANY][MANY_LEN], masks[MANY][MANY_LEN];
    static struct given all[MANY];
    uint8_t *text = malloc(TEXT_LEN);
    struct hit *want = malloc(HITS_MAX * sizeof *want), *got = malloc(HITS_MAX * sizeof *got);
    uint64_t seed = 11;

    (void)unused;
    for (uint32_t round = 0; round < 15; round++) {
        const uint32_t patterns = counts[round % 5];

        for (uint32_t p = 0; p < patterns; p++) {
            all[p] = (struct given){ .bytes = bytes[p],
                                     .mask = next_random(&seed) % 2 == 0 ? masks[p] : NULL,
                                     .len = 2 + next_random(&seed) % (MANY_LEN - 2),
                                     .at = next_random(&seed) % distances[round / 5] * 5,
                                     .fold = false,
                                     .kind = MATCH_SECTOR_ALIGNED };
            for (uint32_t i = 0; i < MANY_LEN; i++) {
                masks[p][i] = (char)(next_random(&seed) % 4 == 0 ? next_random(&seed) : 0xff);
                bytes[p][i] = (char)((next_random(&seed) % 3 == 0 ? next_random(&seed) : 0) &
                                     (uint8_t)masks[p][i]);
                if (all[p].mask == NULL)
                    bytes[p][i] = (char)(next_random(&seed) % 40 + 'A');
            }
            all[p].fold = all[p].mask == NULL && p % 2 == 0;
            for (uint32_t i = 0; all[p].fold && i < MANY_LEN; i++)
                if (bytes[p][i] <= 'Z')
                    bytes[p][i] = (char)(bytes[p][i] + 32);
        }
        for (uint32_t i = 0; i < TEXT_LEN; i++)
            text[i] = (uint8_t)(next_random(&seed) % 3 == 0 ? next_random(&seed) : 0);
        for (uint32_t sector = 0; sector + 512 < TEXT_LEN; sector += 512) {
            const struct given *g = &all[next_random(&seed) % patterns];

            for (uint32_t i = 0; i < g->len; i++)
                text[sector + g->at + i] =
                    (uint8_t)(g->bytes[i] ^
                              (g->mask == NULL ? 0 : (uint8_t) ~(uint8_t)g->mask[i] & text[i]));
        }
        struct match_dictionary *dictionary = dictionary_of(all, patterns);
        const uint32_t count = oracle(all, patterns, text, 0, want);

        assert_in_range(count, TEXT_LEN / 512, HITS_MAX);
        assert_int_equal(matched(dictionary, text, 0, 4096, 0, got), count);
        check_same(got, want, count);
        both_forms(dictionary, all, patterns, text, want, got);
        match_dictionary_destroy(dictionary);
    }
    free(text);
    free(want);
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_aligned),
                                        cmocka_unit_test(test_many) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
