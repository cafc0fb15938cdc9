/* SPDX-License-Identifier: Apache-2.0
 * match/aligned/aligned_rows.h - what aligned.c builds and aligned_scan.c looks up.
 */
#ifndef BURIN_MATCH_ALIGNED_ALIGNED_ROWS_H
#define BURIN_MATCH_ALIGNED_ALIGNED_ROWS_H

#include "match/aligned/aligned.h"
#include "match/aligned/aligned_sieve.h"
#include "match/aligned/aligned_wide.h"

enum { ALIGNED_KEYS = 1 << 16 };

/* The patterns that begin `distance` bytes behind the start of a sector, and whose rarest two bytes
 * are those from key_at on. */
struct aligned_row {
    uint32_t distance, key_at;
    uint64_t keys[ALIGNED_KEYS / 64];   /* a bit for each two bytes that are in a pattern: few, so
                                        that   it stays in the cache */
    uint32_t before[ALIGNED_KEYS / 64]; /* bits in the words before */
    uint32_t *first; /* by number of the bit: where its stretch of `patterns` begins; the next one
                        is its end */
    uint32_t *patterns; /* numbers in the dictionary, ascending in each stretch */
};

struct match_aligned {
    const struct match_dictionary *dictionary;
    struct aligned_start *starts;  /* by pattern */
    uint8_t *key_at;               /* by pattern; see aligned_key_at */
    struct aligned_sieve *sieve;   /* of the first ALIGNED_SIEVE_ROWS rows */
    struct aligned_wide *wide;     /* the sieve for many sectors at a time; NULL: there is none */
    struct aligned_start *members; /* of the sieve, bucket by bucket */
    uint32_t row_count;
    struct aligned_row *rows[];
};

/* Bits of keys before that of `key`. */
static inline uint32_t aligned_number(const struct aligned_row *row, uint32_t key)
{
    const uint64_t below = (UINT64_C(1) << key % 64) - 1;

    return row->before[key / 64] + (uint32_t)__builtin_popcountll(row->keys[key / 64] & below);
}

#endif
