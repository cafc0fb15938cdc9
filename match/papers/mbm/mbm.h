/* SPDX-License-Identifier: Apache-2.0
 * match/papers/mbm/mbm.h - the tables of multi-pattern Boyer-Moore, for the engine and its tests.
 *
 * The keywords stand reversed in a trie; the root is node 0, and a child's number is above its
 * father's. With w(v) the word on the path to node v and d(v) its length:
 *
 *   bad[a]     least depth of a node that is entered by letter a, at most shortest + 1
 *   shift1[v]  least d(u) - d(v) over the nodes u whose word is longer than w(v) and ends in it; at
 *              most shortest
 *   shift2[v]  the same over those u where a keyword ends; at most shift2 of v's father; shortest
 *              at the root
 */
#ifndef BURIN_MATCH_PAPERS_MBM_MBM_H
#define BURIN_MATCH_PAPERS_MBM_MBM_H

#include "match/pattern/literals.h"

struct mbm_node {
    uint32_t first;         /* of mbm.outputs; they end at the next node's */
    uint8_t shift1, shift2; /* 1..shortest */
    bool goes_on, branches; /* the next node is its child, by letter; it has others, which stand in
                               the hash table */
    uint8_t letter;
};

struct mbm_output {
    uint32_t literal; /* of mbm.literals.items */
    uint32_t tail;    /* bytes of the literal behind the keyword */
};

struct mbm_edge {
    uint32_t key;   /* node * 256 + letter */
    uint32_t child; /* 0: the slot is empty */
};

struct mbm {
    struct match_literals literals;
    struct mbm_node *nodes; /* [node_count + 1] */
    struct mbm_edge
        *edges; /* a hash table: a row of 256 for each node would be too much for a keyword list */
    uint32_t edge_shift; /* 32 less the binary logarithm of its size */
    struct mbm_output *outputs;
    uint32_t node_count;
    uint32_t shortest; /* keyword */
    uint32_t tail;     /* longest of any output */
    uint8_t fold[256]; /* byte of text -> letter */
    uint16_t bad[256]; /* by letter */
    uint8_t
        skip[256]; /* by byte of text: how far to go on when no keyword ends in it; 0: one may */
};

ERR_MUST_CHECK enum err_code mbm_build(const struct match_dictionary *dictionary, struct mbm **out,
                                       struct err *err);
void mbm_destroy(struct mbm *mbm); /* NULL is a no-op */

/* The child of node by letter, or 0. */
static inline uint32_t mbm_child(const struct mbm *mbm, uint32_t node, uint8_t letter)
{
    const uint32_t key = node << 8 | letter, mask = (uint32_t)-1 >> mbm->edge_shift;

    if (mbm->nodes[node].goes_on && mbm->nodes[node].letter == letter)
        return node + 1;
    if (!mbm->nodes[node].branches)
        return 0;
    for (uint32_t slot = key * 2654435761u >> mbm->edge_shift;; slot = (slot + 1) & mask)
        if (mbm->edges[slot].child == 0 || mbm->edges[slot].key == key)
            return mbm->edges[slot].child;
}

#endif
