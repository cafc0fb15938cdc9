/* SPDX-License-Identifier: Apache-2.0
 * match/words/words_seen.h - how often fingerprints are in the patterns of a dictionary. Of
 * words_choose.c alone.
 *
 * They are counted in a table by hash. That of a long list is in no cache: so what is known of the
 * fingerprints of a few patterns is asked for together, before it is used.
 */
#ifndef BURIN_MATCH_WORDS_WORDS_SEEN_H
#define BURIN_MATCH_WORDS_WORDS_SEEN_H

#include "match/words/words.h"

enum { WORDS_OFFERS = 48 }; /* fingerprints of one pattern that are looked at */

/* Fingerprints with the same bytes. */
struct words_fingerprint_seen {
    uint16_t seen;  /* times that they are in patterns, */
    uint16_t taken; /* and the patterns that are watched through them, as far as they count */
};

struct words_seen {
    struct words_fingerprint_seen *table; /* [1 << bits]: by hash */
    uint32_t bits;
};

/* The fingerprints that a pattern may be watched through, and what is known of them. */
struct words_offer {
    const struct match_pattern *pattern;
    uint32_t count; /* 0: every byte of the pattern is masked */
    uint8_t at[WORDS_OFFERS];
    struct words_fingerprint_seen *its[WORDS_OFFERS];
};

/* A table for so many patterns. Errors: ERR_ENV for no memory. */
ERR_MUST_CHECK enum err_code words_seen_open(uint32_t patterns, struct words_seen *out,
                                             struct err *err);
void words_seen_close(struct words_seen *seen);

/* Offsets of a fingerprint in a pattern: every so manieth, from phase on. */
struct words_phase {
    uint32_t every, phase;
};

/* Fills at with the fingerprints to choose from, of so many bytes; returns how many. */
uint32_t words_fingerprints(const struct match_pattern *pattern, uint32_t fingerprint,
                            struct words_phase phase, uint8_t at[WORDS_OFFERS]);

/* Fills an offer, and asks for what is known; fingerprint 0: of none. */
void words_offer(const struct words_seen *seen, const struct match_pattern *pattern,
                 uint32_t fingerprint, struct words_phase phase, struct words_offer *out);

#endif
