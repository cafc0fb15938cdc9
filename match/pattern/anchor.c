/* SPDX-License-Identifier: Apache-2.0
 * match/pattern/anchor.c - see anchor.h. */
#include "match/pattern/anchor.h"
#include "match/model/byte_kind.h"
#include "match/pattern/literals.h"

enum {
    LITERAL_FIRST = 3,                 /* bytes that count twice */
    LITERAL_BIT = 8,                   /* rarity is counted in eighths of a bit */
    LITERAL_REPEAT = 1 * LITERAL_BIT,  /* what one more byte of a run of equal bytes adds */
    LITERAL_ENOUGH = 48 * LITERAL_BIT, /* rarer makes no difference */
};

/* A position of a pattern, as the choice sees it. */
struct literal_place {
    uint32_t variants; /* folded bytes that it takes */
    uint32_t rarity;   /* eighths of a bit */
    uint8_t byte;      /* the first of them */
};

uint32_t anchor_values(const struct match_pattern *pattern, uint32_t i, const uint8_t fold[256],
                       uint8_t values[256])
{
    const uint8_t mask = pattern->mask == NULL ? 0xff : pattern->mask[i];
    const uint8_t byte = pattern->bytes[i];
    const uint8_t other = pattern->fold_case ? match_other_case(byte) : byte;
    bool taken[256] = { false };
    uint32_t count = 0;

    if (mask == 0xff) { /* fold makes one of byte and other: it folds as soon as any pattern does */
        values[0] = fold[byte];
        return 1;
    }
    for (uint32_t value = 0; value < 256; value++)
        if ((value & mask) == (byte & mask) || (value & mask) == (other & mask))
            taken[fold[value]] = true;
    for (uint32_t value = 0; value < 256; value++)
        if (taken[value])
            values[count++] = (uint8_t)value;
    return count;
}

uint32_t anchor_weight(uint8_t byte)
{
    static const uint32_t weights[BYTE_KINDS] = {
        [BYTE_ZERO] = 16384, [BYTE_ONES] = 1536, [BYTE_COMMON] = 1024,
        [BYTE_OFTEN] = 512,  [BYTE_LOW] = 256,   [BYTE_HIGH] = 160,
    };

    return weights[byte_kind(byte)];
}

/* 16 bits less log2(weight), in eighths of a bit. */
static uint32_t literal_rarity(uint32_t weight)
{
    uint32_t log = 0;

    if (weight >= 65536)
        return 0;
    while (weight >> (log + 1) != 0)
        log++;
    return 16 * LITERAL_BIT - (log * LITERAL_BIT + (weight * LITERAL_BIT >> log) - LITERAL_BIT);
}

static void literal_place_init(struct literal_place *place, const struct match_pattern *pattern,
                               uint32_t i, const uint8_t fold[256])
{
    uint8_t values[256];
    uint32_t weight = 0;

    place->variants = anchor_values(pattern, i, fold, values);
    place->byte = values[0];
    for (uint32_t k = 0; k < place->variants; k++)
        weight += anchor_weight(values[k]);
    place->rarity = literal_rarity(weight);
}

/* Whether finding the run at [at, at + len) is finding the pattern. */
static bool literal_is_exact(const struct match_pattern *pattern, uint32_t at, uint32_t len,
                             const uint8_t fold[256])
{
    if (at != 0 || len != pattern->len)
        return false;
    for (uint32_t i = 0; i < len; i++) {
        const uint8_t byte = pattern->bytes[i];

        if (pattern->mask != NULL && pattern->mask[i] != 0xff)
            return false;
        if (!pattern->fold_case && fold[byte] == fold[match_other_case(byte)] &&
            match_other_case(byte) != byte)
            return false;
    }
    return true;
}

/*
 * The longest run from at on that the limits allow: its length, worth and hash. Length 0: there is
 * none. Its first bytes count twice, for they decide how often the automaton leaves its root.
 */
static uint32_t literal_run(const struct literal_place *places, uint32_t count, uint32_t at,
                            const struct anchor_limits *limits, uint32_t *worth, uint32_t *hash)
{
    uint32_t variants = 1, i = at, rarity = 0, first = 0;

    *hash = 2166136261u; /* FNV-1a */
    while (i < count && i - at < limits->len && variants * places[i].variants <= limits->variants) {
        const bool repeats =
            i > at && places[i].variants == 1 && places[i].byte == places[i - 1].byte;

        variants *= places[i].variants;
        rarity += repeats ? LITERAL_REPEAT : places[i].rarity;
        if (i - at < LITERAL_FIRST)
            first = rarity;
        *hash = (*hash ^ places[i].byte) * 16777619u;
        i++;
    }
    *worth = first + (rarity < LITERAL_ENOUGH ? rarity : LITERAL_ENOUGH);
    return i - at;
}

struct anchor anchor_choose(const struct match_pattern *pattern, const uint8_t fold[256],
                            const struct anchor_limits *limits, uint32_t *groups)
{
    struct literal_place places[LIMIT_PATTERN_LEN];
    struct anchor best = { 0 };
    uint32_t best_group = 0, least = 0;
    int64_t best_score = INT64_MIN;

    for (uint32_t i = 0; i < pattern->len; i++) {
        literal_place_init(&places[i], pattern, i, fold);
        if (places[i].variants < places[least].variants)
            least = i;
    }
    for (uint32_t at = 0; at < pattern->len; at++) {
        uint32_t worth, hash;
        const uint32_t len = literal_run(places, pattern->len, at, limits, &worth, &hash);
        const uint32_t group = hash % ANCHOR_GROUPS;
        const int64_t score =
            (int64_t)worth - (16 * LITERAL_BIT - literal_rarity(groups[group] + 1));

        if (len > 0 && score > best_score) {
            best = (struct anchor){ .at = (uint8_t)at, .len = (uint8_t)len };
            best_score = score;
            best_group = group;
        }
    }
    if (best.len == 0)
        best = (struct anchor){ .at = (uint8_t)least, .len = 1 };
    else
        groups[best_group]++;
    best.exact = literal_is_exact(pattern, best.at, best.len, fold);
    return best;
}
