/* SPDX-License-Identifier: Apache-2.0
 * match/words/words_portable.c - the steps of words.h in plain C: of the sets, those of two
 * neighbours, looked up at once. */
#include "match/words/words.h"

enum {
    FIND_MANY = 5, /* one place in so many survives the sets: the map is faster */
};

static uint32_t words_survivors(const struct words_group *group, const uint8_t *bytes,
                                uint32_t from, uint32_t to, uint16_t *out,
                                struct words_ridden *ridden)
{
    const uint8_t *pairs = group->pairs;
    uint32_t count = 0;

    (void)ridden;
    bytes += group->pairs_at;
#pragma GCC unroll 8
    for (uint32_t i = from; i < to; i++) {
        uint16_t pair;

        memcpy(&pair, bytes + i, sizeof pair);
        out[count] = (uint16_t)i;
        count += pairs[pair];
    }
    return count;
}

static struct words_counts words_find_portable(const struct words_group *group,
                                               const uint8_t *bytes, uint32_t len, uint16_t *out,
                                               struct words_ridden *ridden)
{
    return words_find(group, bytes, len, out, ridden, words_survivors, words_mapped,
                      group->map != NULL, group->dense_pairs, FIND_MANY);
}

const struct words_form words_portable = { .find = words_find_portable,
                                           .group_cost = 1,
                                           .survivor_cost = 2.5,
                                           .depth = 2,
                                           .spread = 3,
                                           .pairs = true,
                                           .map = true };
