/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/grams.c - see grams.h. */
#include "carver/assemble/grams.h"
#include "base/bytes.h"
#include "base/limits.h"

/* Multiplicative hashing (Knuth, The Art of Computer Programming 3, 6.4). */
static const uint64_t grams_factor = UINT64_C(0x9e3779b97f4a7c15);

/* The string that begins here, the first byte lowest. */
static uint64_t grams_at(const uint8_t *bytes)
{
    return bytes_u32le(bytes) | (uint64_t)bytes_u16le(bytes + 4) << 32;
}

static uint32_t grams_hash(uint64_t gram)
{
    return (uint32_t)(gram * grams_factor >> 32);
}

void grams_of_sector(const uint8_t *bytes, struct grams *out)
{
    uint16_t kept[LIMIT_SECTOR]; /* where strings begin that are kept by their hash */
    uint32_t count = 0;

    for (uint32_t i = 0; i + GRAMS_LEN <= LIMIT_SECTOR; i++) {
        kept[count] = (uint16_t)i; /* without a branch, which would be foretold wrong too often */
        count += grams_hash(grams_at(bytes + i)) % GRAMS_SHARE == 0;
    }
    out->count = 0;
    for (uint32_t i = 0; i < count && out->count < GRAMS_MAX; i++) {
        const uint64_t gram = grams_at(bytes + kept[i]);
        const uint32_t hash = grams_hash(gram);
        bool known = gram == (gram & 0xff) * UINT64_C(0x010101010101); /* one value alone */

        for (uint32_t k = 0; k < out->count; k++)
            known |= out->hashes[k] == hash;
        if (!known)
            out->hashes[out->count++] = hash;
    }
}

void grams_add(struct grams_set *set, const struct grams *sector)
{
    for (uint32_t i = 0; i < sector->count; i++) {
        const uint32_t slot = grams_slot(sector->hashes[i], GRAMS_SET_BITS);

        set->bits[slot / 64] |= UINT64_C(1) << slot % 64;
    }
}

void grams_count(struct grams_common *common, uint32_t hash)
{
    common->places[grams_slot(hash, GRAMS_COMMON_BITS)]++;
}

uint32_t grams_places(const struct grams_common *common, uint32_t hash)
{
    return common->places[grams_slot(hash, GRAMS_COMMON_BITS)];
}
