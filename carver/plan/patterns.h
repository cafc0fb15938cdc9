/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/patterns.h - signatures as a dictionary for the matcher, and the way back from a hit
 * to its signature.
 */
#ifndef BURIN_CARVER_PLAN_PATTERNS_H
#define BURIN_CARVER_PLAN_PATTERNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "match/dictionary.h"
#include "signatures/sig.h"

/* What a pattern of the dictionary stands for; indexed by struct hit's pattern. */
struct pattern_use {
    uint32_t sig; /* index into the signatures */
    uint32_t row; /* number of the row of the case file that its hits refer to */
    uint32_t at;  /* offset of the pattern from the start of the file */
    bool footer;  /* else a header */
    /* Of matches that overlap, the one that begins first is recorded alone; with hits_only. */
    bool apart;
};

struct patterns {
    struct match_dictionary *dictionary;
    struct pattern_use *uses; /* one for each pattern of the dictionary */
    uint32_t count;
};

/* Headers of all signatures, and footers of those that have no validator. Release with
 * patterns_release. */
ERR_MUST_CHECK enum err_code patterns_build(const struct sig *const *sigs, uint32_t sig_count,
                                            struct patterns *out, struct err *err);
void patterns_release(struct patterns *patterns);

#endif
