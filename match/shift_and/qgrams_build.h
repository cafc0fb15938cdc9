/* SPDX-License-Identifier: Apache-2.0
 * match/shift_and/qgrams_build.h - the qgrams of a list of words. */
#ifndef BURIN_MATCH_SHIFT_AND_QGRAMS_BUILD_H
#define BURIN_MATCH_SHIFT_AND_QGRAMS_BUILD_H

#include <stddef.h>

#include "base/err.h"
#include "match/dictionary.h"
#include "match/shift_and/qgrams.h"

/*
 * Marks the patterns that are looked for by qgrams, taken[patterns of the dictionary]; returns how
 * many: none, unless there are so many that the buckets of filter.h would be full.
 */
uint32_t qgrams_take(const struct match_dictionary *dictionary, bool *taken);

/* Q-grams of *size bytes with their entries and slots for the patterns that are taken, the caller's
 * to free. */
ERR_MUST_CHECK enum err_code qgrams_build(const struct match_dictionary *dictionary,
                                          const bool *taken, struct qgrams **out, size_t *size,
                                          struct err *err);

/* Bytes of memory that the build takes for so many words, at most. */
uint64_t qgrams_bytes(uint32_t words);

#endif
