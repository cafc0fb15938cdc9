/* match/ac_trie.c - see ac_trie.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "match/ac.h"
#include "match/ac_trie.h"

/* Makes room for one more element; false when there is no memory. */
static bool trie_grow(void **items, uint32_t count, uint32_t *max, size_t size)
{
    if (count < *max)
        return true;
    const uint32_t grown_max = *max == 0 ? 1024 : *max * 2;
    void *grown = realloc(*items, grown_max * size);
    if (grown == NULL)
        return false;
    *items = grown;
    *max = grown_max;
    return true;
}

static uint32_t trie_child(const struct ac_trie *trie, uint32_t node, uint8_t byte)
{
    if (node == 0)
        return trie->roots[byte];
    uint32_t child = trie->nodes[node].child;
    while (child != 0 && trie->nodes[child].byte != byte)
        child = trie->nodes[child].sibling;
    return child;
}

static enum err_code trie_step(struct ac_trie *trie, uint32_t *node, uint8_t byte, uint32_t nodes_max, struct err *err)
{
    uint32_t child = trie_child(trie, *node, byte);

    if (child == 0) {
        void *nodes = trie->nodes;

        if (trie->node_count >= nodes_max)
            return ERR_FULL;
        if (!trie_grow(&nodes, trie->node_count, &trie->node_max, sizeof *trie->nodes))
            return ERR_NO_MEMORY(err, trie->node_max * 2 * sizeof *trie->nodes);
        trie->nodes = nodes;
        child = trie->node_count++;
        trie->nodes[child] =
            (struct ac_trie_node){ .byte = byte, .sibling = trie->nodes[*node].child, .entry = AC_NONE };
        trie->nodes[*node].child = child;
        if (*node == 0)
            trie->roots[byte] = child;
    }
    *node = child;
    return ERR_OK;
}

static enum err_code trie_add_entry(struct ac_trie *trie, uint32_t node, uint32_t pattern, struct ac_literal literal,
                                    struct err *err)
{
    void *entries = trie->entries;

    if (!trie_grow(&entries, trie->entry_count, &trie->entry_max, sizeof *trie->entries))
        return ERR_NO_MEMORY(err, trie->entry_max * 2 * sizeof *trie->entries);
    trie->entries = entries;
    trie->entries[trie->entry_count] =
        (struct ac_trie_entry){ .pattern = pattern, .next = trie->nodes[node].entry, .literal = literal };
    trie->nodes[node].entry = trie->entry_count++;
    return ERR_OK;
}

/* Every variant of the literal, counted through like an odometer. */
static enum err_code trie_add(struct ac_trie *trie, const struct match_pattern *pattern, uint32_t index,
                              struct ac_literal literal, const uint8_t fold[256], uint32_t nodes_max, struct err *err)
{
    uint8_t values[AC_LITERAL_LEN][256];
    uint32_t counts[AC_LITERAL_LEN], wheel[AC_LITERAL_LEN] = { 0 };
    uint32_t turned = 0;

    for (uint32_t i = 0; i < literal.len; i++)
        counts[i] = ac_literal_values(pattern, literal.at + i, fold, values[i]);
    do {
        enum err_code rc = ERR_OK;
        uint32_t node = 0;

        for (uint32_t i = 0; i < literal.len && rc == ERR_OK; i++)
            rc = trie_step(trie, &node, values[i][wheel[i]], nodes_max, err);
        if (rc == ERR_OK)
            rc = trie_add_entry(trie, node, index, literal, err);
        if (rc != ERR_OK)
            return rc;
        for (turned = 0; turned < literal.len && ++wheel[turned] == counts[turned]; turned++)
            wheel[turned] = 0;
    } while (turned < literal.len);
    return ERR_OK;
}

/* Breadth first: the order of nodes, and from shallow to deep their failure links. */
static enum err_code trie_link(struct ac_trie *trie, struct err *err)
{
    uint32_t count = 1;

    trie->order = malloc(trie->node_count * sizeof *trie->order);
    if (trie->order == NULL)
        return ERR_NO_MEMORY(err, trie->node_count * sizeof *trie->order);
    trie->order[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t node = trie->order[i];

        for (uint32_t child = trie->nodes[node].child; child != 0; child = trie->nodes[child].sibling) {
            struct ac_trie_node *below = &trie->nodes[child];
            uint32_t fail = node;

            trie->order[count++] = child;
            do {
                if (fail == 0)
                    break;
                fail = trie->nodes[fail].fail;
                below->fail = trie_child(trie, fail, below->byte);
            } while (below->fail == 0);
            below->link = trie->nodes[below->fail].entry != AC_NONE ? below->fail : trie->nodes[below->fail].link;
        }
    }
    return ERR_OK;
}

enum err_code ac_trie_build(struct ac_trie *trie, const struct match_dictionary *dictionary, const uint8_t fold[256],
                            const struct ac_literal_limits *limits, uint32_t nodes_max, struct err *err)
{
    uint32_t *groups = calloc(AC_LITERAL_GROUPS, sizeof *groups);
    void *nodes = NULL;
    enum err_code rc = ERR_OK;

    *trie = (struct ac_trie){ 0 };
    if (groups == NULL || !trie_grow(&nodes, 0, &trie->node_max, sizeof *trie->nodes)) {
        rc = ERR_NO_MEMORY(err, AC_LITERAL_GROUPS * sizeof *groups);
        goto out;
    }
    assert(nodes != NULL); /* the first growth always allocates */
    trie->nodes = nodes;
    trie->nodes[0] = (struct ac_trie_node){ .entry = AC_NONE };
    trie->node_count = 1;
    for (uint32_t i = 0; i < match_dictionary_count(dictionary) && rc == ERR_OK; i++) {
        const struct match_pattern *pattern = match_dictionary_get(dictionary, i);

        if (pattern->kind == MATCH_LITERAL)
            rc = trie_add(trie, pattern, i, ac_literal_choose(pattern, fold, limits, groups), fold, nodes_max, err);
    }
    if (rc == ERR_OK)
        rc = trie_link(trie, err);
out:
    free(groups);
    return rc;
}

void ac_trie_release(struct ac_trie *trie)
{
    free(trie->order);
    free(trie->entries);
    free(trie->nodes);
    *trie = (struct ac_trie){ 0 };
}
