/* SPDX-License-Identifier: Apache-2.0
 * match/words/words_sieve.h - the sieve of a group of words.h. Of words_build.c alone. */
#ifndef BURIN_MATCH_WORDS_WORDS_SIEVE_H
#define BURIN_MATCH_WORDS_WORDS_SIEVE_H

#include "match/words/words.h"

/* Fills group->sieve for fingerprints that begin with one of starts, which are as for
 * words_sets_fill. False: there is no memory. */
bool words_sieve_fill(struct words_group *group, const uint64_t *starts, uint32_t count);

/* What GF2P8AFFINEQB gives for the byte. */
uint8_t words_multiply(uint64_t matrix, uint8_t byte);

#endif
