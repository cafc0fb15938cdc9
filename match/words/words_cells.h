/* SPDX-License-Identifier: Apache-2.0
 * match/words/words_cells.h - the patterns of a dense program: what tells whether one may stand at
 * a candidate, in as few instructions and lines of the cache as can be.
 *
 * The hash of a fingerprint is the number of a line, and a line has four cells: the last eight
 * bytes up to the end of a fingerprint, as far as the pattern has them. Where a line is full the
 * next one is asked, too. What passes is mostly a match; the entry in the sparse program tells.
 */
#ifndef BURIN_MATCH_WORDS_WORDS_CELLS_H
#define BURIN_MATCH_WORDS_WORDS_CELLS_H

#include <assert.h>

#include "match/words/words.h"

enum {
    WORDS_CELLS = 4,
    WORDS_REF_BITS = 28, /* of a reference: an entry of the sparse program, and on top its group; */
    WORDS_WHOLE_BITS = 28,   /* or a pattern, and on top its length */
    WORDS_CELLS_BATCH = 256, /* candidates whose lines are fetched together */
};
static_assert(LIMIT_PATTERN_COUNT <= 1 << WORDS_WHOLE_BITS && WORDS_GROUPS <= 16,
              "patterns, entries and groups fit in references");

struct words_line {
    _Alignas(64) uint64_t want[WORDS_CELLS]; /* bytes up to the end of a fingerprint, folded */
    uint32_t refs[WORDS_CELLS];
    uint8_t whole; /* a bit for each cell: what fits it is a match, and its reference the pattern
                      with the length on top */
    uint8_t cuts[WORDS_CELLS]; /* bits of eight bytes that the pattern does not have, or not without
                                  a mask */
    uint8_t at[WORDS_CELLS];   /* of the fingerprint in the pattern */
    bool full;                 /* there are more in the next line */
};

/* Places whose lines are to be looked at. */
struct words_asked {
    uint64_t bytes[WORDS_CELLS_BATCH]; /* the last eight up to the end of the fingerprint, folded */
    uint32_t lines[WORDS_CELLS_BATCH];
    uint32_t places[WORDS_CELLS_BATCH];
    uint32_t count;
};

enum { WORDS_FOUND = WORDS_CELLS * (WORDS_CELLS_BATCH + 1) };

/* Cells that fit: references in the upper halves, and where their patterns begin in the lower. */
struct words_found {
    uint64_t leads[WORDS_FOUND], whole[WORDS_FOUND];
    uint32_t count, whole_count;
};

/* A pattern of a group that is to have a cell. */
struct words_fingerprint {
    uint64_t bytes;  /* the last eight up to the end of the fingerprint, folded; zeros instead of
                        those  that it does not have */
    uint32_t number; /* of the pattern among those of the sparse program */
    uint32_t ref;
    uint8_t cut;
    uint8_t at; /* of the fingerprint in the pattern */
    bool whole; /* the bytes are all of the pattern, and folded they tell it from all else */
};

/* The twins and lines of a group. False: there is no memory. */
bool words_cells_fill(struct words_group *group, const struct words_fingerprint *fingerprints,
                      uint32_t count);

/* Hits at candidates, places of text from at on, before which the longest pattern has room. False
 * when the sink is full. */
bool words_cells_take(const struct words_scan *scan, const struct words_group *group, uint32_t at,
                      const uint16_t *places, uint32_t count);

#endif
