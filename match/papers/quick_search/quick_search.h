/* match/papers/quick_search/quick_search.h - the shift table of Quick Search, for the engine and
 * its tests. */
#ifndef BURIN_MATCH_PAPERS_QUICK_SEARCH_QUICK_SEARCH_H
#define BURIN_MATCH_PAPERS_QUICK_SEARCH_QUICK_SEARCH_H

#include "match/pattern/literals.h"

/*
 * skip[byte] + 1 is how far the keyword goes on when byte stands right behind its window: to where
 * its last place that takes the byte lies under it, and past it when there is none. (One less is
 * stored, for 256 does not fit.)
 */
static inline void quick_search_skips(const struct match_literal *literal, uint8_t skip[256])
{
    memset(skip, (int)literal->len, 256);
    for (uint32_t i = 0; i < literal->len; i++) {
        const uint8_t shift = (uint8_t)(literal->len - 1 - i);

        if (literal->masks[i] == 0xff) {
            skip[literal->bytes[i]] = shift;
            continue;
        }
        for (uint32_t byte = 0; byte < 256; byte++)
            if (match_place_takes(literal, i, (uint8_t)byte))
                skip[byte] = shift;
    }
}

#endif
