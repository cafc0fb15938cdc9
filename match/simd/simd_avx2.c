/* SPDX-License-Identifier: Apache-2.0
 * match/simd/simd_avx2.c - the filter with AVX2: a look-up for each half of each byte of the
 * fingerprint, 32 places at a time. */
#include "match/simd/simd_line256.h"

#ifdef __x86_64__
#include <immintrin.h>

#define SIMD_TARGET __attribute__((target("avx2,bmi,bmi2,popcnt")))

struct simd_nibbles256 {
    __m256i low, high;
};

SIMD_TARGET static inline struct simd_nibbles256 simd_load_nibbles256(const uint8_t low[16],
                                                                      const uint8_t high[16])
{
    return (struct simd_nibbles256){
        _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)low)),
        _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)high))
    };
}

SIMD_TARGET static inline __m256i simd_look_up256(const struct simd_nibbles256 *nibbles,
                                                  const uint8_t *at)
{
    const __m256i bytes = _mm256_loadu_si256((const __m256i *)at);
    const __m256i nibble = _mm256_set1_epi8(15);

    return _mm256_and_si256(
        _mm256_shuffle_epi8(nibbles->low, _mm256_and_si256(bytes, nibble)),
        _mm256_shuffle_epi8(nibbles->high, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble)));
}

SIMD_TARGET SIMD_INLINE uint32_t simd_look256(const struct simd_nibbles256 *nibbles,
                                              const uint8_t *at, uint8_t *buckets)
{
    __m256i x = simd_look_up256(&nibbles[0], at);

    for (uint32_t j = 1; j < SIMD_FINGERPRINT; j++)
        x = _mm256_and_si256(x, simd_look_up256(&nibbles[j], at + j));
    _mm256_storeu_si256((__m256i *)buckets, x);
    return ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, _mm256_setzero_si256()));
}

SIMD_TARGET SIMD_INLINE uint64_t simd_look_avx2(const struct simd_plan *plan, const uint8_t *at,
                                                uint32_t from, uint32_t to,
                                                struct simd_marks *marks)
{
    struct simd_nibbles256 nibbles[SIMD_FINGERPRINT];
    uint8_t *restrict all = marks->buckets;
    uint64_t some = 0;

    for (uint32_t j = 0; j < SIMD_FINGERPRINT; j++)
        nibbles[j] = simd_load_nibbles256(plan->low[j], plan->high[j]);
    for (uint32_t i = from; i < to; i++) {
        const uint8_t *block = at + i * SIMD_BLOCK;
        uint8_t *buckets = all + i * SIMD_BLOCK;

        __builtin_prefetch(block + SIMD_PREFETCH);
        marks->words[i] = simd_look256(nibbles, block, buckets) |
                          (uint64_t)simd_look256(nibbles, block + 32, buckets + 32) << 32;
        some |= (uint64_t)(marks->words[i] != 0) << i;
    }
    return some;
}

SIMD_TARGET SIMD_INLINE uint32_t simd_lowest256(uint64_t word)
{
    return (uint32_t)_tzcnt_u64(word);
}

#define SIMD_LOOK simd_look_avx2
#define SIMD_LOWEST simd_lowest256
#define SIMD_COUNTS true
#define SIMD_HOLDS simd_holds256
#include "match/simd/simd_form.h"

static const char *simd_missing256(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")
               ? NULL
               : "this processor has no AVX2 with BMI2";
}
#else
#define simd_form_filter NULL
#define simd_form_dense NULL
#define simd_form_sift NULL
#define simd_form_again NULL

static const char *simd_missing256(void)
{
    return "it is written for x86-64";
}
#endif

const struct simd_form simd_form_avx2 = {
    .missing = simd_missing256,
    .filter = simd_form_filter,
    .dense = simd_form_dense,
    .sift = simd_form_sift,
    .again = simd_form_again,
    .depth = SIMD_FINGERPRINT,
    .sharpness = SIMD_NIBBLES,
};
