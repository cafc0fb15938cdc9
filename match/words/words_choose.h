/* SPDX-License-Identifier: Apache-2.0
 * match/words/words_choose.h - which fingerprint each pattern of a dictionary is watched through.
 * Of words_build.c alone. */
#ifndef BURIN_MATCH_WORDS_WORDS_CHOOSE_H
#define BURIN_MATCH_WORDS_WORDS_CHOOSE_H

#include "match/words/words.h"

/* A pattern and its fingerprint. */
struct words_pick {
    uint32_t pattern; /* in the dictionary */
    uint8_t run; /* longest stretch of bytes without a mask, WORDS_FINGERPRINT at most; 0: there is
                    none */
    uint8_t fingerprint; /* bytes of the fingerprint; 1 with run 0, for one masked byte */
    uint8_t at;          /* of the fingerprint in the pattern */
    /* 2 where the pattern has two of them, the offset of this one even or, phase 1, odd; else 1 */
    uint8_t every, phase;
};

struct words_picks {
    struct words_pick *items; /* by every and fingerprint, then in any order */
    uint32_t count;
};

ERR_MUST_CHECK enum err_code words_choose(const struct match_dictionary *dictionary,
                                          const struct words_form *form, struct words_picks *out,
                                          struct err *err);

#endif
