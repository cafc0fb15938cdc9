/* SPDX-License-Identifier: Apache-2.0
 * match/words/words_sets.c - see words_sets.h. */
#include <stdlib.h>

#include "match/model/words_model.h"
#include "match/words/words_sets.h"

enum { SETS_ROUNDS = 2 }; /* of moving fingerprints to better buckets */

static const double sets_dense =
    0.5; /* share of places that survive, above which the sets are in the way */

/* How many fingerprints of a bucket have a byte at an index. */
struct sets_bucket {
    uint32_t bytes[WORDS_DEPTH][256];
    double chance[WORDS_DEPTH]; /* of one of the bytes */
};

struct sets {
    double shares[256]; /* of a folded byte */
    uint32_t depth;
    struct sets_bucket buckets[WORDS_BUCKETS];
};

static uint8_t sets_byte(const struct sets *sets, uint64_t start, uint32_t i)
{
    return (uint8_t)(start >> 8 * (sets->depth - 1 - i));
}

/* Bytes as if they were independent, and runs of zeros, which are not. */
static double sets_chance(const struct sets *sets, const struct sets_bucket *bucket)
{
    double chance = 1;
    bool zeros = true;

    for (uint32_t i = 0; i < sets->depth; i++) {
        chance *= bucket->chance[i];
        zeros = zeros && bucket->bytes[i][0] > 0;
    }
    return zeros ? chance + 0.2 : chance;
}

static void sets_put(struct sets *sets, struct sets_bucket *bucket, uint64_t start, bool in)
{
    for (uint32_t i = 0; i < sets->depth; i++) {
        const uint8_t byte = sets_byte(sets, start, i);

        if (in && bucket->bytes[i][byte]++ == 0)
            bucket->chance[i] += sets->shares[byte];
        if (!in && --bucket->bytes[i][byte] == 0)
            bucket->chance[i] -= sets->shares[byte];
    }
}

/* The bucket to which start adds least. */
static uint8_t sets_best(const struct sets *sets, uint64_t start)
{
    double best = 0;
    uint8_t best_bucket = WORDS_BUCKETS;

    for (uint8_t b = 0; b < WORDS_BUCKETS; b++) {
        const struct sets_bucket *bucket = &sets->buckets[b];
        double chance = 1;
        bool zeros = true;

        for (uint32_t i = 0; i < sets->depth; i++) {
            const uint8_t byte = sets_byte(sets, start, i);

            chance *= bucket->chance[i] + (bucket->bytes[i][byte] == 0 ? sets->shares[byte] : 0);
            zeros = zeros && (byte == 0 || bucket->bytes[i][0] > 0);
        }
        const double added = chance + (zeros ? 0.2 : 0.0) - sets_chance(sets, bucket);
        if (best_bucket == WORDS_BUCKETS || added < best) {
            best = added;
            best_bucket = b;
        }
    }
    return best_bucket;
}

/* Neighbours in the alphabet begin together; then each is moved as long as that helps. */
static void sets_assign(struct sets *sets, const uint64_t *starts, uint8_t *bucket_of,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        bucket_of[i] = (uint8_t)((uint64_t)i * WORDS_BUCKETS / count);
        sets_put(sets, &sets->buckets[bucket_of[i]], starts[i], true);
    }
    for (uint32_t round = 0; round < SETS_ROUNDS; round++) {
        for (uint32_t i = 0; i < count; i++) {
            sets_put(sets, &sets->buckets[bucket_of[i]], starts[i], false);
            bucket_of[i] = sets_best(sets, starts[i]);
            sets_put(sets, &sets->buckets[bucket_of[i]], starts[i], true);
        }
    }
}

/* Share of places that survive sets in use, where bytes are as common as shares say. */
static double sets_survive(const uint8_t (*sets)[256], uint32_t depth, const double shares[256])
{
    double chance[WORDS_BUCKETS], rate = 0;

    for (uint32_t b = 0; b < WORDS_BUCKETS; b++)
        chance[b] = 1;
    for (uint32_t i = 0; i < depth; i++) {
        double sums[WORDS_BUCKETS] = { 0 };

        for (uint32_t byte = 0; byte < 256; byte++)
            for (uint32_t b = 0; b < WORDS_BUCKETS; b++)
                sums[b] += shares[byte] * (sets[i][byte] >> b & 1);
        for (uint32_t b = 0; b < WORDS_BUCKETS; b++)
            chance[b] *= sums[b];
    }
    for (uint32_t b = 0; b < WORDS_BUCKETS; b++)
        rate += chance[b];
    return rate < 1 ? rate : 1;
}

/* The same on a disk: records and code, text, and runs of zeros. */
static double sets_rate(const uint8_t (*sets)[256], uint32_t depth)
{
    double shares[256], text[256] = { 0 }, printable = 0;
    uint8_t zeros = 0xff;

    words_shares(shares);
    for (uint32_t byte = ' '; byte < 0x7f; byte++)
        printable += shares[byte];
    for (uint32_t byte = ' '; byte < 0x7f; byte++)
        text[byte] = shares[byte] / printable;
    for (uint32_t i = 0; i < depth; i++)
        zeros &= sets[i][0];
    return 0.45 * sets_survive(sets, depth, shares) + 0.35 * sets_survive(sets, depth, text) +
           (zeros != 0 ? 0.2 : 0);
}

