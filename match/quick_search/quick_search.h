/* SPDX-License-Identifier: Apache-2.0
 * match/quick_search/quick_search.h - Quick Search for keywords: the program and the shift table,
 * for quick_search.c, for the forms in match/papers/quick_search/, and for tests.
 *
 * The algorithm of the thesis on Bloom filters and Quick Search, chapter 7 (Sunday's variant of
 * Boyer-Moore, which keeps the bad character rule alone); section 7.2.1 is the serial form. Masks
 * and case folding, of which the thesis knows nothing: a place that takes several bytes gives all
 * of them its shift.
 *
 * Time: keywords * n / length for n bytes on average, keywords * n * length at worst (zeros in
 * zeros). So it is good for few and long keywords alone: from 128 bytes on one keyword is found in
 * text in the cache in less time than vectors need to look at every byte.
 */
#ifndef BURIN_MATCH_QUICK_SEARCH_QUICK_SEARCH_H
#define BURIN_MATCH_QUICK_SEARCH_QUICK_SEARCH_H

#include "match/engine.h"
#include "match/pattern/literals.h"
#include "match/pattern/sink_writer.h"

/* Bytes of a part of the text: half of a first cache. The other half is for shifts. */
enum { QUICK_SEARCH_PART = 16 * 1024 };

/* A dictionary's keywords; threads share it, and it does not change. */
struct quick_search {
    struct match_literals literals;
    uint8_t (*skips)[256]; /* [literals.count], see quick_search_skips */
    uint32_t threads;      /* match_setup's */
};

/* As in struct match_engine. */
ERR_MUST_CHECK enum err_code quick_search_compile(const struct match_dictionary *dictionary,
                                                  const struct match_setup *setup, void **program,
                                                  struct err *err);
void quick_search_release(void *program);

/*
 * Adds the matches of keyword k whose last byte lies in text [from, to) to hits, as long as there
 * is room for them.
 */
void quick_search_keyword(const struct quick_search *search, uint32_t k,
                          const struct match_text *text, uint32_t from, uint32_t to,
                          struct sink_part *hits);

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
