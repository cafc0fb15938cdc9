/* SPDX-License-Identifier: Apache-2.0
 * match/regex/regex_tree.c - see regex_tree.h. */
#include <assert.h>

#include "match/regex/regex_tree.h"

enum { TREE_FAR = REGEX_ENDLESS - 1, TREE_MANY = 1 << 30 };

void regex_tree_init(struct regex_tree *tree)
{
    tree->nodes[0] = (struct regex_node){ .kind = REGEX_EMPTY };
    tree->count = 1;
    tree->root = 0;
    tree->lazy = false;
}

static uint16_t tree_length(uint64_t bytes)
{
    return bytes < TREE_FAR ? (uint16_t)bytes : TREE_FAR;
}

static uint32_t tree_number(uint64_t number)
{
    return number < TREE_MANY ? (uint32_t)number : TREE_MANY;
}

static uint16_t tree_add(struct regex_tree *tree, const struct regex_node *node)
{
    assert(tree->count < REGEX_NODES_MAX);
    tree->nodes[tree->count] = *node;
    return tree->count++;
}

uint16_t regex_tree_set(struct regex_tree *tree, const struct regex_set *set)
{
    const bool none = (set->bits[0] | set->bits[1] | set->bits[2] | set->bits[3]) == 0;
    const uint16_t length = none ? TREE_FAR : 1; /* a match that there is not is longer than any */

    return tree_add(tree, &(struct regex_node){ .kind = REGEX_SET,
                                                .set = *set,
                                                .shortest = length,
                                                .longest = length,
                                                .positions = 1 });
}

/* How often a node says its set, when it is a set or a repeat of one. */
static bool tree_times(const struct regex_tree *tree, uint16_t node, const struct regex_set **set,
                       uint32_t *min, uint32_t *max)
{
    const struct regex_node *n = &tree->nodes[node];

    *min = *max = 1;
    if (n->kind == REGEX_REPEAT) {
        *min = n->min;
        *max = n->max;
        n = &tree->nodes[n->left];
    }
    *set = &n->set;
    return n->kind == REGEX_SET;
}

/*
 * a and b as one repeat of the set that both say, if one of them leaves open how often; 0 when they
 * are none.
 */
static uint16_t tree_merge(struct regex_tree *tree, uint16_t a, uint16_t b)
{
    const struct regex_set *a_set, *b_set;
    uint32_t a_min, a_max, b_min, b_max;

    if (!tree_times(tree, a, &a_set, &a_min, &a_max) ||
        !tree_times(tree, b, &b_set, &b_min, &b_max) || !regex_set_equal(a_set, b_set) ||
        (a_min == a_max && b_min == b_max))
        return 0;
    const uint16_t set = tree->nodes[a].kind == REGEX_SET ? a : tree->nodes[a].left;
    const uint32_t max =
        a_max == REGEX_ENDLESS || b_max == REGEX_ENDLESS ? REGEX_ENDLESS : a_max + b_max;

    return regex_tree_repeat(tree, set, a_min + b_min, max);
}

uint16_t regex_tree_cat(struct regex_tree *tree, uint16_t left, uint16_t right)
{
    const struct regex_node *l = &tree->nodes[left], *r = &tree->nodes[right];

    if (l->kind == REGEX_EMPTY)
        return right;
    if (r->kind == REGEX_EMPTY)
        return left;
    const uint16_t merged = tree_merge(tree, l->kind == REGEX_CAT ? l->right : left, right);
    if (merged != 0 && l->kind != REGEX_CAT)
        return merged;
    if (merged != 0) {
        left = l->left;
        right = merged;
        l = &tree->nodes[left];
        r = &tree->nodes[right];
    }
    const bool endless = l->longest == REGEX_ENDLESS || r->longest == REGEX_ENDLESS;
    return tree_add(tree, &(struct regex_node){
                              .kind = REGEX_CAT,
                              .left = left,
                              .right = right,
                              .shortest = tree_length((uint64_t)l->shortest + r->shortest),
                              .longest = endless ? REGEX_ENDLESS
                                                 : tree_length((uint64_t)l->longest + r->longest),
                              .positions = tree_number((uint64_t)l->positions + r->positions),
                              .forks = tree_number((uint64_t)l->forks + r->forks) });
}

