/* SPDX-License-Identifier: Apache-2.0
 * match/shift_and/qgrams.h - where in a text words of a long list may stand: qgrams of five to
 * eight bytes, looked up by hash.
 *
 * Thousands of words fill the eight buckets of filter.h with all letters. So their qgrams are
 * hashed instead: a bit of a table that stands whole in shared memory says whether one may begin at
 * a place, a second bit of the same word doubts it, and what is left is looked up in a hash table
 * in device memory. Where all words are long enough, each has a qgram at an even and one at an odd
 * place, and only every other place of the text is looked at: the idea of Wu and Manber (TR-94-17),
 * with a stride for a shift. A table of bits in front of a table of keys is that of DFC (Choi et
 * al., NSDI 2016), two bits of one word that of blocked Bloom filters (Putze et al., WEA 2007).
 *
 * Letters of either case have the same hash, and so have a few other pairs of bytes: what is found
 * is compared.
 */
#ifndef BURIN_MATCH_SHIFT_AND_QGRAMS_H
#define BURIN_MATCH_SHIFT_AND_QGRAMS_H

#include <stdalign.h>
#include <stdbool.h>

#include "match/kernel/view.h"

enum {
    QGRAMS_LEAST = 4, /* bytes of the shortest qgram */
    QGRAMS_MOST = 8,  /* and of the longest one */
    QGRAMS_BITS = 15,
    QGRAMS_WORDS =
        1 << QGRAMS_BITS, /* of 32 bits: most of the shared memory that a multiprocessor has */
    QGRAMS_STRIDE = 2,    /* places of which one is looked at, at most */
    QGRAMS_AROUND = 8, /* bytes before a qgram's begin, and from it on, that are compared first */
};

#define QGRAMS_FIRST 0x9e3779b1u /* multiplier of a qgram's first four bytes */
#define QGRAMS_SECOND                                                                              \
    0x85ebca6bu /* and of those behind them, shifted so that the ones outside of the qgram fall    \
                   out */

/* A pattern behind one of its qgrams, as far as it stands in the eight bytes from the qgram's
 * begin on and in those before it. */
struct qgrams_entry {
    alignas(16) uint64_t behind, behind_mask;
    uint64_t before, before_mask;
    uint32_t what; /* pattern << 8 | length */
    uint16_t at;   /* of the qgram in the pattern */
    uint16_t more; /* it goes on, and the rest is to be compared: 1 */
};

/* The entries with the same key; count 0: an empty slot. */
struct qgrams_slot {
    alignas(16) uint32_t key;
    uint32_t first, count;
    uint32_t unused;
};

/* Behind it, in one block: entries[entry_count], slots[1 << slot_bits]. */
struct qgrams {
    uint32_t bits[QGRAMS_WORDS];
    uint32_t stride;
    uint32_t qgram;      /* bytes */
    uint32_t multiplier; /* of the four bytes behind the first four */
    uint32_t keep;       /* of them: the bits that belong to the qgram */
    uint32_t slot_bits, entry_count;
    uint32_t unused[2];
};

/* Letters become small; what stands in other columns of ASCII changes with them. */
HOST_DEVICE uint32_t qgrams_fold(uint32_t word)
{
    return word | 0x20202020;
}

/* Of the folded first four bytes, and of the four behind them. The multiplier is of the struct
 * qgrams. */
HOST_DEVICE uint32_t qgrams_hash(uint32_t first, uint32_t next, uint32_t multiplier)
{
    return first * QGRAMS_FIRST + next * multiplier;
}

/* Bit i % 32 of the word, as bit 0. */
HOST_DEVICE uint32_t qgrams_bit(uint32_t word, uint32_t i)
{
#ifdef __CUDA_ARCH__
    return __funnelshift_r(word, 0, i); /* looks at five bits of i by itself */
#else
    return word >> (i & 31);
#endif
}

/*
 * Whether both bits are set in the word for a hash: 1 or 0. Which bits those are the first byte
 * says, and the fifth, which is for free. A qgram of four bytes has one bit.
 */
HOST_DEVICE uint32_t qgrams_test(uint32_t word, uint32_t first, uint32_t next, bool two)
{
    return qgrams_bit(word, first) & (two ? qgrams_bit(word, next) : 1) & 1;
}

HOST_DEVICE bool qgrams_has(const struct qgrams *qgrams, uint32_t first, uint32_t next)
{
    const uint32_t hash = qgrams_hash(first, next, qgrams->multiplier);

    return qgrams_test(qgrams->bits[hash >> (32 - QGRAMS_BITS)], first, next,
                       qgrams->qgram > QGRAMS_LEAST) != 0;
}

/* What tells qgrams apart in the hash table: of all their bytes, folded. */
HOST_DEVICE uint32_t qgrams_key(const struct qgrams *qgrams, uint32_t first, uint32_t next)
{
    const uint32_t mixed = (next & qgrams->keep) * 0xc2b2ae35u;

    return first ^ (mixed ^ mixed >> 15);
}

HOST_DEVICE uint32_t qgrams_slot_of(const struct qgrams *qgrams, uint32_t key)
{
    return key * 0x9e3779b1u >> (32 - qgrams->slot_bits);
}

#endif
