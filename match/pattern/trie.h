/* SPDX-License-Identifier: Apache-2.0
 * match/pattern/trie.h - strings as a tree, one node a state: what the automata of ac.h and pfac.h
 * are made of. */
#ifndef BURIN_MATCH_PATTERN_TRIE_H
#define BURIN_MATCH_PATTERN_TRIE_H

#include <stdint.h>

#include "base/err.h"
#include "match/dictionary.h"
#include "match/pattern/anchor.h"

enum { TRIE_NONE = UINT32_MAX };

struct trie_node {
    uint32_t child, sibling; /* 0: none; the root is node 0 */
    uint32_t entry;          /* the first, TRIE_NONE: none */
    uint8_t byte;            /* on the edge to it */
};

struct trie_entry {
    uint32_t pattern;
    uint32_t next; /* of the same node; TRIE_NONE ends */
    struct anchor literal;
};

struct trie {
    struct trie_node *nodes; /* [node_count], room for [node_room] */
    uint32_t node_count, node_room;
    uint32_t
        nodes_max; /* a tree that needs more is ERR_FULL, without a text: fewer variants may do */
    struct trie_entry *entries;
    uint32_t entry_count, entry_room;
    uint32_t roots[256]; /* children of the root by byte */
};

/* A tree of nothing but its root. Release it in any case. */
ERR_MUST_CHECK enum err_code trie_init(struct trie *trie, uint32_t nodes_max, struct err *err);
void trie_release(struct trie *trie);

/* The node below that the byte leads to; 0: none. */
uint32_t trie_child(const struct trie *trie, uint32_t node, uint8_t byte);

/* Goes down to that node, which is made where there is none. */
ERR_MUST_CHECK enum err_code trie_step(struct trie *trie, uint32_t *node, uint8_t byte,
                                       struct err *err);

/* The pattern ends, by this part of it, in the node. */
ERR_MUST_CHECK enum err_code trie_enter(struct trie *trie, uint32_t node, uint32_t pattern,
                                        struct anchor literal, struct err *err);

/* Puts in every string that the literal, a part of the pattern, stands for after folding. index:
 * the pattern's. */
ERR_MUST_CHECK enum err_code trie_add(struct trie *trie, const struct match_pattern *pattern,
                                      uint32_t index, struct anchor literal,
                                      const uint8_t fold[256], struct err *err);

#endif
