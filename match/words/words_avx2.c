/* SPDX-License-Identifier: Apache-2.0
 * match/words/words_avx2.c - the sets of words.h with AVX2: both halves of a byte are looked up in
 * 16, 32 places at a time. */
#ifdef __x86_64__
#include <immintrin.h>

#include "match/words/words.h"

#define WORDS_TARGET __attribute__((target("avx2,bmi,bmi2,popcnt")))

enum {
    FIND_MANY = 5, /* one place in so many survives the sets: the map is faster */
};

WORDS_TARGET static inline __m256i words_sixteen(const uint8_t half[16])
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)half));
}

/* One bit for each of 32 places. */
WORDS_TARGET static inline uint32_t words_mask256(const __m256i (*sets)[2], const uint8_t *bytes,
                                                  uint32_t depth)
{
    const __m256i half = _mm256_set1_epi8(15);
    __m256i all = _mm256_set1_epi8(-1);

    for (uint32_t j = 0; j < depth; j++) {
        const __m256i text = _mm256_loadu_si256((const __m256i *)(const void *)(bytes + j));

        all = _mm256_and_si256(all, _mm256_shuffle_epi8(sets[j][0], _mm256_and_si256(text, half)));
        all = _mm256_and_si256(
            all,
            _mm256_shuffle_epi8(sets[j][1], _mm256_and_si256(_mm256_srli_epi16(text, 4), half)));
    }
    return ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(all, _mm256_setzero_si256()));
}

WORDS_TARGET static inline uint32_t words_survivors256(const struct words_group *group,
                                                       const uint8_t *bytes, uint32_t from,
                                                       uint32_t to, uint16_t *out, uint32_t depth)
{
    __m256i sets[WORDS_DEPTH][2];
    uint32_t count = 0;

    for (uint32_t j = 0; j < depth; j++) {
        sets[j][0] = words_sixteen(group->low[j]);
        sets[j][1] = words_sixteen(group->high[j]);
    }
    for (uint32_t i = from; i < to; i += WORDS_STEP) {
        uint64_t found = words_mask256((const __m256i(*)[2])sets, bytes + i, depth) |
                         (uint64_t)words_mask256((const __m256i(*)[2])sets, bytes + i + 32, depth)
                             << 32;
        uint16_t *next = out + count;

        count += (uint32_t)_mm_popcnt_u64(found);
        while (found != 0) { /* four at a time: the number of turns is easier to guess; those too
                                many are written over */
            for (uint32_t k = 0; k < 4; k++) {
                *next++ = (uint16_t)(i + (uint32_t)_tzcnt_u64(found));
                found &= found - 1;
            }
        }
    }
    return count;
}

/* The depth is a constant in each call, so that the sets stay in registers, which have no room for
 * more than four. */
WORDS_TARGET static uint32_t words_survivors(const struct words_group *group, const uint8_t *bytes,
                                             uint32_t from, uint32_t to, uint16_t *out,
                                             struct words_ridden *ridden)
{
    (void)ridden;
    switch (group->depth) {
    case 1:
        return words_survivors256(group, bytes, from, to, out, 1);
    case 2:
        return words_survivors256(group, bytes, from, to, out, 2);
    case 3:
        return words_survivors256(group, bytes, from, to, out, 3);
    default:
        return words_survivors256(group, bytes, from, to, out, WORDS_HALVES);
    }
}

WORDS_TARGET static struct words_counts words_find256(const struct words_group *group,
                                                      const uint8_t *bytes, uint32_t len,
                                                      uint16_t *out, struct words_ridden *ridden)
{
    return words_find(group, bytes, len, out, ridden, words_survivors, words_mapped,
                      group->map != NULL, group->dense_halves, FIND_MANY);
}

const struct words_form words_avx2 = { .find = words_find256,
                                       .group_cost = 0.3,
                                       .survivor_cost = 2.5,
                                       .depth = WORDS_HALVES,
                                       .spread = 0,
                                       .map = true };

#endif
