/* SPDX-License-Identifier: Apache-2.0
 * match/simd/simd_slots.c - slots and ends of the vector engine: what tells apart the patterns that
 * the filter leaves together. See simd.h.
 *
 * A slot is for the patterns of a bucket whose fingerprints are alike. Its second word is taken
 * from wherever it tells the most of them apart, so that a family with one beginning is not
 * compared one by one, and then where it holds the most of their bytes.
 */
#include <stdlib.h>

#include "match/simd/simd.h"

enum {
    SLOTS_FACTORS = 64,
    SLOTS_COMPARED = 64, /* patterns of a slot that are considered when its second word is chosen */
};

/* The patterns that are shared out, and the word that they go by. */
struct slots_set {
    struct simd_pattern *patterns[SIMD_PATTERNS_MAX];
    uint64_t words[SIMD_PATTERNS_MAX];
    uint32_t count;
};

/* The bytes of a pattern that lie `more` bytes from its fingerprint. */
static struct simd_key slots_word(const struct simd_pattern *pattern, int32_t more)
{
    struct simd_key key = { 0, 0 };

    for (int32_t k = 0; k < SIMD_DEPTH; k++) {
        const int32_t i = (int32_t)pattern->fingerprint + more + k;

        if (i < 0 || i >= (int32_t)pattern->len)
            continue;
        key.mask |= (uint64_t)pattern->masks[i] << 8 * k;
        key.want |= (uint64_t)pattern->bytes[i] << 8 * k;
    }
    return key;
}

/* Patterns whose number another word has as well. */
static uint32_t slots_collisions(const struct simd_spread *spread, const struct slots_set *set)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < set->count; i++) {
        bool meets = false;

        for (uint32_t k = 0; k < i && !meets; k++)
            meets = ((set->words[i] ^ set->words[k]) & spread->common) != 0 &&
                    simd_hash(spread, set->words[i]) == simd_hash(spread, set->words[k]);
        count += meets;
    }
    return count;
}

/* Bits of a hash that leave half of the numbers to nobody. */
static uint32_t slots_bits(uint32_t patterns)
{
    uint32_t bits = 1;

    while (2 * patterns >> bits != 0)
        bits++;
    return bits;
}

/* Of some odd factors, `low` bits up, the one with the fewest collisions. */
static void slots_spread(struct simd_spread *spread, const struct slots_set *set, uint32_t low)
{
    uint64_t factor = UINT64_C(0x9e3779b97f4a7c15), best = 0;
    uint32_t fewest = UINT32_MAX;

    for (uint32_t trial = 0; trial < SLOTS_FACTORS && fewest > 0; trial++) {
        spread->factor = factor << low;
        const uint32_t count = slots_collisions(spread, set);

        if (count < fewest) {
            fewest = count;
            best = spread->factor;
        }
        factor = (factor ^ factor >> 29) * UINT64_C(0xbf58476d1ce4e5b9) | 1;
    }
    spread->factor = best;
}

/* Those of the set whose word has the hash. */
static void slots_pick(const struct simd_spread *spread, const struct slots_set *set, uint32_t hash,
                       struct slots_set *out)
{
    out->count = 0;
    for (uint32_t i = 0; i < set->count; i++)
        if (simd_hash(spread, set->words[i]) == hash)
            out->patterns[out->count++] = set->patterns[i];
}

/* What the words of the set at `more` have in common. */
static struct simd_key slots_key(const struct slots_set *set, int32_t more)
{
    struct simd_key key = { 1, 0 };

    for (uint32_t i = 0; i < set->count; i++) {
        const struct simd_key word = slots_word(set->patterns[i], more);

        if (i == 0)
            key = word;
        key.mask &= word.mask & ~(key.want ^ word.want);
        key.want &= key.mask;
    }
    return key;
}

/* Whether the words at the fingerprint and at `more` are all of the pattern. */
static bool slots_is_whole(const struct simd_pattern *pattern, int32_t more)
{
    for (int32_t i = 0; i < (int32_t)pattern->len; i++) {
        const int32_t at = i - (int32_t)pattern->fingerprint;
        const bool in_word = at >= 0 && at < SIMD_DEPTH,
                   in_more = at >= more && at < more + SIMD_DEPTH;

        if (pattern->masks[i] != 0 && !in_word && !in_more)
            return false;
    }
    return true;
}

/* How good the second word is at `more`: patterns told apart, then patterns compared in full, then
 * bits. */
static uint64_t slots_worth(const struct slots_set *set, int32_t more)
{
    const uint32_t count = set->count < SLOTS_COMPARED ? set->count : SLOTS_COMPARED;
    uint64_t common = UINT64_MAX, words[SLOTS_COMPARED];
    uint32_t apart = 0, whole = 0, bits = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct simd_key word = slots_word(set->patterns[i], more);

        words[i] = word.want;
        common &= word.mask;
        whole += slots_is_whole(set->patterns[i], more);
        bits += (uint32_t)__builtin_popcountll(word.mask);
    }
    for (uint32_t i = 0; i < count; i++) {
        bool is_new = true;

        for (uint32_t k = 0; k < i && is_new; k++)
            is_new = ((words[i] ^ words[k]) & common) != 0;
        apart += is_new;
    }
    return (uint64_t)apart << 40 | (uint64_t)whole << 20 | bits;
}

