/* SPDX-License-Identifier: Apache-2.0
 * match/model/words_model.h - how often to expect a fingerprint of a pattern on a disk.
 *
 * What stands in text between words of a dictionary is much like the words: a fingerprint is as
 * rare as its first byte on a disk, and each further byte after the one before in the dictionary
 * itself. Letters count as small.
 */
#ifndef BURIN_MATCH_MODEL_WORDS_MODEL_H
#define BURIN_MATCH_MODEL_WORDS_MODEL_H

#include <assert.h>
#include <stdint.h>

#include "base/err.h"
#include "base/limits.h"
#include "match/dictionary.h"

enum { WORDS_MODEL_COUNTS = 24 };
static_assert(LIMIT_PATTERN_COUNT < 1 << WORDS_MODEL_COUNTS, "all numbers of patterns are told");

struct words_model {
    uint16_t first[256], next[256][256]; /* rarity of a byte, and after another one in a pattern */
    double hold[WORDS_MODEL_COUNTS]; /* chance that one of 1 << i bytes of patterns is a byte of a
                                        disk */
};

static inline uint8_t words_small(uint8_t byte)
{
    return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte;
}

/* Part of a disk's bytes that have this value; the sum of all is 1. */
void words_shares(double shares[256]);

ERR_MUST_CHECK enum err_code words_model_init(struct words_model *model,
                                              const struct match_dictionary *dictionary,
                                              struct err *err);

/* What words_model_chance needs of a pattern: the rarity of all bytes up to each one but the first.
 */
void words_model_sums(const struct words_model *model, const struct match_pattern *pattern,
                      uint32_t sums[LIMIT_PATTERN_LEN]);

/* Of the fingerprint at a place. */
double words_model_chance(const struct words_model *model, const struct match_pattern *pattern,
                          const uint32_t *sums, uint32_t at, uint32_t fingerprint);

#endif
