/* match/words_portable.c - the steps of words.h in plain C: looking up a hash is no dearer there than looking up sets. */
#include "match/words.h"

static uint32_t words_find_portable(const struct words_group *group, const uint8_t *bytes, uint32_t len, uint16_t *out)
{
    return words_filter_all(group, bytes, len, out);
}

const struct words_form words_portable = { .find = words_find_portable, .group_cost = 2.5, .survivor_cost = 0 };
