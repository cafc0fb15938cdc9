/* SPDX-License-Identifier: Apache-2.0
 * match/pattern/anchor.h - the part of a pattern that the automaton looks for.
 *
 * The automaton knows strings of bytes. Of a pattern with wildcards it gets the run of bytes that
 * is likely to be rarest on a disk, the rest is compared when that run is found. A byte that is
 * partly masked becomes a few variants of the run.
 */
#ifndef BURIN_MATCH_PATTERN_ANCHOR_H
#define BURIN_MATCH_PATTERN_ANCHOR_H

#include <stdbool.h>
#include <stdint.h>

#include "match/dictionary.h"

enum {
    ANCHOR_LEN = 8,          /* longest run looked for: rare enough, and few states */
    ANCHOR_GROUPS = 1 << 16, /* see anchor_choose */
};

struct anchor {
    uint8_t at, len; /* bytes of the pattern */
    bool exact;      /* finding it is finding the whole pattern: nothing to compare */
};

struct anchor_limits {
    uint32_t len;      /* 1..ANCHOR_LEN */
    uint32_t variants; /* most strings that one run may stand for */
};

/*
 * fold: bytes after folding, either as they are or with ASCII capitals as small letters.
 * groups[ANCHOR_GROUPS], zeroed before the first pattern, counts how often a run was chosen:
 * patterns that share a long run (keywords that are URLs) are steered to different ones, for all
 * that share one must be compared wherever it is found.
 */
struct anchor anchor_choose(const struct match_pattern *pattern, const uint8_t fold[256],
                            const struct anchor_limits *limits, uint32_t *groups);

/* How often a byte stands on disks: 2^16 times its probability. */
uint32_t anchor_weight(uint8_t byte);

/* The folded bytes that the pattern takes at index i, ascending; returns how many, 1..256. */
uint32_t anchor_values(const struct match_pattern *pattern, uint32_t i, const uint8_t fold[256],
                       uint8_t values[256]);

#endif
