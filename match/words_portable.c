/* match/words_portable.c - the sets of words.h in plain C, a place at a time. */
#include "match/words.h"

uint32_t words_find_portable(const struct words_group *group, const uint8_t *bytes, uint32_t len, uint16_t *out)
{
    const uint8_t *a = group->sets[0], *b = group->sets[1], *c = group->sets[2], *d = group->sets[3];
    uint32_t count = 0;

    if (group->depth <= 2) {
        for (uint32_t i = 0; i < len; i++) {
            out[count] = (uint16_t)i;
            count += (a[bytes[i]] & b[bytes[i + 1]]) != 0;
        }
        return count;
    }
    for (uint32_t i = 0; i < len; i++) {
        out[count] = (uint16_t)i;
        count += (a[bytes[i]] & b[bytes[i + 1]] & c[bytes[i + 2]] & d[bytes[i + 3]]) != 0;
    }
    return count;
}
