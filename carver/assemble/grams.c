/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/grams.c - see grams.h. */
#include "carver/assemble/grams.h"
#include "base/limits.h"

enum { GRAMS_BITS = 8 * GRAMS_LEN };

/* Multiplicative hashing (Knuth, The Art of Computer Programming 3, 6.4). */
static const uint64_t grams_factor = UINT64_C(0x9e3779b97f4a7c15);

void grams_of_sector(const uint8_t *bytes, struct grams *out)
{
    uint64_t gram = 0;

    out->count = 0;
    for (uint32_t i = 0; i < LIMIT_SECTOR && out->count < GRAMS_MAX; i++) {
        gram = gram >> 8 | (uint64_t)bytes[i] << (GRAMS_BITS - 8);
        if (i + 1 < GRAMS_LEN)
            continue;
        const uint32_t hash = (uint32_t)(gram * grams_factor >> 32);
        bool known = gram == (gram & 0xff) * UINT64_C(0x010101010101); /* one value alone */

        if (hash % GRAMS_SHARE != 0)
            continue;
        for (uint32_t k = 0; k < out->count && !known; k++)
            known = out->hashes[k] == hash;
        if (!known)
            out->hashes[out->count++] = hash;
    }
}

static uint32_t grams_slot(uint32_t hash, uint32_t bits)
{
    return hash >> (32 - bits);
}

void grams_add(struct grams_set *set, const struct grams *sector)
{
    for (uint32_t i = 0; i < sector->count; i++) {
        const uint32_t slot = grams_slot(sector->hashes[i], GRAMS_SET_BITS);

        set->bits[slot / 64] |= UINT64_C(1) << slot % 64;
    }
}

bool grams_has(const struct grams_set *set, uint32_t hash)
{
    const uint32_t slot = grams_slot(hash, GRAMS_SET_BITS);

    return (set->bits[slot / 64] >> slot % 64 & 1) != 0;
}

void grams_count(struct grams_common *common, uint32_t hash)
{
    common->places[grams_slot(hash, GRAMS_COMMON_BITS)]++;
}

uint32_t grams_places(const struct grams_common *common, uint32_t hash)
{
    return common->places[grams_slot(hash, GRAMS_COMMON_BITS)];
}
