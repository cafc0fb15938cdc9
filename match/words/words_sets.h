/* SPDX-License-Identifier: Apache-2.0
 * match/words/words_sets.h - the fingerprints of a group into buckets, and these into the sets of
 * words.h. Of words_build.c alone. */
#ifndef BURIN_MATCH_WORDS_WORDS_SETS_H
#define BURIN_MATCH_WORDS_WORDS_SETS_H

#include "match/words/words.h"

/*
 * Fills the sets of group for fingerprints that begin with one of starts: group->depth bytes,
 * folded, the first one on top of the others. Sorts starts. Fills pairs where there are any.
 */
ERR_MUST_CHECK enum err_code words_sets_fill(struct words_group *group, uint64_t *starts,
                                             uint32_t count, struct err *err);

#endif
