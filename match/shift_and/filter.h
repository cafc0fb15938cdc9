/* SPDX-License-Identifier: Apache-2.0
 * match/shift_and/filter.h - where in a text a pattern may stand: a shift-and of four bytes, and
 * what to compare where it answers.
 *
 * Of each pattern four bytes are looked for, its qgram. Q-grams are assigned to eight buckets.
 * table[byte] has, in its byte j, the buckets with a qgram that takes that byte at place j. So
 * with state = (state << 8 | 0xff) & table[byte], byte after byte, the top byte of state has the
 * buckets of which a qgram may end here: Baeza-Yates and Gonnet, "A new approach to text
 * searching", on sets. Where one does, the four bytes are looked up in a hash table; qgrams with
 * wildcards, and those of patterns with less than four bytes, are listed by bucket instead and
 * tried one by one.
 */
#ifndef BURIN_MATCH_SHIFT_AND_FILTER_H
#define BURIN_MATCH_SHIFT_AND_FILTER_H

#include <stdalign.h>

#include "match/kernel/view.h"

enum { FILTER_DEPTH = 4, FILTER_BUCKETS = 8 };

/*
 * One pattern to compare where its qgram is found, if (word & mask) == value first, the word being
 * four bytes of the text in little-endian order: of a listed pattern the qgram itself, of others
 * the four bytes before it, or behind it.
 */
struct filter_entry {
    alignas(16) uint32_t value;
    uint32_t mask;
    uint32_t what; /* pattern << 8 | length */
    uint32_t end;  /* of the qgram in the pattern; with FILTER_BEHIND if the word is behind it */
};
enum { FILTER_BEHIND = 1 << 16 };

/* The entries that have the same four bytes, letters of either case being the same. */
struct filter_slot {
    alignas(16) uint32_t key;
    uint32_t first, count; /* in entries; count 0: an empty slot */
    uint32_t unused;
};

/* Behind it, in one block: entries[entry_count], slots[1 << slot_bits]. */
struct filter {
    uint32_t table[256];
    uint32_t first[FILTER_BUCKETS +
                   1]; /* entries listed for each bucket; those of slots come behind them */
    uint32_t entry_count, slot_bits;
    uint32_t unused; /* the block's parts begin at multiples of 16 bytes */
};

/* Four bytes with capitals as small letters, all at once: adding 0x3f carries into bit 7 from 'A'
 * on, adding 0x25 behind 'Z'. */
HOST_DEVICE uint32_t filter_key(uint32_t qgram)
{
    const uint32_t low = qgram & 0x7f7f7f7f;
    const uint32_t capital = (low + 0x3f3f3f3f) & ~(low + 0x25252525) & ~qgram & 0x80808080;

    return qgram | capital >> 2;
}

HOST_DEVICE uint32_t filter_hash(uint32_t key, uint32_t bits)
{
    return key * 0x9e3779b1u >> (32 - bits);
}

#endif
