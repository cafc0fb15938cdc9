/* SPDX-License-Identifier: Apache-2.0
 * match/pattern/trie.c - see trie.h. */
#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#include "match/pattern/trie.h"

enum { TRIE_ROOM = 1024 }; /* of the first memory, elements */

/* Makes room for one more element; false when there is no memory. */
static bool trie_grow(void **items, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return true;
    const uint32_t more = *room == 0 ? TRIE_ROOM : *room * 2;
    void *grown = realloc(*items, more * size);
    if (grown == NULL)
        return false;
    *items = grown;
    *room = more;
    return true;
}

enum err_code trie_init(struct trie *trie, uint32_t nodes_max, struct err *err)
{
    void *nodes = NULL;

    *trie = (struct trie){ .nodes_max = nodes_max };
    if (!trie_grow(&nodes, 0, &trie->node_room, sizeof *trie->nodes))
        return ERR_NO_MEMORY(err, TRIE_ROOM * sizeof *trie->nodes);
    assert(nodes != NULL); /* the first growth always allocates */
    trie->nodes = nodes;
    trie->nodes[0] = (struct trie_node){ .entry = TRIE_NONE };
    trie->node_count = 1;
    return ERR_OK;
}

void trie_release(struct trie *trie)
{
    free(trie->entries);
    free(trie->nodes);
    *trie = (struct trie){ 0 };
}

uint32_t trie_child(const struct trie *trie, uint32_t node, uint8_t byte)
{
    if (node == 0)
        return trie->roots[byte];
    uint32_t child = trie->nodes[node].child;
    while (child != 0 && trie->nodes[child].byte != byte)
        child = trie->nodes[child].sibling;
    return child;
}

enum err_code trie_step(struct trie *trie, uint32_t *node, uint8_t byte, struct err *err)
{
    uint32_t child = trie_child(trie, *node, byte);

    if (child == 0) {
        void *nodes = trie->nodes;

        if (trie->node_count >= trie->nodes_max)
            return ERR_FULL;
        if (!trie_grow(&nodes, trie->node_count, &trie->node_room, sizeof *trie->nodes))
            return ERR_NO_MEMORY(err, (size_t)trie->node_room * 2 * sizeof *trie->nodes);
        trie->nodes = nodes;
        child = trie->node_count++;
        trie->nodes[child] = (struct trie_node){ .byte = byte,
                                                 .sibling = trie->nodes[*node].child,
                                                 .entry = TRIE_NONE };
        trie->nodes[*node].child = child;
        if (*node == 0)
            trie->roots[byte] = child;
    }
    *node = child;
    return ERR_OK;
}

enum err_code trie_enter(struct trie *trie, uint32_t node, uint32_t pattern, struct anchor literal,
                         struct err *err)
{
    void *entries = trie->entries;

    if (!trie_grow(&entries, trie->entry_count, &trie->entry_room, sizeof *trie->entries))
        return ERR_NO_MEMORY(err, (size_t)trie->entry_room * 2 * sizeof *trie->entries);
    trie->entries = entries;
    trie->entries[trie->entry_count] = (struct trie_entry){ .pattern = pattern,
                                                            .next = trie->nodes[node].entry,
                                                            .literal = literal };
    trie->nodes[node].entry = trie->entry_count++;
    return ERR_OK;
}

/* Every variant of the literal, counted through like an odometer. */
enum err_code trie_add(struct trie *trie, const struct match_pattern *pattern, uint32_t index,
                       struct anchor literal, const uint8_t fold[256], struct err *err)
{
    uint8_t values[ANCHOR_LEN][256];
    uint32_t counts[ANCHOR_LEN], wheel[ANCHOR_LEN] = { 0 };
    uint32_t turned = 0;

    for (uint32_t i = 0; i < literal.len; i++)
        counts[i] = anchor_values(pattern, literal.at + i, fold, values[i]);
    do {
        enum err_code rc = ERR_OK;
        uint32_t node = 0;

        for (uint32_t i = 0; i < literal.len && rc == ERR_OK; i++)
            rc = trie_step(trie, &node, values[i][wheel[i]], err);
        if (rc == ERR_OK)
            rc = trie_enter(trie, node, index, literal, err);
        if (rc != ERR_OK)
            return rc;
        for (turned = 0; turned < literal.len && ++wheel[turned] == counts[turned]; turned++)
            wheel[turned] = 0;
    } while (turned < literal.len);
    return ERR_OK;
}