static void sets_tables(struct words_group *group, const struct sets *sets)
{
    for (uint32_t i = 0; i < WORDS_DEPTH; i++) {
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint8_t buckets = 0;

            for (uint32_t b = 0; b < WORDS_BUCKETS; b++)
                if (i >= group->depth ||
                    sets->buckets[b].bytes[i][words_fold(byte, group->fold)] > 0)
                    buckets = (uint8_t)(buckets | 1 << b);
            group->sets[i][byte] = buckets;
        }
    }
}

/* A byte as seven bits: it and what it differs from by `pair` have the same. */
static uint32_t sets_seven_bits(uint32_t byte, uint32_t pair)
{
    const uint32_t top = 31 - (uint32_t)__builtin_clz(pair), below = (1u << top) - 1;
    const uint32_t rest = byte >> top & 1 ? byte ^ pair : byte;

    return (rest & below) | (rest >> 1 & ~below);
}

/* The same as a matrix for GF2P8AFFINEQB. */
static uint64_t sets_seven_map(uint32_t pair)
{
    uint64_t map = 0;

    for (uint32_t in = 0; in < 8; in++)
        for (uint32_t out = 0; out < 7; out++)
            if (sets_seven_bits(1u << in, pair) >> out & 1)
                map |= (uint64_t)1 << in << 8 * (7 - out);
    return map;
}

/* The tables of the AVX-512 form: bytes that differ by one bit, or by two, share an entry, so that
 * least is let through. */
static void sets_seven(struct words_group *group)
{
    uint32_t best_pair = 1;
    double best = -1;

    for (uint32_t pair = 1; pair < 256; pair++) {
        uint8_t sets[WORDS_DEPTH][256];

        if (__builtin_popcount(pair) > 2)
            continue;
        for (uint32_t i = 0; i < WORDS_DEPTH; i++)
            for (uint32_t byte = 0; byte < 256; byte++)
                sets[i][byte] = group->sets[i][byte] | group->sets[i][byte ^ pair];
        const double rate = sets_rate((const uint8_t(*)[256])sets, group->depth);
        if (best >= 0 && rate >= best)
            continue;
        best = rate;
        best_pair = pair;
    }
    for (uint32_t i = 0; i < WORDS_DEPTH; i++)
        for (uint32_t byte = 0; byte < 256; byte++)
            group->seven[i][sets_seven_bits(byte, best_pair)] |= group->sets[i][byte];
    group->seven_map = sets_seven_map(best_pair);
    group->dense_seven = best > sets_dense;
}

/* The tables of the AVX2 form. */
static void sets_halves(struct words_group *group)
{
    uint8_t sets[WORDS_DEPTH][256];

    for (uint32_t i = 0; i < WORDS_DEPTH; i++) {
        for (uint32_t byte = 0; byte < 256; byte++) {
            group->low[i][byte & 15] |= group->sets[i][byte];
            group->high[i][byte >> 4] |= group->sets[i][byte];
        }
        for (uint32_t byte = 0; byte < 256; byte++)
            sets[i][byte] = group->low[i][byte & 15] & group->high[i][byte >> 4];
    }
    group->dense_halves =
        sets_rate((const uint8_t(*)[256])sets,
                  group->depth < WORDS_HALVES ? group->depth : WORDS_HALVES) > sets_dense;
}

/* The table of the portable form: of the neighbours that let least through. */
static void sets_pairs(struct words_group *group)
{
    double best = 0;

    for (uint32_t at = 0; at == 0 || at + 2 <= group->depth; at++) {
        const double rate = sets_rate((const uint8_t(*)[256])group->sets + at, 2);

        if (at > 0 && rate >= best)
            continue;
        best = rate;
        group->pairs_at = at;
    }
    group->dense_pairs = best > sets_dense;
    for (uint32_t first = 0; first < 256; first++) {
        for (uint32_t second = 0; second < 256; second++) {
            const uint8_t bytes[2] = { (uint8_t)first, (uint8_t)second };
            uint16_t pair;

            memcpy(&pair, bytes, sizeof pair);
            group->pairs[pair] = (group->sets[group->pairs_at][first] &
                                  group->sets[group->pairs_at + 1][second]) != 0;
        }
    }
}

static int sets_order(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

enum err_code words_sets_fill(struct words_group *group, uint64_t *starts, uint32_t count,
                              struct err *err)
{
    struct sets *sets = calloc(1, sizeof *sets);
    uint8_t *bucket_of = malloc(count + 1);
    double shares[256];
    uint32_t different = 0;

    if (sets == NULL || bucket_of == NULL) {
        free(sets);
        free(bucket_of);
        return ERR_NO_MEMORY(err, sizeof *sets + count);
    }
    words_shares(shares);
    for (uint32_t byte = 0; byte < 256; byte++)
        sets->shares[words_fold(byte, group->fold)] += shares[byte];
    sets->depth = group->depth;
    qsort(starts, count, sizeof *starts, sets_order);
    for (uint32_t i = 0; i < count; i++)
        if (different == 0 || starts[different - 1] != starts[i])
            starts[different++] = starts[i];
    sets_assign(sets, starts, bucket_of, different);
    sets_tables(group, sets);
    sets_seven(group);
    sets_halves(group);
    if (group->pairs != NULL)
        sets_pairs(group);
    free(bucket_of);
    free(sets);
    return ERR_OK;
}
