/* SPDX-License-Identifier: Apache-2.0
 * match/papers/mbm/mbm_build.c - the reverse trie of multi-pattern Boyer-Moore and its functions.
 * See mbm.h.
 *
 * A failure link, as in an Aho-Corasick automaton, leads from a node to that of the longest word
 * which its own word ends in. The minima of shift1 and shift2 need no more than these links: a
 * node's nearest deeper relatives link to it directly.
 */
#include <stdlib.h>

#include "match/papers/mbm/mbm.h"

enum {
    MBM_NODES = 1 << 21, /* keywords are cut so that there are about this many at most */
    MBM_DEPTH_MIN = 16,  /* but not shorter than this */
    MBM_LETTERS = 256,
};

struct mbm_builder {
    struct mbm *mbm;
    uint32_t depth_max;
    uint32_t output_count;
    /* Of each node. */
    uint32_t *father, *failure, *by_depth;
    uint8_t *letter, *depth;
    uint16_t *nearest; /* least depth of a node that is entered through failure links and where a
                          keyword ends */
};

/* Room for all nodes that the keywords could need. */
static enum err_code mbm_builder_init(struct mbm_builder *b, struct err *err)
{
    struct mbm *mbm = b->mbm;
    size_t nodes = 2 + MBM_LETTERS;
    uint32_t slots = 1024;

    mbm->edge_shift = 22;
    for (uint32_t i = 0; i < mbm->literals.count; i++)
        nodes += match_literal_run(&mbm->literals.items[i], b->depth_max).len;
    for (; slots < 2 * nodes; slots *= 2)
        mbm->edge_shift--;
    mbm->nodes = calloc(nodes, sizeof *mbm->nodes);
    mbm->edges = calloc(slots, sizeof *mbm->edges);
    b->father = calloc(nodes, sizeof *b->father);
    b->failure = calloc(nodes, sizeof *b->failure);
    b->by_depth = calloc(nodes, sizeof *b->by_depth);
    b->letter = calloc(nodes, sizeof *b->letter);
    b->depth = calloc(nodes, sizeof *b->depth);
    b->nearest = calloc(nodes, sizeof *b->nearest);
    if (mbm->nodes == NULL || mbm->edges == NULL || b->father == NULL || b->failure == NULL ||
        b->by_depth == NULL || b->letter == NULL || b->depth == NULL || b->nearest == NULL)
        return ERR_NO_MEMORY(err, nodes * 24 + slots * sizeof *mbm->edges);
    mbm->node_count = 1;
    return ERR_OK;
}

static uint32_t mbm_add_child(struct mbm_builder *b, uint32_t father, uint8_t letter)
{
    struct mbm *mbm = b->mbm;
    const uint32_t node = mbm->node_count++, key = father << 8 | letter,
                   mask = (uint32_t)-1 >> mbm->edge_shift;
    uint32_t slot = key * 2654435761u >> mbm->edge_shift;

    if (node == father + 1) {
        mbm->nodes[father].goes_on = true;
        mbm->nodes[father].letter = letter;
    } else {
        mbm->nodes[father].branches = true;
        while (mbm->edges[slot].child != 0)
            slot = (slot + 1) & mask;
        mbm->edges[slot] = (struct mbm_edge){ .key = key, .child = node };
    }
    b->father[node] = father;
    b->letter[node] = letter;
    b->depth[node] = (uint8_t)(b->depth[father] + 1);
    return node;
}

/* A keyword that ends tail bytes before the literal does. Outputs are counted the first time, and
 * stored the second. */
static void mbm_add_keyword(struct mbm_builder *b, const uint8_t *letters, uint32_t len,
                            struct mbm_output output)
{
    struct mbm *mbm = b->mbm;
    uint32_t node = 0;

    for (uint32_t i = len; i-- > 0;) {
        const uint32_t child = mbm_child(mbm, node, letters[i]);

        node = child != 0 ? child : mbm_add_child(b, node, letters[i]);
    }
    if (mbm->outputs != NULL) {
        mbm->outputs[--mbm->nodes[node].first] = output;
        return;
    }
    mbm->nodes[node].first++;
    b->output_count++;
    if (len < mbm->shortest)
        mbm->shortest = len;
    if (output.tail > mbm->tail)
        mbm->tail = output.tail;
}

/* The place that takes the fewest bytes. */
static uint32_t mbm_best_place(const struct match_literal *literal)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < literal->len; i++)
        if (__builtin_popcount(literal->masks[i]) > __builtin_popcount(literal->masks[best]))
            best = i;
    return best;
}

/* The keyword of a literal is its longest run; when every place is masked, it is each of the
 * letters that one place takes. */
static void mbm_add_literal(struct mbm_builder *b, uint32_t index)
{
    const struct match_literal *literal = &b->mbm->literals.items[index];
    const struct match_run run = match_literal_run(literal, b->depth_max);
    const uint8_t *fold = b->mbm->fold;
    uint8_t letters[MBM_LETTERS];
    bool taken[MBM_LETTERS] = { false };

    if (run.len > 0) {
        for (uint32_t i = 0; i < run.len; i++)
            letters[i] = fold[literal->bytes[run.at + i]];
        mbm_add_keyword(
            b, letters, run.len,
            (struct mbm_output){ .literal = index, .tail = literal->len - run.at - run.len });
        return;
    }
    const uint32_t place = mbm_best_place(literal);
    for (uint32_t byte = 0; byte < MBM_LETTERS; byte++)
        if (match_place_takes(literal, place, (uint8_t)byte))
            taken[fold[byte]] = true;
    for (uint32_t letter = 0; letter < MBM_LETTERS; letter++) {
        letters[0] = (uint8_t)letter;
        if (taken[letter])
            mbm_add_keyword(
                b, letters, 1,
                (struct mbm_output){ .literal = index, .tail = literal->len - place - 1 });
    }
}

