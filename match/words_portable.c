/* match/words_portable.c - the steps of words.h in plain C: of the sets, those of two neighbours, looked up at once. */
#include "match/words.h"

static uint32_t words_survivors_portable(const struct words_group *group, const uint8_t *bytes, uint32_t len,
                                         uint16_t *out)
{
    const uint8_t *pairs = group->pairs;
    uint32_t count = 0;

    bytes += group->pairs_at;
#pragma GCC unroll 8
    for (uint32_t i = 0; i < len; i++) {
        uint16_t pair;

        memcpy(&pair, bytes + i, sizeof pair);
        out[count] = (uint16_t)i;
        count += pairs[pair];
    }
    return count;
}

static uint32_t words_find_portable(const struct words_group *group, const uint8_t *bytes, uint32_t len, uint16_t *out)
{
    const uint32_t count = group->dense_pairs ? len : words_survivors_portable(group, bytes, len, out);

    return count > len / 2 ? words_filter_all(group, bytes, len, out) : words_filter(group, bytes, out, count);
}

const struct words_form words_portable = {
    .find = words_find_portable, .group_cost = 1, .survivor_cost = 2.5, .depth = 2, .spread = 3, .pairs = true
};
