/* SPDX-License-Identifier: Apache-2.0
 * match/papers/pfac/pfac_trie.h - the runs of a dictionary's patterns as a tree whose nodes are not
 * numbered yet: half-way to pfac.h. */
#ifndef BURIN_MATCH_PAPERS_PFAC_PFAC_TRIE_H
#define BURIN_MATCH_PAPERS_PFAC_PFAC_TRIE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "match/dictionary.h"
#include "match/pattern/trie.h"

struct pfac_trie {
    const struct match_dictionary *dictionary;
    struct trie tree;
    uint8_t fold[256];
    bool folds; /* a pattern folds case: then the tree is of folded bytes, and what is not to fold
                   is compared */
};

/* Release it in any case. */
ERR_MUST_CHECK enum err_code pfac_trie_build(struct pfac_trie *trie,
                                             const struct match_dictionary *dictionary,
                                             struct err *err);
void pfac_trie_release(struct pfac_trie *trie);

#endif