static enum err_code mbm_fill_trie(struct mbm_builder *b, struct err *err)
{
    struct mbm *mbm = b->mbm;

    for (uint32_t i = 0; i < mbm->literals.count; i++)
        mbm_add_literal(b, i);
    for (uint32_t v = 1; v <= mbm->node_count; v++)
        mbm->nodes[v].first += mbm->nodes[v - 1].first;
    mbm->outputs = calloc(b->output_count + 1u, sizeof *mbm->outputs);
    if (mbm->outputs == NULL)
        return ERR_NO_MEMORY(err, (b->output_count + 1u) * sizeof *mbm->outputs);
    for (uint32_t i = mbm->literals.count; i-- > 0;)
        mbm_add_literal(b, i);
    return ERR_OK;
}

/* Nodes by depth, and the failure link of each. */
static void mbm_link(struct mbm_builder *b)
{
    uint32_t starts[LIMIT_PATTERN_LEN + 2] = { 0 };

    for (uint32_t v = 0; v < b->mbm->node_count; v++)
        starts[b->depth[v] + 1]++;
    for (uint32_t d = 1; d <= LIMIT_PATTERN_LEN; d++)
        starts[d] += starts[d - 1];
    for (uint32_t v = 0; v < b->mbm->node_count; v++)
        b->by_depth[starts[b->depth[v]]++] = v;
    for (uint32_t i = 1; i < b->mbm->node_count; i++) {
        const uint32_t u = b->by_depth[i];
        uint32_t v = b->father[u];

        if (v == 0)
            continue; /* its word has one letter, and ends in nothing shorter */
        do {
            v = b->failure[v];
            b->failure[u] = mbm_child(b->mbm, v, b->letter[u]);
        } while (b->failure[u] == 0 && v != 0);
    }
}

static uint32_t mbm_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void mbm_fill_shifts(struct mbm_builder *b)
{
    struct mbm *mbm = b->mbm;
    struct mbm_node *nodes = mbm->nodes;

    for (uint32_t v = 0; v < mbm->node_count; v++) {
        nodes[v].shift1 = (uint8_t)mbm->shortest;
        b->nearest[v] = UINT16_MAX;
    }
    for (uint32_t i = mbm->node_count; i-- > 1;) { /* the deepest first */
        const uint32_t u = b->by_depth[i], v = b->failure[u];
        const bool ends = nodes[u].first != nodes[u + 1].first;

        nodes[v].shift1 = (uint8_t)mbm_least(nodes[v].shift1, (uint32_t)b->depth[u] - b->depth[v]);
        b->nearest[v] = (uint16_t)mbm_least(b->nearest[v], ends ? b->depth[u] : b->nearest[u]);
    }
    nodes[0].shift2 = (uint8_t)mbm->shortest;
    for (uint32_t v = 1; v < mbm->node_count; v++)
        nodes[v].shift2 =
            (uint8_t)mbm_least(nodes[b->father[v]].shift2, (uint32_t)b->nearest[v] - b->depth[v]);

    for (uint32_t a = 0; a < MBM_LETTERS; a++)
        mbm->bad[a] = (uint16_t)(mbm->shortest + 1);
    for (uint32_t v = 1; v < mbm->node_count; v++)
        mbm->bad[b->letter[v]] = (uint16_t)mbm_least(mbm->bad[b->letter[v]], b->depth[v]);
    for (uint32_t byte = 0; byte < MBM_LETTERS;
         byte++) /* 0 for a letter that leads on from the root */
        mbm->skip[byte] = (uint8_t)(mbm->bad[mbm->fold[byte]] - 1);
}

enum err_code mbm_build(const struct match_dictionary *dictionary, struct mbm **out,
                        struct err *err)
{
    struct mbm_builder b = { .mbm = calloc(1, sizeof *b.mbm) };
    bool folds = false;

    *out = NULL;
    if (b.mbm == NULL)
        return ERR_NO_MEMORY(err, sizeof *b.mbm);
    enum err_code rc = match_literals_open(dictionary, &b.mbm->literals, err);
    const struct match_literals *literals = &b.mbm->literals;
    b.depth_max = MBM_NODES / (literals->count + 1);
    if (b.depth_max < MBM_DEPTH_MIN)
        b.depth_max = MBM_DEPTH_MIN;
    for (uint32_t i = 0; i < literals->count; i++)
        folds = folds || match_literal_run(&literals->items[i], b.depth_max).letters;
    for (uint32_t byte = 0; byte < MBM_LETTERS; byte++)
        b.mbm->fold[byte] = (uint8_t)byte;
    if (folds)
        match_literal_fold(b.mbm->fold);
    b.mbm->shortest = LIMIT_PATTERN_LEN;
    if (rc == ERR_OK)
        rc = mbm_builder_init(&b, err);
    if (rc == ERR_OK)
        rc = mbm_fill_trie(&b, err);
    if (rc == ERR_OK) {
        mbm_link(&b);
        mbm_fill_shifts(&b);
        *out = b.mbm;
    } else {
        mbm_destroy(b.mbm);
    }
    free(b.father);
    free(b.failure);
    free(b.by_depth);
    free(b.letter);
    free(b.depth);
    free(b.nearest);
    return rc;
}

void mbm_destroy(struct mbm *mbm)
{
    if (mbm == NULL)
        return;
    match_literals_close(&mbm->literals);
    free(mbm->nodes);
    free(mbm->edges);
    free(mbm->outputs);
    free(mbm);
}
