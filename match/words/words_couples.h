/* SPDX-License-Identifier: Apache-2.0
 * match/words/words_couples.h - couples: the first step of a group on processors that gather fast.
 *
 * Only every second place is looked at: so each pattern has two fingerprints, one at an even offset
 * and one at an odd one, and of these one begins at such a place wherever the pattern stands. Two
 * such places that follow each other are a couple. All bytes of their fingerprints but two are
 * common to both: a hash of the common ones chooses a word of 32 bits, in which the first two bytes
 * of the one fingerprint, and the last two of the other, have two bits each. So one gather of
 * sixteen words answers for 64 bytes of text, whatever these are. (Blocked Bloom filters: Putze,
 * Sanders, Singler, WEA 2007.)
 */
#ifndef BURIN_MATCH_WORDS_WORDS_COUPLES_H
#define BURIN_MATCH_WORDS_WORDS_COUPLES_H

#include "match/words/words.h"

enum {
    WORDS_COUPLE = 2, /* bytes from one place to the next; bytes that are not common */
    WORDS_COUPLE_LEAST =
        5,                 /* bytes of a fingerprint: with fewer the common ones are in any text, */
    WORDS_COUPLE_MOST = 6, /* and more are not looked at */
    WORDS_COUPLE_BITS = 13,   /* of a hash of the common bytes: all words fit in the first cache */
    WORDS_COUPLE_WORD = 32,   /* bits of a word */
    WORDS_COUPLES_MAX = 6000, /* patterns of a group: more would fill the words */
};

#define WORDS_COUPLE_OWN 0x8c4fu /* odd multiplier for the two bytes that are not common */

struct words_couples {
    _Alignas(64) uint32_t words[1 << WORDS_COUPLE_BITS];
    uint32_t key;  /* multiplier for the common bytes; it shifts out bytes behind them */
    uint32_t turn; /* of the number of a second bit, so that zeros have two different ones */
};

/* The number of the word for common bytes that are folded, the first one lowest. */
static inline uint32_t words_couple_word(const struct words_couples *couples, uint32_t common)
{
    return common * couples->key >> (32 - WORDS_COUPLE_BITS);
}

/* The bits that two other bytes have, folded. */
static inline uint32_t words_couple_bits(const struct words_couples *couples, uint32_t bytes)
{
    const uint32_t hash = bytes * WORDS_COUPLE_OWN;

    return 1u << hash % WORDS_COUPLE_WORD | 1u << ((hash >> 8) % WORDS_COUPLE_WORD ^ couples->turn);
}

/* Patterns that may be one group. */
struct words_coupled {
    uint32_t run;   /* bytes in a row without a mask that each of them has */
    uint32_t count; /* of patterns, */
    uint32_t fills; /* and of those that words_fills is true of */
};

/* Whether they are looked for so. */
bool words_couples_suit(const struct words_form *form, const struct words_coupled *coupled);

/* Whether a pattern has as many bytes of those that disks are filled with, one like the other, as
 * can be all that a couple has in common. */
bool words_fills(const struct match_pattern *pattern);

/* Bytes of the fingerprints of such patterns. */
uint32_t words_couples_fingerprint(uint32_t run);

/* Fills group->couples for fingerprints that are starts, as for words_sets_fill. False: there is no
 * memory. */
bool words_couples_fill(struct words_group *group, const uint64_t *starts, uint32_t count);

#endif
