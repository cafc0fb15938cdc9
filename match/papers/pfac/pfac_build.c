/* SPDX-License-Identifier: Apache-2.0
 * match/papers/pfac/pfac_build.c - a dictionary into the automaton of pfac.h: the tree of
 * pfac_trie.h with its states numbered. */
#include <stdlib.h>

#include "base/limits.h"
#include "match/papers/pfac/pfac.h"
#include "match/papers/pfac/pfac_trie.h"

enum {
    BUILD_HEAD = 3, /* levels whose states are numbered level by level */
    BUILD_DEPTH_MAX = LIMIT_PATTERN_LEN + 1,
};

struct build {
    struct pfac *pfac;
    struct pfac_trie trie;
    uint32_t *numbers;             /* [node_count]: states of nodes */
    uint32_t plain, finding, leaf; /* the next number of each kind */
};

/* The number of a node's kind that comes next. */
static uint32_t *build_next(struct build *build, uint32_t index)
{
    const struct trie_node *node = &build->trie.tree.nodes[index];

    if (node->child == 0 && index != 0)
        return &build->leaf;
    return node->entry == TRIE_NONE ? &build->plain : &build->finding;
}

/* Numbers the nodes at depths [from, to], each before those below it and those before its next
 * sibling. */
static void build_number(struct build *build, uint32_t from, uint32_t to)
{
    const struct trie_node *nodes = build->trie.tree.nodes;
    uint32_t path[BUILD_DEPTH_MAX] = { 0 }, depth = 0;

    for (;;) {
        if (depth >= from)
            build->numbers[path[depth]] = (*build_next(build, path[depth]))++;
        if (depth < to && nodes[path[depth]].child != 0) {
            path[depth + 1] = nodes[path[depth]].child;
            depth++;
            continue;
        }
        while (depth > 0 && nodes[path[depth]].sibling == 0)
            depth--;
        if (depth == 0)
            return;
        path[depth] = nodes[path[depth]].sibling;
    }
}

static enum err_code build_states(struct build *build, struct err *err)
{
    struct pfac *pfac = build->pfac;
    const uint32_t count = build->trie.tree.node_count;

    build->numbers = malloc(count * sizeof *build->numbers);
    if (build->numbers == NULL)
        return ERR_NO_MEMORY(err, count * sizeof *build->numbers);
    for (uint32_t i = 0; i < count; i++)
        (*build_next(build, i))++;
    pfac->states = count;
    pfac->finding = build->plain;
    pfac->leaf = build->plain + build->finding;
    build->plain = 0;
    build->finding = pfac->finding;
    build->leaf = pfac->leaf;
    for (uint32_t depth = 0; depth < BUILD_HEAD; depth++)
        build_number(build, depth, depth);
    build_number(build, BUILD_HEAD, LIMIT_PATTERN_LEN);
    return ERR_OK;
}

static enum err_code build_edges(struct build *build, struct err *err)
{
    struct pfac *pfac = build->pfac;
    const struct trie_node *nodes = build->trie.tree.nodes;
    const size_t edges = pfac_edges(pfac);

    pfac->first = calloc(pfac->leaf + 1u, sizeof *pfac->first);
    pfac->next = malloc((edges + 1) * sizeof *pfac->next);
    pfac->bytes = malloc(edges + 1);
    if (pfac->first == NULL || pfac->next == NULL || pfac->bytes == NULL)
        return ERR_NO_MEMORY(err, (pfac->leaf + edges) * sizeof *pfac->next + edges);
    for (uint32_t i = 0; i < pfac->states; i++)
        for (uint32_t child = nodes[i].child; child != 0; child = nodes[child].sibling)
            pfac->first[build->numbers[i] + 1]++;
    for (uint32_t i = 0; i < pfac->leaf; i++)
        pfac->first[i + 1] += pfac->first[i];
    for (uint32_t i = 0; i < pfac->states; i++) {
        uint32_t at = nodes[i].child == 0 ? 0 : pfac->first[build->numbers[i]];

        for (uint32_t child = nodes[i].child; child != 0; child = nodes[child].sibling, at++) {
            pfac->next[at] = build->numbers[child];
            pfac->bytes[at] = nodes[child].byte;
        }
    }
    return ERR_OK;
}

static enum err_code build_outputs(struct build *build, struct err *err)
{
    struct pfac *pfac = build->pfac;
    const struct pfac_trie *trie = &build->trie;
    const uint32_t finding = pfac->states - pfac->finding;

    pfac->found = calloc(finding + 1u, sizeof *pfac->found);
    pfac->outputs = calloc(trie->tree.entry_count + 1u, sizeof *pfac->outputs);
    if (pfac->found == NULL || pfac->outputs == NULL)
        return ERR_NO_MEMORY(err, finding * sizeof *pfac->found +
                                      trie->tree.entry_count * sizeof *pfac->outputs);
    pfac->whole = true;
    for (uint32_t i = 0; i < pfac->states; i++) {
        if (trie->tree.nodes[i].entry == TRIE_NONE)
            continue;
        struct pfac_found *found = &pfac->found[build->numbers[i] - pfac->finding];

        found->first = pfac->output_count;
        for (uint32_t e = trie->tree.nodes[i].entry; e != TRIE_NONE;
             e = trie->tree.entries[e].next) {
            const struct trie_entry *entry = &trie->tree.entries[e];
            const uint32_t len = match_dictionary_get(trie->dictionary, entry->pattern)->len;

            pfac->outputs[pfac->output_count++] = (struct pfac_output){
                .pattern = entry->pattern,
                .len = (uint8_t)len,
                .at = entry->literal.at,
                .exact = entry->literal.exact,
            };
            pfac->whole = pfac->whole && entry->literal.len == len;
            if (pfac->longest < len)
                pfac->longest = len;
        }
        found->count = pfac->output_count - found->first;
    }
    return ERR_OK;
}

enum err_code pfac_build(const struct match_dictionary *dictionary, struct pfac **out,
                         struct err *err)
{
    struct build build = { .pfac = calloc(1, sizeof *build.pfac) };

    *out = NULL;
    if (build.pfac == NULL)
        return ERR_NO_MEMORY(err, sizeof *build.pfac);
    enum err_code rc = pfac_trie_build(&build.trie, dictionary, err);
    if (rc == ERR_OK)
        rc = build_states(&build, err);
    if (rc == ERR_OK)
        rc = build_edges(&build, err);
    if (rc == ERR_OK)
        rc = build_outputs(&build, err);
    build.pfac->folds = build.trie.folds;
    if (rc == ERR_OK)
        *out = build.pfac;
    else
        pfac_destroy(build.pfac);
    free(build.numbers);
    pfac_trie_release(&build.trie);
    return rc;
}

void pfac_destroy(struct pfac *pfac)
{
    if (pfac == NULL)
        return;
    free(pfac->first);
    free(pfac->next);
    free(pfac->bytes);
    free(pfac->found);
    free(pfac->outputs);
    free(pfac);
}
