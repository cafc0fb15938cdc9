/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/grams.c - see grams.h. */
#include <stdbool.h>
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "carver/assemble/grams.h"

enum { GRAMS_LANES = 8, GRAMS_AT_ONCE = 64 /* places */ };

/* Where a processor has narrower ones, the compiler takes several for each. */
typedef uint64_t grams_lanes __attribute__((vector_size(GRAMS_LANES * 8)));

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

static bool grams_keeps(uint64_t gram)
{
    return grams_hash(gram) % GRAMS_SHARE == 0;
}

/*
 * As grams_keeps, of GRAMS_AT_ONCE places, a bit each; so many bytes and seven more are there. A
 * lane has eight bytes, of which the first six are shifted to the top: the upper half of what is
 * left of their product is the lower half of the hash.
 */
static inline __attribute__((always_inline)) uint64_t grams_kept(const uint8_t *bytes)
{
    const uint64_t none = (uint64_t)(GRAMS_SHARE - 1) << 48;
    grams_lanes kept = { 0 };
    uint64_t lanes[GRAMS_LANES], all = 0;

    for (uint32_t i = 0; i < 8; i++) {
        grams_lanes grams;

        memcpy(&grams, bytes + i, sizeof grams);
        grams = ((grams << 16) * grams_factor & none) == 0;
        kept |= grams & (UINT64_C(1) << i);
    }
    memcpy(lanes, &kept, sizeof lanes);
    for (uint32_t k = 0; k < GRAMS_LANES; k++)
        all |= lanes[k] << 8 * k;
    return all;
}

static inline __attribute__((always_inline)) void grams_all_kept(const uint8_t *bytes,
                                                                 uint64_t *out)
{
    for (uint32_t i = 0; i + 2 * GRAMS_AT_ONCE <= LIMIT_SECTOR; i += GRAMS_AT_ONCE)
        out[i / GRAMS_AT_ONCE] = grams_kept(bytes + i);
}

#ifdef __x86_64__
__attribute__((target("avx512f,avx512dq"))) static void grams_all_kept512(const uint8_t *bytes,
                                                                          uint64_t *out)
{
    grams_all_kept(bytes, out);
}

static void grams_find(const uint8_t *bytes, uint64_t *out)
{
    if (__builtin_cpu_supports("avx512dq"))
        grams_all_kept512(bytes, out);
    else
        grams_all_kept(bytes, out);
}
#else
static void grams_find(const uint8_t *bytes, uint64_t *out)
{
    grams_all_kept(bytes, out);
}
#endif

/* Which strings of a sector are kept by their hash, a bit for the place where each begins. */
static void grams_places_kept(const uint8_t *bytes, uint64_t out[LIMIT_SECTOR / GRAMS_AT_ONCE])
{
    const uint32_t last = LIMIT_SECTOR - GRAMS_AT_ONCE;

    grams_find(bytes, out);
    out[last / GRAMS_AT_ONCE] = 0;
    for (uint32_t i = last; i + GRAMS_LEN <= LIMIT_SECTOR; i++)
        out[last / GRAMS_AT_ONCE] |= (uint64_t)grams_keeps(grams_at(bytes + i)) << (i - last);
}

void grams_of_sector(const uint8_t *bytes, struct grams *out)
{
    uint64_t kept[LIMIT_SECTOR / GRAMS_AT_ONCE], some = 0; /* some: bits of hashes that were kept */

    grams_places_kept(bytes, kept);
    out->count = 0;
    for (uint32_t i = 0; i < LIMIT_SECTOR; i += GRAMS_AT_ONCE)
        for (uint64_t left = kept[i / GRAMS_AT_ONCE]; left != 0 && out->count < GRAMS_MAX;
             left &= left - 1) {
            const uint64_t gram = grams_at(bytes + i + __builtin_ctzll(left));
            const uint32_t hash = grams_hash(gram);
            const uint64_t bit = UINT64_C(1) << hash / GRAMS_SHARE % 64;
            bool known = gram == (gram & 0xff) * UINT64_C(0x010101010101); /* one value alone */

            for (uint32_t k = 0; (some & bit) != 0 && k < out->count; k++)
                known |= out->hashes[k] == hash;
            if (known)
                continue;
            some |= bit;
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