uint16_t regex_tree_alt(struct regex_tree *tree, uint16_t left, uint16_t right)
{
    const struct regex_node *l = &tree->nodes[left], *r = &tree->nodes[right];

    if (l->kind == REGEX_EMPTY || r->kind == REGEX_EMPTY)
        return regex_tree_repeat(tree, l->kind == REGEX_EMPTY ? right : left, 0, 1);

    /* Bytes beside each other are a set: a|b, and x|a|b. */
    const uint16_t last = l->kind == REGEX_ALT ? l->right : left;
    if (r->kind == REGEX_SET && tree->nodes[last].kind == REGEX_SET) {
        struct regex_set both = r->set;

        for (uint32_t i = 0; i < 4; i++)
            both.bits[i] |= tree->nodes[last].set.bits[i];
        right = regex_tree_set(tree, &both);
        if (l->kind == REGEX_SET)
            return right;
        left = l->left;
        l = &tree->nodes[left];
        r = &tree->nodes[right];
    }
    return tree_add(tree, &(struct regex_node){
                              .kind = REGEX_ALT,
                              .left = left,
                              .right = right,
                              .shortest = l->shortest < r->shortest ? l->shortest : r->shortest,
                              .longest = l->longest > r->longest ? l->longest : r->longest,
                              .positions = tree_number((uint64_t)l->positions + r->positions),
                              .forks = tree_number((uint64_t)l->forks + r->forks + 1) });
}

/*
 * (x{a,b}){c,d} is x{ac,bd} where the lengths between are all there: k times x{a,b} and k + 1 times
 * leave no gap.
 */
static bool tree_flat(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    if (c == d)
        return d != REGEX_ENDLESS;
    return (c > 0 || a <= 1) &&
           (b == REGEX_ENDLESS || (c > 0 ? c : 1) * b + 1 >= ((c > 0 ? c : 1) + 1) * a);
}

uint16_t regex_tree_repeat(struct regex_tree *tree, uint16_t node, uint32_t min, uint32_t max)
{
    const struct regex_node *x = &tree->nodes[node];

    if (max == 0 || x->kind == REGEX_EMPTY)
        return 0;
    if (x->shortest == 0)
        min = 0; /* each of them may be nothing */
    if (x->kind == REGEX_REPEAT && tree_flat(x->min, x->max, min, max)) {
        const bool endless = x->max == REGEX_ENDLESS || max == REGEX_ENDLESS;

        min = x->min * min;
        max = endless ? REGEX_ENDLESS : x->max * max;
        node = x->left;
        x = &tree->nodes[node];
    }
    const uint32_t step = x->shortest == 0 ? 1 : x->shortest;
    const uint32_t most = LIMIT_REGEX_MATCH_LEN / step; /* times that fit into a match */
    if (max > 1 && max >= most)
        max = REGEX_ENDLESS;
    if (max == 1 && (min == 1 || x->shortest == 0))
        return node;
    const bool endless = x->longest == REGEX_ENDLESS || max == REGEX_ENDLESS;
    const uint64_t copies = max == REGEX_ENDLESS ? (min > 0 ? min : 1) : max;
    return tree_add(
        tree, &(struct regex_node){
                  .kind = REGEX_REPEAT,
                  .left = node,
                  .min = tree_length(min),
                  .max = max == REGEX_ENDLESS ? REGEX_ENDLESS : (uint16_t)max,
                  .shortest = tree_length((uint64_t)min * x->shortest),
                  .longest = endless ? REGEX_ENDLESS : tree_length((uint64_t)max * x->longest),
                  .positions = tree_number(copies * x->positions),
                  .forks = tree_number(copies * x->forks +
                                       (max == REGEX_ENDLESS ? 1 : (uint64_t)max - min)) });
}
