/* SPDX-License-Identifier: Apache-2.0
 * match/regex/regex_widen.c - an expression on bytes as one on the characters of UTF-16 and UTF-32:
 * see regex_tree.h.
 *
 * Children come before their parents, so one walk over the nodes is enough. The zeros of a byte
 * become nodes of the chain in which the byte stands, for a text is looked for as a whole only
 * where its parts are not wrapped one by one.
 */
#include "match/regex/regex_tree.h"

struct widen {
    const struct regex_tree *from;
    struct regex_tree *to;
    uint32_t before, after; /* zeros */
    uint16_t made[REGEX_NODES_MAX];
};

static uint16_t widen_zeros(struct widen *w, uint16_t left, uint32_t count)
{
    struct regex_set zero = { { 0 } };

    if (count == 0)
        return left;
    regex_set_add(&zero, 0);
    const uint16_t set = regex_tree_set(w->to, &zero);
    return regex_tree_cat(w->to, left, regex_tree_repeat(w->to, set, count, count));
}

/* The byte behind what `left` stands for. */
static uint16_t widen_byte(struct widen *w, uint16_t left, const struct regex_set *set)
{
    left = widen_zeros(w, left, w->before);
    left = regex_tree_cat(w->to, left, regex_tree_set(w->to, set));
    return widen_zeros(w, left, w->after);
}

static uint16_t widen_node(struct widen *w, const struct regex_node *node)
{
    const struct regex_node *right = &w->from->nodes[node->right];

    switch (node->kind) {
    case REGEX_SET:
        return widen_byte(w, 0, &node->set);
    case REGEX_CAT:
        return right->kind == REGEX_SET
                   ? widen_byte(w, w->made[node->left], &right->set)
                   : regex_tree_cat(w->to, w->made[node->left], w->made[node->right]);
    case REGEX_ALT:
        return regex_tree_alt(w->to, w->made[node->left], w->made[node->right]);
    case REGEX_REPEAT:
        return regex_tree_repeat(w->to, w->made[node->left], node->min, node->max);
    default:
        return 0;
    }
}

void regex_tree_widen(const struct regex_tree *from, uint32_t before, uint32_t after,
                      struct regex_tree *to)
{
    struct widen w = { .from = from, .to = to, .before = before, .after = after };

    regex_tree_init(to);
    to->lazy = from->lazy;
    for (uint32_t i = 1; i < from->count; i++)
        w.made[i] = widen_node(&w, &from->nodes[i]);
    to->root = w.made[from->root];
}
