/* SPDX-License-Identifier: Apache-2.0
 * match/ac/ac_trie.c - see ac_trie.h. */
#include <stdlib.h>

#include "match/ac/ac_trie.h"

/* Breadth first: the order of nodes, and from shallow to deep their failure links. */
static enum err_code ac_trie_link(struct ac_trie *trie, struct err *err)
{
    const struct trie *tree = &trie->tree;
    const struct trie_node *nodes = tree->nodes;
    uint32_t count = 1;

    trie->fail = calloc(tree->node_count, sizeof *trie->fail);
    trie->link = calloc(tree->node_count, sizeof *trie->link);
    trie->order = malloc(tree->node_count * sizeof *trie->order);
    if (trie->fail == NULL || trie->link == NULL || trie->order == NULL)
        return ERR_NO_MEMORY(err, 3 * tree->node_count * sizeof *trie->order);
    trie->order[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t node = trie->order[i];

        for (uint32_t child = nodes[node].child; child != 0; child = nodes[child].sibling) {
            uint32_t from = node, to = 0;

            trie->order[count++] = child;
            while (from != 0 && to == 0) {
                from = trie->fail[from];
                to = trie_child(tree, from, nodes[child].byte);
            }
            trie->fail[child] = to;
            trie->link[child] = nodes[to].entry != TRIE_NONE ? to : trie->link[to];
        }
    }
    return ERR_OK;
}

enum err_code ac_trie_build(struct ac_trie *trie, const struct match_dictionary *dictionary,
                            const uint8_t fold[256], const struct anchor_limits *limits,
                            uint32_t nodes_max, struct err *err)
{
    uint32_t *groups = calloc(ANCHOR_GROUPS, sizeof *groups);
    enum err_code rc = ERR_OK;

    *trie = (struct ac_trie){ 0 };
    if (groups == NULL)
        return ERR_NO_MEMORY(err, ANCHOR_GROUPS * sizeof *groups);
    rc = trie_init(&trie->tree, nodes_max, err);
    for (uint32_t i = 0; i < match_dictionary_count(dictionary) && rc == ERR_OK; i++) {
        const struct match_pattern *pattern = match_dictionary_get(dictionary, i);

        if (pattern->kind == MATCH_LITERAL)
            rc = trie_add(&trie->tree, pattern, i, anchor_choose(pattern, fold, limits, groups),
                          fold, err);
    }
    if (rc == ERR_OK)
        rc = ac_trie_link(trie, err);
    free(groups);
    return rc;
}

void ac_trie_release(struct ac_trie *trie)
{
    free(trie->order);
    free(trie->link);
    free(trie->fail);
    trie_release(&trie->tree);
    *trie = (struct ac_trie){ 0 };
}
