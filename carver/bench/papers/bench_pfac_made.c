/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/papers/bench_pfac_made.c - sets of patterns made to the numbers of a paper's, and
 * texts to look for them in. See bench_pfac.h.
 *
 * The rules that the paper took its sets from are not at hand, but what its tables depend on are
 * numbers of the tree. So a tree is grown: each leaf begins where the path to another one, chosen
 * at random, is left at some depth (so that, as in rules, a few prefixes have very many followers),
 * and has a tail of its own. Lengths of tails add up to the states, and depths to the characters;
 * patterns that are prefixes of others are put where what is left of the characters asks for.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/bench/papers/bench_pfac.h"

enum {
    MADE_LEN_MAX = 243,
    MADE_DEPTH_FREE = 8,
    MADE_TAIL_MAX = 200,
    MADE_PACKET = 700,
    MADE_RARE = 64
};

const struct bench_pfac_set bench_pfac_sets[BENCH_PFAC_SETS] = {
    { 5176, 340, 303, 0 },    { 10486, 792, 727, 0 },       { 14379, 994, 917, 0 },
    { 20281, 1503, 1342, 0 }, { 27754, 1998, 1795, 41997 }, { 30650, 2002, 1799, 0 },
};

struct made_node {
    uint32_t parent, child, sibling; /* 0: none; node 0 is the root */
    uint8_t byte, depth;
    bool ends; /* a pattern */
};

struct made {
    const struct bench_pfac_set *set;
    struct made_node *nodes; /* [states] */
    uint32_t *leaves;        /* [set->leaves] */
    uint32_t count, leaf_count;
    uint64_t depths; /* of the leaves, added up */
    uint64_t random;
};

static bool made_has(const struct made *made, uint32_t node, uint8_t byte)
{
    for (uint32_t c = made->nodes[node].child; c != 0; c = made->nodes[c].sibling)
        if (made->nodes[c].byte == byte)
            return true;
    return false;
}

static uint32_t made_below(struct made *made, uint32_t parent, uint8_t byte)
{
    const uint32_t node = made->count++;

    made->nodes[node] = (struct made_node){ .parent = parent,
                                            .sibling = made->nodes[parent].child,
                                            .byte = byte,
                                            .depth = (uint8_t)(made->nodes[parent].depth + 1) };
    made->nodes[parent].child = node;
    return node;
}

/* A node at that depth above a leaf, which may have one child more. */
static uint32_t made_branch(struct made *made, uint32_t depth)
{
    for (uint32_t tries = 0; made->leaf_count > 0; tries++) {
        uint32_t node = made->leaves[bench_random(&made->random) % made->leaf_count], children = 0;

        if (tries % 16 == 15 && depth > 0) /* hardly any path is so long */
            depth--;
        if (made->nodes[node].depth <= depth)
            continue;
        while (made->nodes[node].depth > depth)
            node = made->nodes[node].parent;
        for (uint32_t c = made->nodes[node].child; c != 0; c = made->nodes[c].sibling)
            children++;
        if (children < 256)
            return node;
        depth++;
    }
    return 0;
}

static uint8_t made_byte(struct made *made, bool text)
{
    static const char often[] = "etaoinsrhldcu/.-_ =0123GPAMS";
    const uint32_t r = bench_random(&made->random);

    return text ? (uint8_t)often[r % (sizeof often - 1)] : (uint8_t)(r >> 8);
}

/* A leaf with a tail of so many states. */
static void made_leaf(struct made *made, uint32_t depth, uint32_t tail)
{
    const bool text = bench_random(&made->random) % 10 < 6;
    uint32_t node = made_branch(made, depth);
    uint8_t byte = made_byte(made, text);

    if (tail + made->nodes[node].depth >
        MADE_LEN_MAX) /* the branch is deeper than was asked for: others are full */
        tail = MADE_LEN_MAX - (uint32_t)made->nodes[node].depth;
    while (made_has(made, node, byte))
        byte++;
    for (uint32_t i = 0; i < tail; i++, byte = made_byte(made, text))
        node = made_below(made, node, byte);
    made->nodes[node].ends = true;
    made->leaves[made->leaf_count++] = node;
    made->depths += made->nodes[node].depth;
}

/* Lengths as in rules: most near the mean, few very long; whatever is left must do for the leaves
 * that come. */
static uint32_t made_tail(struct made *made, uint32_t depth)
{
    const uint32_t left = made->set->states - made->count,
                   leaves = made->set->leaves - made->leaf_count;
    const uint32_t mean = left / leaves, r = bench_random(&made->random),
                   spread = mean < 2 ? 1 : mean;
    const uint64_t others = (uint64_t)(leaves - 1) * MADE_TAIL_MAX;
    uint32_t tail = r % 64 == 0 ? mean * 4 : mean / 2 + 1 + (r >> 8) % spread;
    const uint32_t least = left > others ? (uint32_t)(left - others) : 1,
                   most = left - (leaves - 1);

    if (tail > MADE_LEN_MAX - depth)
        tail = MADE_LEN_MAX - depth;
    if (tail < least)
        tail = least;
    return tail > most ? most : tail;
}

/* What the depths of the branches should add up to, for the characters there are to be. */
static uint64_t made_shared(const struct bench_pfac_set *set)
{
    const uint64_t inner = (uint64_t)(set->finals - set->leaves) * MADE_DEPTH_FREE,
                   own = set->states - 1 + inner;

    return set->characters == 0 ? (uint64_t)set->leaves * MADE_DEPTH_FREE * 7 / 8
                                : (set->characters > own ? set->characters - own : 0);
}

