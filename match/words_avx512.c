/*
 * match/words_avx512.c - the sets of words.h with AVX-512: a byte less one bit, which an affine map over GF(2) drops, is the index of a
 * permutation of 128 bytes; 64 places at a time.
 */
#ifdef __x86_64__
#include <immintrin.h>

#include "match/words.h"

#define WORDS_TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi,avx512vbmi2,gfni,popcnt,bmi,bmi2")))

/* The matrix whose product has bit i of the byte in bit i, or from `drop` on bit i + 1. */
static uint64_t words_matrix(uint32_t drop)
{
    uint64_t matrix = 0;

    for (uint32_t i = 0; i < 7; i++)
        matrix |= (uint64_t)1 << (i < drop ? i : i + 1) << 8 * (7 - i);
    return matrix;
}

WORDS_TARGET static inline uint32_t words_places(uint16_t *out, uint32_t count, __m512i places, uint32_t mask)
{
    _mm512_storeu_si512(out + count, _mm512_maskz_compress_epi16(mask, places));
    return count + (uint32_t)_mm_popcnt_u32(mask);
}

WORDS_TARGET static inline uint32_t words_survivors512(const struct words_group *group, const uint8_t *bytes,
                                                       uint32_t len, uint16_t *out, uint32_t depth)
{
    const __m512i matrix = _mm512_set1_epi64((long long)words_matrix(group->drop));
    __m512i sets[WORDS_DEPTH][2], iota;
    uint16_t ascending[32];
    uint32_t count = 0;

    for (uint16_t i = 0; i < 32; i++)
        ascending[i] = i;
    iota = _mm512_loadu_si512(ascending);
    for (uint32_t j = 0; j < depth; j++) {
        sets[j][0] = _mm512_loadu_si512(group->seven[j]);
        sets[j][1] = _mm512_loadu_si512(group->seven[j] + 64);
    }
    for (uint32_t i = 0; i < len; i += WORDS_STEP) {
        __m512i all = _mm512_set1_epi8(-1);

        for (uint32_t j = 0; j < depth; j++) {
            const __m512i index = _mm512_gf2p8affine_epi64_epi8(_mm512_loadu_si512(bytes + i + j), matrix, 0);
            all = _mm512_and_si512(all, _mm512_permutex2var_epi8(sets[j][0], index, sets[j][1]));
        }
        const uint64_t found = _mm512_test_epi8_mask(all, all);
        if (found == 0)
            continue;
        const __m512i places = _mm512_add_epi16(iota, _mm512_set1_epi16((short)i));
        count = words_places(out, count, places, (uint32_t)found);
        count = words_places(out, count, _mm512_add_epi16(places, _mm512_set1_epi16(32)), (uint32_t)(found >> 32));
    }
    return count;
}

/* The depth is a constant in each call, so that the sets stay in registers. */
WORDS_TARGET static uint32_t words_survivors(const struct words_group *group, const uint8_t *bytes, uint32_t len,
                                             uint16_t *out)
{
    switch (group->depth) {
    case 1:
        return words_survivors512(group, bytes, len, out, 1);
    case 2:
        return words_survivors512(group, bytes, len, out, 2);
    case 3:
        return words_survivors512(group, bytes, len, out, 3);
    case 4:
        return words_survivors512(group, bytes, len, out, 4);
    case 5:
        return words_survivors512(group, bytes, len, out, 5);
    default:
        return words_survivors512(group, bytes, len, out, WORDS_DEPTH);
    }
}

WORDS_TARGET static uint32_t words_find512(const struct words_group *group, const uint8_t *bytes, uint32_t len,
                                           uint16_t *out)
{
    const uint32_t count = group->dense_seven ? len : words_survivors(group, bytes, len, out);

    return count > len / 2 ? words_filter_all(group, bytes, len, out) : words_filter(group, bytes, out, count);
}

const struct words_form words_avx512 = {
    .find = words_find512, .group_cost = 0.2, .survivor_cost = 2.5, .depth = WORDS_DEPTH, .spread = 3
};

#endif
