/*
 * match/pfac_trie.c - see pfac_trie.h.
 *
 * A pattern without a mask is in the tree from its first byte to its last, as in the paper. One with a mask is there by the run that is
 * likely to be rarest (ac_literal.h), and compared where that is found.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "match/literals.h"
#include "match/pfac_trie.h"

enum {
    TRIE_NODES_MAX = 1 << 26, /* more than LIMIT_PATTERN_COUNT patterns of LIMIT_PATTERN_LEN bytes need */
};

/* Strings that the run of a masked pattern may stand for; fewer when the tree would become too large. */
static const uint32_t trie_variants[] = { 32, 4, 1 };

/* Makes room for one more element; false when there is no memory. */
static bool trie_room(void **items, uint32_t count, uint32_t *max, size_t size)
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

static uint32_t trie_below(const struct pfac_trie *trie, uint32_t node, uint8_t byte)
{
    if (node == 0)
        return trie->roots[byte];
    uint32_t child = trie->nodes[node].child;
    while (child != 0 && trie->nodes[child].byte != byte)
        child = trie->nodes[child].sibling;
    return child;
}

static enum err_code trie_down(struct pfac_trie *trie, uint32_t *node, uint8_t byte, struct err *err)
{
    uint32_t child = trie_below(trie, *node, byte);

    if (child == 0) {
        void *nodes = trie->nodes;

        if (trie->node_count >= TRIE_NODES_MAX)
            return ERR_FULL;
        if (!trie_room(&nodes, trie->node_count, &trie->node_max, sizeof *trie->nodes))
            return ERR_NO_MEMORY(err, (size_t)trie->node_max * 2 * sizeof *trie->nodes);
        trie->nodes = nodes;
        child = trie->node_count++;
        trie->nodes[child] =
            (struct pfac_node){ .byte = byte, .sibling = trie->nodes[*node].child, .entry = PFAC_NONE };
        trie->nodes[*node].child = child;
        if (*node == 0)
            trie->roots[byte] = child;
    }
    *node = child;
    return ERR_OK;
}

static enum err_code trie_enter(struct pfac_trie *trie, uint32_t node, uint32_t pattern, struct ac_literal literal,
                                struct err *err)
{
    void *entries = trie->entries;

    if (!trie_room(&entries, trie->entry_count, &trie->entry_max, sizeof *trie->entries))
        return ERR_NO_MEMORY(err, (size_t)trie->entry_max * 2 * sizeof *trie->entries);
    trie->entries = entries;
    trie->entries[trie->entry_count] =
        (struct pfac_entry){ .pattern = pattern, .next = trie->nodes[node].entry, .literal = literal };
    trie->nodes[node].entry = trie->entry_count++;
    return ERR_OK;
}

static enum err_code trie_add_whole(struct pfac_trie *trie, const struct match_pattern *pattern, uint32_t index,
                                    struct err *err)
{
    struct ac_literal whole = { .at = 0, .len = (uint8_t)pattern->len, .exact = true };
    enum err_code rc = ERR_OK;
    uint32_t node = 0;

    for (uint32_t i = 0; i < pattern->len && rc == ERR_OK; i++) {
        const uint8_t byte = pattern->bytes[i];

        if (trie->folds && !pattern->fold_case && match_other_case(byte) != byte)
            whole.exact = false;
        rc = trie_down(trie, &node, trie->fold[byte], err);
    }
    return rc == ERR_OK ? trie_enter(trie, node, index, whole, err) : rc;
}

/* Every variant of the run, counted through like an odometer. */
static enum err_code trie_add_run(struct pfac_trie *trie, const struct match_pattern *pattern, uint32_t index,
                                  struct ac_literal run, struct err *err)
{
    uint8_t values[AC_LITERAL_LEN][256];
    uint32_t counts[AC_LITERAL_LEN], wheel[AC_LITERAL_LEN] = { 0 };
    uint32_t turned = 0;

    for (uint32_t i = 0; i < run.len; i++)
        counts[i] = ac_literal_values(pattern, run.at + i, trie->fold, values[i]);
    do {
        enum err_code rc = ERR_OK;
        uint32_t node = 0;

        for (uint32_t i = 0; i < run.len && rc == ERR_OK; i++)
            rc = trie_down(trie, &node, values[i][wheel[i]], err);
        if (rc == ERR_OK)
            rc = trie_enter(trie, node, index, run, err);
        if (rc != ERR_OK)
            return rc;
        for (turned = 0; turned < run.len && ++wheel[turned] == counts[turned]; turned++)
            wheel[turned] = 0;
    } while (turned < run.len);
    return ERR_OK;
}

static void trie_fold(struct pfac_trie *trie)
{
    for (uint32_t i = 0; i < match_dictionary_count(trie->dictionary); i++) {
        const struct match_pattern *pattern = match_dictionary_get(trie->dictionary, i);

        trie->folds |= pattern->kind == MATCH_LITERAL && pattern->fold_case;
    }
    match_literal_fold(trie->fold);
    for (uint32_t byte = 0; byte < 256 && !trie->folds; byte++)
        trie->fold[byte] = (uint8_t)byte;
}

static enum err_code trie_fill(struct pfac_trie *trie, uint32_t variants, uint32_t *groups, struct err *err)
{
    const struct ac_literal_limits limits = { .len = AC_LITERAL_LEN, .variants = variants };
    void *nodes = NULL;
    enum err_code rc = ERR_OK;

    if (!trie_room(&nodes, 0, &trie->node_max, sizeof *trie->nodes))
        return ERR_NO_MEMORY(err, sizeof *trie->nodes);
    assert(nodes != NULL); /* the first growth always allocates */
    trie->nodes = nodes;
    trie->nodes[0] = (struct pfac_node){ .entry = PFAC_NONE };
    trie->node_count = 1;
    memset(groups, 0, AC_LITERAL_GROUPS * sizeof *groups);
    for (uint32_t i = 0; i < match_dictionary_count(trie->dictionary) && rc == ERR_OK; i++) {
        const struct match_pattern *pattern = match_dictionary_get(trie->dictionary, i);

        if (pattern->kind != MATCH_LITERAL)
            continue;
        rc = pattern->mask == NULL
                 ? trie_add_whole(trie, pattern, i, err)
                 : trie_add_run(trie, pattern, i, ac_literal_choose(pattern, trie->fold, &limits, groups), err);
    }
    return rc;
}

enum err_code pfac_trie_build(struct pfac_trie *trie, const struct match_dictionary *dictionary, struct err *err)
{
    uint32_t *groups = malloc(AC_LITERAL_GROUPS * sizeof *groups);
    enum err_code rc = ERR_FULL;

    *trie = (struct pfac_trie){ .dictionary = dictionary };
    if (groups == NULL)
        return ERR_NO_MEMORY(err, AC_LITERAL_GROUPS * sizeof *groups);
    for (uint32_t i = 0; i < sizeof trie_variants / sizeof trie_variants[0] && rc == ERR_FULL; i++) {
        pfac_trie_release(trie);
        *trie = (struct pfac_trie){ .dictionary = dictionary };
        trie_fold(trie);
        rc = trie_fill(trie, trie_variants[i], groups, err);
    }
    free(groups);
    return rc != ERR_FULL
               ? rc
               : ERR_RAISE(err, ERR_FULL, "the tree of %u patterns has more than %d states; split the dictionary",
                           match_dictionary_count(dictionary), (int)TRIE_NODES_MAX);
}

void pfac_trie_release(struct pfac_trie *trie)
{
    free(trie->entries);
    free(trie->nodes);
    *trie = (struct pfac_trie){ 0 };
}
