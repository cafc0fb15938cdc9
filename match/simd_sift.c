/* match/simd_sift.c - the second pass of the vector engine: from bits of the filter to places that fit a slot. See simd.h. */
#include "base/bytes.h"
#include "match/simd.h"

static uint32_t simd_expand(const struct simd_found *found, uint16_t *places)
{
    uint32_t count = 0;

    for (uint64_t some = found->some; some != 0; some &= some - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(some);

        for (uint64_t bits = found->words[i]; bits != 0; bits &= bits - 1)
            places[count++] = (uint16_t)(i * SIMD_BLOCK + (uint32_t)__builtin_ctzll(bits));
    }
    return count;
}

/* Whether the word fits its slot in the bucket; true when there are several buckets. */
static inline bool simd_fits(const struct simd_program *program, uint64_t word, uint32_t buckets)
{
    const struct simd_bucket *bucket = &program->buckets[__builtin_ctz(buckets)];
    const struct simd_slot *slot = program->slots + bucket->start + simd_hash(bucket, word);

    return (word & slot->mask) == slot->want || (buckets & (buckets - 1)) != 0;
}

uint32_t simd_sift(const struct simd_program *program, const uint8_t *at, const struct simd_found *found,
                   uint16_t places[SIMD_PIECE])
{
    const uint32_t all = simd_expand(found, places);
    uint8_t fits[SIMD_PIECE];
    uint32_t count = 0;

    for (uint32_t i = 0; i < all; i++)
        fits[i] = simd_fits(program, bytes_u64le(at + places[i]), found->buckets[places[i]]);
    for (uint32_t i = 0; i < all; i++) {
        places[count] = places[i];
        count += fits[i];
    }
    return count;
}
