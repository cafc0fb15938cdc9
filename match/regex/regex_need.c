/* SPDX-License-Identifier: Apache-2.0
 * match/regex/regex_need.c - see regex_need.h. */
#include <string.h>

#include "match/pattern/anchor.h"
#include "match/regex/regex_need.h"

enum {
    NEED_VALUES = 4, /* a byte of the text may be one of so many */
    NEED_RARE =
        5
        << 8, /* once in 2^5 bytes, in units of need_rarity: what is more frequent does not help */
    NEED_LANES = 16,                    /* places that are looked at at a time */
    NEED_PARTS = 4 * LIMIT_PATTERN_LEN, /* a byte is up to three parts: see regex_tree_widen */
};

typedef uint8_t need_lanes __attribute__((vector_size(NEED_LANES), may_alias));

/* A text that may be gathered further, from the left to the right. */
struct need_text {
    struct regex_need need;
    uint32_t rarity[REGEX_NEED_MAX];
    uint32_t near, far; /* to its first byte; far up to REGEX_ENDLESS */
};

/* -log2 of the share of bytes on disks, in units of 1/256. */
static uint32_t need_rarity(uint32_t weight)
{
    uint32_t rarity = 16 << 8;

    for (; weight > 1; weight /= 2)
        rarity -= 1 << 8;
    return rarity;
}

/* The set as a comparison of some bits of a byte; false when it is none. */
static bool need_byte(const struct regex_set *set, uint8_t *mask, uint8_t *value, uint32_t *rarity)
{
    uint32_t all = 0xff, some = 0, count = 0, weight = 0;

    for (uint32_t c = 0; c < 256; c++) {
        if (!regex_set_has(set, (uint8_t)c))
            continue;
        all &= c;
        some |= c;
        weight += anchor_weight((uint8_t)c);
        count++;
    }
    if (count == 0 || count > NEED_VALUES || count != 1u << __builtin_popcount(all ^ some))
        return false;
    *mask = (uint8_t) ~(all ^ some);
    *value = (uint8_t)all;
    *rarity = need_rarity(weight);
    return true;
}

/*
 * Takes the text for the best one, if it is, and begins another one behind it and between near and
 * far bytes more.
 */
static void need_end(struct need_text *text, uint32_t near, uint32_t far, struct regex_need *best,
                     uint32_t *score)
{
    const uint32_t len = text->need.len, most = LIMIT_REGEX_MATCH_LEN - len;
    uint32_t rarity = 0, span;

    if (len > 0 && text->near <= most) {
        text->need.near = (uint16_t)text->near;
        text->need.far = (uint16_t)(text->far < most ? text->far : most);
        for (uint32_t i = 0; i < len; i++) {
            rarity += text->rarity[i];
            if (text->rarity[i] > text->rarity[text->need.rare]) {
                text->need.second = text->need.rare;
                text->need.rare = (uint8_t)i;
            } else if (text->need.second == text->need.rare ||
                       text->rarity[i] > text->rarity[text->need.second]) {
                text->need.second = (uint8_t)i;
            }
        }
        for (span = text->need.far - text->need.near + 1u; span > 1; span /= 2)
            rarity -=
                rarity > 1 << 8 ? 1 << 8 : 0; /* a start for each place between must be tried */
        if (rarity > *score) {
            *score = rarity;
            *best = text->need;
        }
    }
    const uint32_t begins = text->near + len + near;
    const uint32_t ends =
        far == REGEX_ENDLESS || text->far == REGEX_ENDLESS ? REGEX_ENDLESS : text->far + len + far;
    *text =
        (struct need_text){ .near = begins, .far = ends < REGEX_ENDLESS ? ends : REGEX_ENDLESS };
}

static void need_add(struct need_text *text, const struct regex_node *node, uint32_t times,
                     struct regex_need *best, uint32_t *score)
{
    uint8_t mask, value;
    uint32_t rarity;

    if (!need_byte(&node->set, &mask, &value, &rarity)) {
        need_end(text, times, times, best, score);
        return;
    }
    for (uint32_t i = 0; i < times; i++) {
        if (text->need.len == REGEX_NEED_MAX)
            need_end(text, 0, 0, best, score);
        text->need.mask[text->need.len] = mask;
        text->need.value[text->need.len] = value;
        text->rarity[text->need.len++] = rarity;
    }
}

void regex_need_choose(const struct regex_tree *tree, struct regex_need *need)
{
    uint16_t waiting[NEED_PARTS];
    struct need_text text = { .near = 0 };
    uint32_t count = 0, score = NEED_RARE;

    *need = (struct regex_need){ .len = 0 };
    waiting[count++] = tree->root;
    while (count > 0) {
        const struct regex_node *node = &tree->nodes[waiting[--count]];
        const struct regex_node *what = &tree->nodes[node->left];

        if (node->kind == REGEX_CAT) {
            waiting[count++] = node->right;
            waiting[count++] = node->left;
        } else if (node->kind == REGEX_SET) {
            need_add(&text, node, 1, need, &score);
        } else if (node->kind == REGEX_REPEAT && what->kind == REGEX_SET) {
            need_add(&text, what, node->min, need, &score);
            if (node->max != node->min)
                need_end(&text, 0,
                         node->max == REGEX_ENDLESS ? REGEX_ENDLESS
                                                    : (uint32_t)node->max - node->min,
                         need, &score);
        } else {
            need_end(&text, node->shortest, node->longest, need, &score);
        }
    }
    need_end(&text, 0, 0, need, &score);
}

static bool need_is(const struct regex_need *need, const uint8_t *bytes)
{
    for (uint32_t i = 0; i < need->len; i++)
        if ((bytes[i] & need->mask[i]) != need->value[i])
            return false;
    return true;
}

uint32_t regex_need_find(const struct regex_need *need, const uint8_t *bytes, uint32_t at,
                         uint32_t len)
{
    const need_lanes zero = { 0 };
    const need_lanes masks[2] = { zero + need->mask[need->rare], zero + need->mask[need->second] };
    const need_lanes values[2] = { zero + need->value[need->rare],
                                   zero + need->value[need->second] };

    for (; len >= NEED_LANES + REGEX_NEED_MAX && at <= len - NEED_LANES - REGEX_NEED_MAX;
         at += NEED_LANES) {
        need_lanes rare, second;
        uint64_t any[NEED_LANES / 8];

        memcpy(&rare, bytes + at + need->rare, sizeof rare);
        memcpy(&second, bytes + at + need->second, sizeof second);
        const need_lanes found = (need_lanes)((rare & masks[0]) == values[0]) &
                                 (need_lanes)((second & masks[1]) == values[1]);
        memcpy(any, &found, sizeof any);
        if ((any[0] | any[1]) == 0)
            continue;
        for (uint32_t i = 0; i < NEED_LANES; i++)
            if (found[i] != 0 && need_is(need, bytes + at + i))
                return at + i;
    }
    for (; at < len && need->len <= len - at; at++)
        if (need_is(need, bytes + at))
            return at;
    return len;
}
