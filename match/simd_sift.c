/* match/simd_sift.c - the second pass of the vector engine: from bits of the filter to places, through the whole window. See simd.h. */
#include <string.h>

#include "match/simd.h"

static inline uint32_t simd_accepts(const struct simd_program *program, uint64_t word)
{
    uint32_t buckets = 0xff;

    for (uint32_t j = 0; j < SIMD_DEPTH; j++)
        buckets &= program->tables[j][(uint8_t)(word >> 8 * j)];
    return buckets;
}

uint32_t simd_sift(const struct simd_program *program, const uint8_t *at, uint32_t blocks, const uint64_t *words,
                   struct simd_places *out)
{
    uint8_t list[SIMD_BLOCKS_MAX + 1];
    uint32_t some = 0, count = 0;

    for (uint32_t i = 0; i < blocks; i++) {
        list[some] = (uint8_t)i;
        some += words[i] != 0;
    }
    for (uint32_t k = 0; k < some; k++)
        for (uint64_t bits = words[list[k]]; bits != 0; bits &= bits - 1) {
            const uint32_t place = list[k] * SIMD_BLOCK + (uint32_t)__builtin_ctzll(bits);
            uint64_t word;

            memcpy(&word, at + place, sizeof word);
            const uint32_t buckets = simd_accepts(program, word);
            out->at[count] = (uint16_t)place;
            out->buckets[count] = (uint8_t)buckets;
            count += buckets != 0;
        }
    return count;
}
