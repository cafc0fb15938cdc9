/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/words.h - the words of a line of text, for formats whose header is lines of words.
 */
#ifndef BURIN_SIGNATURES_LIB_WORDS_H
#define BURIN_SIGNATURES_LIB_WORDS_H

#include <stdint.h>

#include "signatures/lib/chars.h"

/* A word; valid as long as the line that it is of. */
struct word {
    const uint8_t *chars;
    uint32_t len;
};

/* Splits the line at white space. Returns the number of words, at most `most`. */
uint32_t words_split(const struct chars_line *line, struct word *words, uint32_t most);

/* Whether the word is this one, in this case. */
bool word_is(const struct word *word, const char *name);

/* The whole number that the word is; false: it is none, or larger than most. */
bool word_number(const struct word *word, uint64_t most, uint64_t *value);

#endif
