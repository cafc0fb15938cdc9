/* SPDX-License-Identifier: Apache-2.0
 * carver/keyword/keyword_parts.h - what the files of a keyword set share (keyword*.c only). */
#ifndef BURIN_CARVER_KEYWORD_KEYWORD_PARTS_H
#define BURIN_CARVER_KEYWORD_KEYWORD_PARTS_H

#include "carver/keyword/keyword.h"

/* Counts one more word that was given. */
ERR_MUST_CHECK enum err_code keyword_count(struct keyword_set *set, struct err *err);

/* Adds what a word is in one encoding, unless an item from `first` on has the same bytes. */
ERR_MUST_CHECK enum err_code keyword_append(struct keyword_set *set, uint32_t first,
                                            const struct keyword *keyword, struct err *err);

/* What the dictionary gets; points to the keyword's bytes. */
struct match_pattern keyword_pattern(const struct keyword *keyword);

/* Gives the set's finder of features to the dictionary; numbers in it are those of items. */
void keyword_find(const struct keyword_set *set, struct match_dictionary *dictionary);

#endif
