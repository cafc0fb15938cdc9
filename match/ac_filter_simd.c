/*
 * match/ac_filter_simd.c - see ac_filter_simd.h.
 *
 * AVX-512 VBMI looks a byte up in all 256 of a table; AVX2 looks both halves of it up in 16.
 */
#include <stddef.h>

#include "match/ac_filter_simd.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define FILTER_VBMI __attribute__((target("avx512f,avx512bw,avx512vbmi,bmi,bmi2")))
#define FILTER_AVX2 __attribute__((target("avx2,bmi,bmi2")))

FILTER_VBMI static inline __m512i filter_look_up(const __m512i table[4], __m512i bytes)
{
    const __m512i low = _mm512_permutex2var_epi8(table[0], bytes, table[1]);
    const __m512i high = _mm512_permutex2var_epi8(table[2], bytes, table[3]);

    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(bytes), low, high);
}

FILTER_VBMI static uint32_t filter_vbmi(const struct ac_filter *filter, const uint8_t *bytes, uint32_t len,
                                        uint16_t *out, uint32_t max)
{
    __m512i tables[AC_FILTER_DEPTH][4];
    uint32_t count = 0;

    for (uint32_t i = 0; i < AC_FILTER_DEPTH; i++)
        for (uint32_t k = 0; k < 4; k++)
            tables[i][k] = _mm512_loadu_si512(&filter->buckets[i][k * 64]);
    for (uint32_t at = 0; at < len && count <= max; at += 64) {
        const __m512i first = filter_look_up(tables[0], _mm512_loadu_si512(bytes + at));
        const __m512i second = filter_look_up(tables[1], _mm512_loadu_si512(bytes + at + 1));
        const __m512i third = filter_look_up(tables[2], _mm512_loadu_si512(bytes + at + 2));
        const __m512i all = _mm512_ternarylogic_epi64(first, second, third, 0x80);

        for (uint64_t left = _mm512_test_epi8_mask(all, all); left != 0; left &= left - 1)
            out[count++] = (uint16_t)(at + (uint32_t)__builtin_ctzll(left));
    }
    return count;
}

FILTER_AVX2 static inline __m256i filter_halves(const struct ac_filter *filter, uint32_t i, __m256i bytes)
{
    const __m256i low = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)filter->low[i]));
    const __m256i high = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)filter->high[i]));
    const __m256i half = _mm256_set1_epi8(15);

    return _mm256_and_si256(_mm256_shuffle_epi8(low, _mm256_and_si256(bytes, half)),
                            _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half)));
}

FILTER_AVX2 static inline __m256i filter_load(const uint8_t *bytes)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)bytes);
}

FILTER_AVX2 static uint32_t filter_avx2(const struct ac_filter *filter, const uint8_t *bytes, uint32_t len,
                                        uint16_t *out, uint32_t max)
{
    const __m256i none = _mm256_setzero_si256();
    uint32_t count = 0;

    for (uint32_t at = 0; at < len && count <= max; at += 32) {
        __m256i all = filter_halves(filter, 0, filter_load(bytes + at));

        all = _mm256_and_si256(all, filter_halves(filter, 1, filter_load(bytes + at + 1)));
        all = _mm256_and_si256(all, filter_halves(filter, 2, filter_load(bytes + at + 2)));
        const uint32_t no = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(all, none));
        for (uint32_t left = ~no; left != 0; left &= left - 1)
            out[count++] = (uint16_t)(at + (uint32_t)__builtin_ctz(left));
    }
    return count;
}

ac_filter_fn ac_filter_simd_get(uint32_t index)
{
    ac_filter_fn found[2];
    uint32_t count = 0;

    if (__builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("bmi2"))
        found[count++] = filter_vbmi;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
        found[count++] = filter_avx2;
    return index < count ? found[index] : NULL;
}

#else

ac_filter_fn ac_filter_simd_get(uint32_t index)
{
    (void)index;
    return NULL;
}

#endif

ac_filter_fn ac_filter_simd(void)
{
    return ac_filter_simd_get(0);
}
