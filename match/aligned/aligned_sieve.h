/* SPDX-License-Identifier: Apache-2.0
 * match/aligned/aligned_sieve.h - of the rows of aligned.c, those that may have a pattern in a
 * sector, by a few of its bytes.
 *
 * Patterns are put into buckets, each of patterns of one row that are alike. For each of some
 * places in a sector a table says, for each value of the byte there, which buckets have a pattern
 * that allows it: the AND of what is looked up is zero for nearly all sectors. The places are
 * chosen so that few do it.
 */
#ifndef BURIN_MATCH_ALIGNED_ALIGNED_SIEVE_H
#define BURIN_MATCH_ALIGNED_ALIGNED_SIEVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "match/dictionary.h"

enum {
    ALIGNED_SIEVE_BUCKETS = 64,
    ALIGNED_SIEVE_ROWS = 32,
    ALIGNED_SIEVE_PROBES = 24,
    ALIGNED_SIEVE_STEP = 4
};

struct aligned_sieve {
    uint64_t all;                             /* a bit for each bucket */
    uint32_t rows_of[ALIGNED_SIEVE_BUCKETS];  /* by bucket: the bit of its row, */
    uint32_t distance[ALIGNED_SIEVE_BUCKETS]; /* that of its members, */
    uint32_t first[ALIGNED_SIEVE_BUCKETS +
                   1]; /* and where they begin, in the order of aligned_sieve_init */
    uint32_t deepest;  /* place */
    uint32_t count;    /* of probes, a multiple of ALIGNED_SIEVE_STEP: the last one may be there
                          several    times */
    uint32_t places[ALIGNED_SIEVE_PROBES];       /* bytes behind the start of the sector */
    uint64_t buckets[ALIGNED_SIEVE_PROBES][256]; /* by value of the byte there */
};

/* What the sieve has to know of a pattern. */
struct aligned_sieve_member {
    const struct match_pattern *pattern;
    uint32_t index; /* in the dictionary */
    uint32_t row;   /* below ALIGNED_SIEVE_ROWS */
    uint32_t
        distance; /* from the start of a sector to that of the pattern, the same in all of a row */
    uint32_t key_at; /* its rarest two bytes, the same in all of a row */
};

/* Puts the members into an order of its own. */
ERR_MUST_CHECK enum err_code aligned_sieve_init(struct aligned_sieve *sieve,
                                                struct aligned_sieve_member *members,
                                                uint32_t count, struct err *err);

static inline uint8_t aligned_sieve_fold(uint8_t byte)
{
    return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte;
}

/* Whether byte i of the pattern may be `byte`. */
static inline bool aligned_sieve_byte(const struct match_pattern *pattern, uint32_t i, uint8_t byte)
{
    const uint8_t mask = pattern->mask == NULL ? 0xff : pattern->mask[i];

    if (((byte ^ pattern->bytes[i]) & mask) == 0)
        return true;
    return pattern->fold_case && mask == 0xff &&
           aligned_sieve_fold(byte) == aligned_sieve_fold(pattern->bytes[i]);
}

/* Of the buckets, those whose patterns may stand in the sector, by probes [from, to), of which the
 * bytes up to `deepest` are looked at. */
static inline uint64_t aligned_sieve_buckets(const struct aligned_sieve *sieve,
                                             const uint8_t *sector, uint64_t buckets, uint32_t from,
                                             uint32_t to)
{
    for (uint32_t i = from; i < to; i += ALIGNED_SIEVE_STEP) {
        const uint64_t(*tables)[256] = &sieve->buckets[i];
        const uint32_t *places = &sieve->places[i];

        buckets &= tables[0][sector[places[0]]] & tables[1][sector[places[1]]] &
                   tables[2][sector[places[2]]] & tables[3][sector[places[3]]];
    }
    return buckets;
}

#endif
