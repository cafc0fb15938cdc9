/* SPDX-License-Identifier: Apache-2.0
 * match/ac/ac_trie.h - the literals of a dictionary as a tree, with failure links: the half-way
 * house to the automaton. */
#ifndef BURIN_MATCH_AC_AC_TRIE_H
#define BURIN_MATCH_AC_AC_TRIE_H

#include <stdint.h>

#include "base/err.h"
#include "match/dictionary.h"
#include "match/pattern/anchor.h"
#include "match/pattern/trie.h"

struct ac_trie {
    struct trie tree;
    uint32_t *fail;  /* [node]: of the longest proper suffix that is in the tree */
    uint32_t *link;  /* [node]: the nearest one by way of fail that has entries; 0: none */
    uint32_t *order; /* [node_count]: nodes by depth, the root first */
};

/*
 * The tree of the literals chosen under the limits. ERR_FULL, without a text, when it needs more
 * than nodes_max nodes: try tighter limits. Release it in any case.
 */
ERR_MUST_CHECK enum err_code ac_trie_build(struct ac_trie *trie,
                                           const struct match_dictionary *dictionary,
                                           const uint8_t fold[256],
                                           const struct anchor_limits *limits, uint32_t nodes_max,
                                           struct err *err);
void ac_trie_release(struct ac_trie *trie);

#endif
