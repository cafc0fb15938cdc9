/* SPDX-License-Identifier: Apache-2.0
 * match/simd/simd_ssse3.c - the filter with SSSE3: a look-up for each half of each byte of the
 * fingerprint, 16 places at a time. */
#include "match/simd/simd_leads.h"

#ifdef __x86_64__
#include <immintrin.h>

#define SIMD_TARGET __attribute__((target("ssse3")))

struct simd_nibbles128 {
    __m128i low, high;
};

SIMD_TARGET static inline __m128i simd_look_up128(const struct simd_nibbles128 *nibbles,
                                                  const uint8_t *at)
{
    const __m128i bytes = _mm_loadu_si128((const __m128i *)at);
    const __m128i nibble = _mm_set1_epi8(15);

    return _mm_and_si128(
        _mm_shuffle_epi8(nibbles->low, _mm_and_si128(bytes, nibble)),
        _mm_shuffle_epi8(nibbles->high, _mm_and_si128(_mm_srli_epi16(bytes, 4), nibble)));
}

SIMD_TARGET SIMD_INLINE uint64_t simd_look128(const struct simd_nibbles128 *nibbles,
                                              const uint8_t *at, uint8_t *buckets)
{
    __m128i x = simd_look_up128(&nibbles[0], at);

    for (uint32_t j = 1; j < SIMD_FINGERPRINT; j++)
        x = _mm_and_si128(x, simd_look_up128(&nibbles[j], at + j));
    _mm_storeu_si128((__m128i *)buckets, x);
    return (uint64_t)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_setzero_si128())) ^ 0xffff;
}

SIMD_TARGET SIMD_INLINE uint64_t simd_look_ssse3(const struct simd_plan *plan, const uint8_t *at,
                                                 uint32_t from, uint32_t to,
                                                 struct simd_marks *marks)
{
    struct simd_nibbles128 nibbles[SIMD_FINGERPRINT];
    uint8_t *restrict all = marks->buckets;
    uint64_t some = 0;

    for (uint32_t j = 0; j < SIMD_FINGERPRINT; j++) {
        nibbles[j].low = _mm_loadu_si128((const __m128i *)plan->low[j]);
        nibbles[j].high = _mm_loadu_si128((const __m128i *)plan->high[j]);
    }
    for (uint32_t i = from; i < to; i++) {
        const uint8_t *block = at + i * SIMD_BLOCK;
        uint8_t *buckets = all + i * SIMD_BLOCK;

        __builtin_prefetch(block + SIMD_PREFETCH);
        marks->words[i] = simd_look128(nibbles, block, buckets) |
                          simd_look128(nibbles, block + 16, buckets + 16) << 16 |
                          simd_look128(nibbles, block + 32, buckets + 32) << 32 |
                          simd_look128(nibbles, block + 48, buckets + 48) << 48;
        some |= (uint64_t)(marks->words[i] != 0) << i;
    }
    return some;
}

/* Adds 1 to `count` if the bytes there are those of the line. */
SIMD_TARGET SIMD_INLINE size_t simd_holds128(const struct simd_line *line, const uint8_t *at,
                                             size_t count)
{
    __m128i wrong[2];

    for (uint32_t i = 0; i < 2; i++)
        wrong[i] =
            _mm_andnot_si128(_mm_xor_si128(_mm_loadu_si128((const __m128i *)at + i),
                                           _mm_load_si128((const __m128i *)line->against + i)),
                             _mm_load_si128((const __m128i *)line->mask + i));
    return count + (_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_or_si128(wrong[0], wrong[1]),
                                                     _mm_setzero_si128())) == 0xffff);
}

#define SIMD_LOOK simd_look_ssse3
#define SIMD_LOWEST simd_lowest_of_some
#define SIMD_COUNTS false
#define SIMD_HOLDS simd_holds128
#include "match/simd/simd_form.h"

static const char *simd_missing128(void)
{
    return __builtin_cpu_supports("ssse3") ? NULL : "this processor has no SSSE3";
}
#else
#define simd_form_filter NULL
#define simd_form_dense NULL
#define simd_form_sift NULL
#define simd_form_again NULL

static const char *simd_missing128(void)
{
    return "it is written for x86-64";
}
#endif

const struct simd_form simd_form_ssse3 = {
    .missing = simd_missing128,
    .filter = simd_form_filter,
    .dense = simd_form_dense,
    .sift = simd_form_sift,
    .again = simd_form_again,
    .depth = SIMD_FINGERPRINT,
    .sharpness = SIMD_NIBBLES,
};