/* Of equal ones the last place is taken: where a match goes wrong, it is most often the end. */
static int32_t slots_choose_more(const struct slots_set *set)
{
    int32_t low = 0, high = 0, best = 0;
    uint64_t most = 0;

    for (uint32_t i = 0; i < set->count; i++) {
        const int32_t fingerprint = (int32_t)set->patterns[i]->fingerprint,
                      behind = (int32_t)set->patterns[i]->len - fingerprint;

        low = -fingerprint < low ? -fingerprint : low;
        high = behind > high ? behind : high;
    }
    for (int32_t more = high - 1; more >= low; more--) {
        const uint64_t worth = slots_worth(set, more);

        if (worth > most) {
            most = worth;
            best = more;
        }
    }
    return best;
}

/* What is filled, and how far. */
struct slots_maker {
    struct simd_plan *plan;
    uint32_t slots, ends, patterns;
};

static void slots_add_end(struct slots_maker *maker, const struct slots_set *set, int32_t more)
{
    struct simd_end *end = &maker->plan->ends[maker->ends++];

    end->key = slots_key(set, more);
    end->first = maker->patterns;
    for (uint32_t i = 0; i < set->count; i++) {
        struct simd_pattern *pattern = &maker->plan->patterns[maker->patterns++];

        *pattern = *set->patterns[i];
        pattern->more = more;
        pattern->want_more = slots_word(pattern, more).want;
        pattern->mask_more = slots_word(pattern, more).mask;
        pattern->whole = slots_is_whole(pattern, more);
        pattern->followed = i + 1 < set->count;
    }
}

static void slots_add(struct slots_maker *maker, struct slots_set *set)
{
    struct simd_plan *plan = maker->plan;
    struct simd_slot *slot = &plan->slots[maker->slots];
    uint32_t numbers = 1;

    plan->keys[maker->slots++] = slots_key(set, 0);
    *slot = (struct simd_slot){ .ends = { .start = maker->ends, .shift = 63 },
                                .more = slots_choose_more(set) };
    if (set->count > 0) {
        const uint32_t ahead = slot->more > -SIMD_DEPTH ? (uint32_t)(slot->more + SIMD_DEPTH) : 0;

        plan->ahead = ahead > plan->ahead ? ahead : plan->ahead;
    }
    for (uint32_t i = 0; i < set->count; i++) /* further back lies no second word */
        plan->back =
            set->patterns[i]->fingerprint > plan->back ? set->patterns[i]->fingerprint : plan->back;
    if (set->count > 1) {
        slot->ends.common = UINT64_MAX;
        for (uint32_t i = 0; i < set->count; i++) {
            const struct simd_key word = slots_word(set->patterns[i], slot->more);

            set->words[i] = word.want;
            slot->ends.common &= word.mask;
        }
        slot->ends.shift = 64 - slots_bits(set->count);
        numbers = UINT32_C(1) << slots_bits(set->count);
        slots_spread(&slot->ends, set, 0);
    } else {
        set->words[0] = 0;
    }
    for (uint32_t hash = 0; hash < numbers; hash++) {
        struct slots_set part;

        slots_pick(&slot->ends, set, hash, &part);
        slots_add_end(maker, &part, slot->more);
    }
}

/* The patterns of bucket b, and their fingerprints. */
static void slots_gather(struct simd_pattern *patterns, uint32_t count, uint32_t b,
                         struct slots_set *set)
{
    set->count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (patterns[i].bucket == b) {
            set->words[set->count] = patterns[i].want;
            set->patterns[set->count++] = &patterns[i];
        }
}

/* Makes room for patterns, slots and ends. */
static bool slots_allocate(struct simd_plan *plan, const struct simd_pattern *patterns,
                           uint32_t count, uint32_t bits)
{
    uint32_t counts[SIMD_BUCKETS] = { 0 }, most = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t of_bucket = ++counts[patterns[i].bucket];

        most = of_bucket > most ? of_bucket : most;
    }
    plan->buckets.bits = bits > 0 ? bits : slots_bits(most);
    const uint32_t slots = ((uint32_t)SIMD_BUCKETS << plan->buckets.bits) + 1;
    plan->keys = calloc(slots, sizeof *plan->keys);
    plan->slots = calloc(slots, sizeof *plan->slots);
    plan->ends =
        calloc(slots + 4u * count, sizeof *plan->ends); /* one for each slot, or four a pattern */
    plan->patterns = calloc(count + 1u, sizeof *plan->patterns);
    return plan->keys != NULL && plan->slots != NULL && plan->ends != NULL &&
           plan->patterns != NULL;
}

bool simd_fill_slots(struct simd_plan *plan, struct simd_pattern *patterns, uint32_t count,
                     uint32_t hash_bits)
{
    struct slots_maker maker = { .plan = plan };

    if (!slots_allocate(plan, patterns, count, hash_bits))
        return false;
    const uint32_t bits = plan->buckets.bits;

    for (uint32_t b = 0; b < SIMD_BUCKETS; b++) {
        struct simd_spread spread = { .common = hash_bits > 0 ? UINT32_MAX : UINT64_MAX,
                                      .shift = 64 - bits };
        struct slots_set set, part;

        slots_gather(patterns, count, b, &set);
        for (uint32_t i = 0; i < set.count; i++)
            spread.common &= set.patterns[i]->mask;
        slots_spread(&spread, &set, hash_bits > 0 ? 8 * SIMD_FINGERPRINT : 0);
        for (uint32_t hash = 0; hash < UINT32_C(1) << bits; hash++) {
            slots_pick(&spread, &set, hash, &part);
            slots_add(&maker, &part);
        }
        plan->buckets.common[b] = spread.common;
        plan->buckets.factor[b] = spread.factor;
    }
    plan->slots[maker.slots].ends.start = maker.ends;
    plan->ends[maker.ends].first = maker.patterns;
    return true;
}
