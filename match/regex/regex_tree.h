/* SPDX-License-Identifier: Apache-2.0
 * match/regex/regex_tree.h - a regular expression as a tree, made as simple as it can be while it
 * is built.
 *
 * Nodes lie in an array, children before their parents, so that what is known of a node is known
 * when it is made. Repeats that mean the same as a simpler one become that: (a{1,9}){1,9} is
 * a{1,81}, .*.* is .*, and a count that no match of LIMIT_REGEX_MATCH_LEN bytes can reach has no
 * end.
 */
#ifndef BURIN_MATCH_REGEX_REGEX_TREE_H
#define BURIN_MATCH_REGEX_REGEX_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/limits.h"

/* A set of bytes. */
struct regex_set {
    uint64_t bits[4];
};

static inline bool regex_set_has(const struct regex_set *set, uint8_t byte)
{
    return (set->bits[byte >> 6] >> (byte & 63) & 1) != 0;
}

static inline void regex_set_add(struct regex_set *set, uint8_t byte)
{
    set->bits[byte >> 6] |= (uint64_t)1 << (byte & 63);
}

static inline bool regex_set_equal(const struct regex_set *a, const struct regex_set *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

enum regex_kind {
    REGEX_EMPTY,  /* nothing */
    REGEX_SET,    /* one byte of a set */
    REGEX_CAT,    /* left, then right */
    REGEX_ALT,    /* left or right */
    REGEX_REPEAT, /* left, min to max times */
};

enum {
    REGEX_ENDLESS = UINT16_MAX, /* as max, and as a length: no end */
    /* No byte of an expression makes more than three; regex_tree_widen makes six of one. */
    REGEX_NODES_MAX = 24 * LIMIT_PATTERN_LEN,
};

struct regex_node {
    enum regex_kind kind;
    uint16_t left, right; /* nodes */
    uint16_t min, max;    /* of a repeat */
    struct regex_set set;

    /* What follows from them. */
    uint16_t shortest, longest; /* bytes of a match; up to REGEX_ENDLESS - 1, which stands for all
                                   that is longer */
    uint32_t positions;         /* sets when counts are written out; saturated, like forks */
    uint32_t forks;             /* choices, likewise */
};

struct regex_tree {
    struct regex_node nodes[REGEX_NODES_MAX]; /* nodes[0] is REGEX_EMPTY */
    uint16_t count;
    uint16_t root;
    bool lazy; /* a repeat asked for as little as possible: each match is the shortest one, and not
                  the longest */
};

void regex_tree_init(struct regex_tree *tree);

/* Each gives the number of a node, which may be one that there was. */
uint16_t regex_tree_set(struct regex_tree *tree, const struct regex_set *set);
uint16_t regex_tree_cat(struct regex_tree *tree, uint16_t left, uint16_t right);
uint16_t regex_tree_alt(struct regex_tree *tree, uint16_t left, uint16_t right);
uint16_t regex_tree_repeat(struct regex_tree *tree, uint16_t node, uint32_t min, uint32_t max);

/*
 * `to` becomes the expression of `from` with so many zeros before and behind each byte. from: as
 * regex_parse made it. Recursion: none.
 */
void regex_tree_widen(const struct regex_tree *from, uint32_t before, uint32_t after,
                      struct regex_tree *to);

#endif