static void made_grow(struct made *made)
{
    const struct bench_pfac_set *set = made->set;
    const uint64_t shared = made_shared(set);

    for (uint32_t i = 0; i < set->leaves; i++) {
        const uint64_t so_far = made->depths - (made->count - 1),
                       due = shared * (i + 1) / set->leaves;
        const uint32_t want = due > so_far ? (uint32_t)(due - so_far) : 0,
                       r = bench_random(&made->random);
        const uint32_t spread = want < 64 ? want : 64,
                       depth = r % 10 == 0 ? 0 : spread / 2 + (r >> 8) % (spread + 1);

        made_leaf(made, depth, made_tail(made, depth));
    }
}

/* Puts the patterns that are prefixes of others at depths that add up to what is left of the
 * characters. */
static enum err_code made_inner(struct made *made, struct err *err)
{
    const struct bench_pfac_set *set = made->set;
    uint32_t left = set->finals - set->leaves;
    uint64_t depths =
        set->characters == 0 ? (uint64_t)left * MADE_DEPTH_FREE : set->characters - made->depths;

    for (uint64_t tries = 0; left > 0; tries++) {
        const uint32_t node = 1 + bench_random(&made->random) % (made->count - 1),
                       depth = made->nodes[node].depth;
        const uint64_t mean = depths / left;
        const bool fits = left == 1
                              ? depth == depths
                              : depth + 2 >= mean && depth <= mean + 2 && depth + left <= depths;

        if (tries > (uint64_t)made->count * 1000)
            return ERR_RAISE(err, ERR_FULL,
                             "no tree has %u states and %u characters in %u patterns", set->states,
                             set->characters, set->finals);
        if (!fits || made->nodes[node].ends || made->nodes[node].child == 0)
            continue;
        made->nodes[node].ends = true;
        depths -= depth;
        left--;
    }
    return ERR_OK;
}

static enum err_code made_patterns(const struct made *made, struct bench_dictionary *out,
                                   struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 1; rc == ERR_OK && i < made->count; i++) {
        uint8_t bytes[MADE_LEN_MAX];
        const uint32_t len = made->nodes[i].depth;

        if (!made->nodes[i].ends)
            continue;
        assert(len <= sizeof bytes);
        for (uint32_t node = i, at = len; at-- > 0; node = made->nodes[node].parent)
            bytes[at] = made->nodes[node].byte;
        rc = bench_dictionary_add(out, bytes, NULL, len, false, err);
    }
    return rc;
}

enum err_code bench_pfac_made(const struct bench_pfac_set *set, struct bench_dictionary *out,
                              struct err *err)
{
    struct made made = { .set = set, .count = 1, .random = bench_seed(set->states) };

    *out = (struct bench_dictionary){ 0 };
    snprintf(out->name, sizeof out->name, "%u states", set->states);
    made.nodes = calloc(set->states, sizeof *made.nodes);
    made.leaves = calloc(set->leaves, sizeof *made.leaves);
    enum err_code rc = ERR_OK;
    if (made.nodes == NULL || made.leaves == NULL)
        rc = ERR_NO_MEMORY(err, set->states * sizeof *made.nodes);
    if (rc == ERR_OK)
        rc = match_dictionary_create(&out->patterns, err);
    if (rc == ERR_OK) {
        made_grow(&made);
        rc = made_inner(&made, err);
    }
    if (rc == ERR_OK)
        rc = made_patterns(&made, out, err);
    if (rc != ERR_OK)
        bench_dictionary_close(out);
    free(made.nodes);
    free(made.leaves);
    return rc;
}

static size_t made_put(uint8_t *text, size_t at, size_t len, const void *bytes, size_t count)
{
    if (count > len - at)
        count = len - at;
    memcpy(text + at, bytes, count);
    return at + count;
}

static size_t made_put_any(const struct bench_dictionary *dictionary, uint64_t *random,
                           uint8_t *text, size_t at, size_t len)
{
    const struct match_pattern *pattern =
        match_dictionary_get(dictionary->patterns, bench_random(random) % dictionary->count);

    return made_put(text, at, len, pattern->bytes, pattern->len);
}

/* A packet: 54 bytes of headers, then a request in words, or compressed data. */
static size_t made_packet(uint64_t *random, uint8_t *text, size_t at, size_t len)
{
    static const uint8_t head[14] = { 0, 12, 41, 7, 8, 9, 0, 12, 41, 3, 2, 1, 8, 0 };
    const bool words = bench_random(random) % 3 != 0;
    const size_t end = at + MADE_PACKET;

    at = made_put(text, at, len, head, sizeof head);
    for (uint32_t i = 0; i < 10; i++) {
        const uint32_t number = bench_random(random) >> (i % 3 * 8);

        at = made_put(text, at, len, &number, 4);
    }
    while (at < end && at < len) {
        char word[BENCH_WORD_MAX + 1];
        const uint32_t r = bench_random(random);
        uint32_t count = words ? bench_word((r & 0xffff) >> (r >> 28), word) : 4;

        if (words)
            word[count++] = r >> 24 & 3 ? ' ' : '/';
        else
            memcpy(word, &r, 4);
        at = made_put(text, at, len, word, count);
    }
    return at;
}

void bench_pfac_regular(const struct bench_dictionary *dictionary, uint8_t *text, size_t len)
{
    uint64_t random = bench_seed(len);

    for (size_t at = 0, packets = 0; at < len; packets++) {
        at = made_packet(&random, text, at, len);
        if (packets % MADE_RARE == 0)
            at = made_put_any(dictionary, &random, text, at, len);
    }
}

void bench_pfac_worst(const struct bench_dictionary *dictionary, uint8_t *text, size_t len)
{
    uint64_t random = bench_seed(len);

    for (size_t at = 0; at < len;)
        at = made_put_any(dictionary, &random, text, at, len);
}
