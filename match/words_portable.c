/* match/words_portable.c - the steps of words.h in plain C: of the sets, those of two neighbours, looked up at once. */
#include "match/words.h"

enum {
    FIND_PIECE = 4096, /* places after which the sets are judged; the map, once chosen, has the rest of a block */
    FIND_MANY = 5,     /* one place in so many survives the sets: the map is faster */
};

static uint32_t words_survivors(const struct words_group *group, const uint8_t *bytes, uint32_t from, uint32_t to,
                                uint16_t *out)
{
    const uint8_t *pairs = group->pairs;
    uint32_t count = 0;

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

/* The survivors of a block by its sets, or, from where these let many places through, by its map, which takes longer. */
static uint32_t words_either(const struct words_group *group, const uint8_t *bytes, uint32_t len, uint16_t *out)
{
    bool mapping = group->dense_pairs;
    uint32_t count = 0;

    for (uint32_t from = 0, to; from < len; from = to) {
        uint32_t more = 0;

        to = len - from < FIND_PIECE ? len : from + FIND_PIECE;
        if (!mapping) {
            more = words_survivors(group, bytes, from, to, out + count);
            mapping = more > (to - from) / FIND_MANY;
        }
        if (mapping)
            more = words_mapped(group, bytes, from, to, out + count);
        count += more;
    }
    return count;
}

static uint32_t words_find_portable(const struct words_group *group, const uint8_t *bytes, uint32_t len, uint16_t *out)
{
    const uint32_t count = group->map != NULL   ? words_either(group, bytes, len, out)
                           : group->dense_pairs ? len
                                                : words_survivors(group, bytes, 0, len, out);

    return count > len / 2 ? words_filter_all(group, bytes, len, out) : words_filter(group, bytes, out, count);
}

const struct words_form words_portable = { .find = words_find_portable,
                                           .group_cost = 1,
                                           .survivor_cost = 2.5,
                                           .depth = 2,
                                           .spread = 3,
                                           .pairs = true,
                                           .map = true };
