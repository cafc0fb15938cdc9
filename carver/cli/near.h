/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/near.h - names that a mistyped word may have been meant for: "did you mean 'carve'?".
 *
 * A name is near a word when few slips lie between them: a letter too much, one too few, another
 * one, or two neighbours in turned order count as one slip each (the distance of optimal string
 * alignment after Damerau, "A technique for computer detection and correction of spelling errors",
 * 1964). Small and capital letters of ASCII are the same.
 */
#ifndef BURIN_CARVER_CLI_NEAR_H
#define BURIN_CARVER_CLI_NEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    NEAR_WORD_MAX = 64, /* bytes; longer words and names are near nothing */
    NEAR_LIST_MAX = 256 /* bytes of a list of names, the NUL included */
};

/* Slips between a word of len bytes and a name, both of at most NEAR_WORD_MAX bytes. */
uint32_t near_distance(const char *word, size_t len, const char *name);

/*
 * Whether a person who wrote the word may have meant the name: one slip in up to four letters, else
 * two.
 */
bool near_is(const char *word, size_t len, const char *name);

/* Appends name to a list of names with ", " between them, unless it is in it or does not fit. */
void near_add(char list[NEAR_LIST_MAX], const char *name);

/* The name with the fewest slips, the first of several; NULL when none is near. */
const char *near_best(const char *word, size_t len, const char *const *names, size_t count);

#endif
