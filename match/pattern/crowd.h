/* SPDX-License-Identifier: Apache-2.0
 * match/pattern/crowd.h - how many matches there can be at one place.
 *
 * A sink has room for the matches of one byte at least, so that a search of it always succeeds. Of
 * a million words hardly two begin or end alike; room for as many hits as there are patterns would
 * be most of the memory of a search.
 */
#ifndef BURIN_MATCH_PATTERN_CROWD_H
#define BURIN_MATCH_PATTERN_CROWD_H

#include "match/dictionary.h"

struct match_crowd {
    uint32_t begin; /* most matches, of patterns of all kinds, that begin at one byte, */
    uint32_t end;   /* and most matches of literals that end at one */
};

/* Upper bounds; tight where equal patterns and patterns of masks are few. */
ERR_MUST_CHECK enum err_code match_crowd(const struct match_dictionary *dictionary,
                                         struct match_crowd *out, struct err *err);

#endif
