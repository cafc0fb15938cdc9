/* SPDX-License-Identifier: Apache-2.0
 * match/shift_and/filter_parts.h - the parts of the building of a filter; for the files filter_*.c
 * alone.
 *
 *   filter_choose.c  the qgram of each pattern
 *   filter_assign.c  the bucket of each qgram
 *   filter_build.c    the filter of all that
 */
#ifndef BURIN_MATCH_SHIFT_AND_FILTER_PARTS_H
#define BURIN_MATCH_SHIFT_AND_FILTER_PARTS_H

#include <stdbool.h>

#include "match/dictionary.h"
#include "match/shift_and/filter.h"

enum {
    FILTER_WORD = 32,
    FILTER_SHARED_BITS = 16,
    FILTER_SHARED = 1 << FILTER_SHARED_BITS,
};

/* The sets of bytes at the four places. */
struct filter_qgram {
    uint32_t pattern, end; /* end: of the qgram in the pattern */
    uint32_t has[FILTER_DEPTH][256 / FILTER_WORD];
    double rate;
    uint32_t bucket;
    bool listed;          /* not one word of four bytes */
    uint32_t value, mask; /* the qgram as a word */
};

/* How many qgrams of the bucket take each byte at each place. */
struct filter_bucket {
    uint32_t takes[FILTER_DEPTH][256];
    uint32_t count;
    double rate;
};

struct filter_build {
    const struct match_dictionary *dictionary;
    double weight[256]; /* share of a disk's bytes */
    double run[256];    /* share of places at which four of the byte stand in a row */
    struct filter_bucket buckets[FILTER_BUCKETS];
    struct filter_qgram *qgrams;
    uint32_t count;
    uint32_t shared[FILTER_SHARED]; /* qgrams chosen, by hash of the four bytes */
};

static inline bool filter_qgram_has(const struct filter_qgram *qgram, uint32_t place, uint32_t byte)
{
    return (qgram->has[place][byte / FILTER_WORD] >> byte % FILTER_WORD & 1) != 0;
}

/* Four bytes of the pattern from index `first` on as a word; what is outside of it, or a wildcard,
 * is masked. */
void filter_word(const struct match_pattern *pattern, int32_t first, uint32_t *value,
                 uint32_t *mask);

/* Fills in weight and run. */
void filter_weigh(struct filter_build *build);

/* Chooses the qgram of the pattern with that index, in no bucket yet. */
void filter_choose_qgram(struct filter_build *build, uint32_t index, struct filter_qgram *qgram);

/* Assigns all qgrams to buckets; their order changes. */
void filter_assign(struct filter_build *build);

#endif
