/* SPDX-License-Identifier: Apache-2.0
 * match/aligned/aligned_wide.h - the sieve of aligned_sieve.h for 64 sectors at a time, with
 * AVX-512 (VBMI): which of them may have a pattern.
 *
 *   16 bytes of each of 64 sectors ──turned──► byte i of all of them ──look-ups──► buckets
 *
 * A look-up in 256 entries of a byte, for 8 buckets, is four instructions for 64 sectors. The first
 * bytes of the members of a bucket are compared eight at a time.
 */
#ifndef BURIN_MATCH_ALIGNED_ALIGNED_WIDE_H
#define BURIN_MATCH_ALIGNED_ALIGNED_WIDE_H

#include "match/aligned/aligned_sieve.h"

enum { ALIGNED_WIDE = 64 /* sectors at a time */ };

struct aligned_wide;

/* The first bytes of a pattern, to be compared all at once before the rest. */
struct aligned_start {
    uint64_t want, mask; /* letters that fold are compared without the bit between the cases */
    uint32_t len;        /* of the pattern, */
    uint32_t index;      /* and its number in the dictionary */
};

/* members[count]: of the sieve, bucket by bucket. *out is NULL where the processor has no AVX-512
 * VBMI, or the sieve nothing. Release it with free. Errors: ERR_ENV, for memory. */
ERR_MUST_CHECK enum err_code aligned_wide_open(const struct aligned_sieve *sieve,
                                               const struct aligned_start *members, uint32_t count,
                                               struct aligned_wide **out, struct err *err);

/* Bytes from the start of a sector on that are read. */
uint32_t aligned_wide_reach(const struct aligned_wide *wide);

/* Bit i: sector i of ALIGNED_WIDE may have a pattern, of buckets[i], as all probes of the sieve
 * say. bytes: of the first one; those of the last one reach as far as aligned_wide_reach says. */
uint64_t aligned_wide_sift(const struct aligned_wide *wide, const uint8_t *bytes,
                           uint64_t buckets[ALIGNED_WIDE]);

/* Bit i: the eight bytes of word, the first one lowest, are those that member `first` + i begins
 * with. Of `count` members, ALIGNED_WIDE at most. */
uint64_t aligned_wide_starts(const struct aligned_wide *wide, uint32_t first, uint32_t count,
                             uint64_t word);

#endif
