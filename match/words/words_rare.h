/* SPDX-License-Identifier: Apache-2.0
 * match/words/words_rare.h - fingerprints that are rare in a text, for words_dense.c alone: those
 * of a sample are counted, and those that patterns have in common, and each pattern takes the one
 * that was seen least.
 */
#ifndef BURIN_MATCH_WORDS_WORDS_RARE_H
#define BURIN_MATCH_WORDS_WORDS_RARE_H

#include "match/words/words_cells.h"

enum { WORDS_RARE_LEVELS = 6 };

extern const uint8_t words_rare_levels[WORDS_RARE_LEVELS]; /* lengths of fingerprints, ascending */

/* Fingerprints with the same hash. */
struct words_rare_seen {
    uint16_t seen, taken; /* times in the sample; patterns that are watched through it */
};

struct words_rare {
    const struct words_program *sparse;
    const uint8_t *sample;
    uint32_t len; /* of it */
    uint32_t set; /* the levels in use, a bit for each */
    uint64_t fold;
    const struct words_entry **patterns; /* [count], all of the sparse program in turn */
    uint32_t *refs;                      /* [count]: see words_cells.h */
    uint8_t *levels;                     /* [count]: of the fingerprint that the pattern has */
    uint32_t count;
    struct words_rare_seen *fingerprints; /* [1 << bits] */
    uint32_t bits;
    double costs[WORDS_RARE_LEVELS][WORDS_RARE_LEVELS]; /* of patterns of one level at another */
    uint32_t counts[WORDS_RARE_LEVELS];
};

/* Chooses the levels. False: there is no memory, or a pattern has no fingerprint, since most of it
 * is masked. */
bool words_rare_open(struct words_rare *rare, const struct words_program *sparse,
                     const uint8_t *sample, uint32_t len);
void words_rare_close(struct words_rare *rare);

/* Counts fingerprints of one length: before the first words_rare_fingerprint of that length. */
void words_rare_count(const struct words_rare *rare, uint32_t fingerprint);

/* The fingerprint of a pattern, so many bytes. */
void words_rare_fingerprint(const struct words_rare *rare, uint32_t number,
                            uint32_t fingerprint_len, struct words_fingerprint *fingerprint);

#endif
