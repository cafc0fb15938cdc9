/* match/pfac_trie.h - the runs of a dictionary's patterns as a tree whose nodes are not numbered yet: half-way to pfac.h. */
#ifndef BURIN_MATCH_PFAC_TRIE_H
#define BURIN_MATCH_PFAC_TRIE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "match/ac_literal.h"
#include "match/dictionary.h"

enum { PFAC_NONE = UINT32_MAX };

struct pfac_node {
    uint32_t child, sibling; /* 0: none; the root is node 0 */
    uint32_t entry;          /* the first, PFAC_NONE: none */
    uint8_t byte;            /* on the edge to it */
};

struct pfac_entry {
    uint32_t pattern;
    uint32_t next; /* of the same node; PFAC_NONE ends */
    struct ac_literal literal;
};

struct pfac_trie {
    const struct match_dictionary *dictionary;
    struct pfac_node *nodes; /* [node_count], room for [node_max] */
    struct pfac_entry *entries;
    uint32_t node_count, node_max, entry_count, entry_max;
    uint32_t roots[256]; /* children of the root by byte */
    uint8_t fold[256];
    bool folds; /* a pattern folds case: then the tree is of folded bytes, and what is not to fold is compared */
};

/* Release it in any case. */
ERR_MUST_CHECK enum err_code pfac_trie_build(struct pfac_trie *trie, const struct match_dictionary *dictionary,
                                             struct err *err);
void pfac_trie_release(struct pfac_trie *trie);

#endif
