/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/grams.h - short strings that two pieces have in common.
 *
 * How often each byte value occurs tells a text from a picture, and hardly one text from another.
 * Short strings do: names, words, tags and instructions of a file come again in it. Of the strings
 * of GRAMS_LEN bytes of a sector one in GRAMS_SHARE is kept, by its hash alone, so that the same
 * ones are kept wherever they occur.
 *
 * What a string says is how rare it is: one that stands in each second place of the image says one
 * bit, one that stands nowhere else as many as there are places.
 *
 * Threads: a count is read by any number when it is made; one thread uses a set.
 */
#ifndef BURIN_CARVER_ASSEMBLE_GRAMS_H
#define BURIN_CARVER_ASSEMBLE_GRAMS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    GRAMS_LEN = 6,          /* bytes of a string */
    GRAMS_SHARE = 16,       /* one in so many is kept, */
    GRAMS_MAX = 48,         /* and so many of a sector at most, each once */
    GRAMS_SET_BITS = 18,    /* of a hash that a set tells apart, */
    GRAMS_COMMON_BITS = 18, /* and a count of places */
};

/* The strings of a sector. */
struct grams {
    uint32_t hashes[GRAMS_MAX];
    uint32_t count;
};

/* The strings of a piece. Zeroed is empty. */
struct grams_set {
    uint64_t bits[(1u << GRAMS_SET_BITS) / 64];
};

/* In how many places of an image strings stand. Zeroed is empty. */
struct grams_common {
    uint16_t places[1u << GRAMS_COMMON_BITS];
};

/* Keeps the strings of the LIMIT_SECTOR bytes of a sector. */
void grams_of_sector(const uint8_t *bytes, struct grams *out);

static inline uint32_t grams_slot(uint32_t hash, uint32_t bits)
{
    return hash >> (32 - bits);
}

void grams_add(struct grams_set *set, const struct grams *sector);

/* In line: it is asked of each string of all sectors that are compared. */
static inline bool grams_has(const struct grams_set *set, uint32_t hash)
{
    const uint32_t slot = grams_slot(hash, GRAMS_SET_BITS);

    return (set->bits[slot / 64] >> slot % 64 & 1) != 0;
}

/* Counts a place that has this string; to be called once for each place, of UINT16_MAX at most. */
void grams_count(struct grams_common *common, uint32_t hash);
uint32_t grams_places(const struct grams_common *common, uint32_t hash);

#endif
