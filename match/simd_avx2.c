/* match/simd_avx2.c - the filter with AVX2: a look-up for each half of each byte of the window, 32 places at a time. */
#ifdef __x86_64__
#include <immintrin.h>

#include "match/simd.h"

#define SIMD_TARGET __attribute__((target("avx2,bmi")))

struct simd_table256 {
    __m256i low, high;
};

SIMD_TARGET static inline struct simd_table256 simd_load_table256(const uint8_t low[16], const uint8_t high[16])
{
    return (struct simd_table256){ _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)low)),
                                   _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)high)) };
}

SIMD_TARGET static inline __m256i simd_look_up256(const struct simd_table256 *table, const uint8_t *at)
{
    const __m256i bytes = _mm256_loadu_si256((const __m256i *)at);
    const __m256i nibble = _mm256_set1_epi8(15);

    return _mm256_and_si256(_mm256_shuffle_epi8(table->low, _mm256_and_si256(bytes, nibble)),
                            _mm256_shuffle_epi8(table->high, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble)));
}

SIMD_TARGET bool simd_run_avx2(const struct simd_scan *scan, uint32_t p, uint32_t end)
{
    const struct simd_program *program = scan->program;
    const uint8_t *text = scan->text->bytes;
    struct simd_table256 t[SIMD_WINDOW];
    uint8_t each[32];

    for (uint32_t j = 0; j < SIMD_WINDOW; j++)
        t[j] = simd_load_table256(program->low[j], program->high[j]);
    for (; p < end; p += 32) {
        const uint8_t *at = text + p;
        const __m256i x =
            _mm256_and_si256(_mm256_and_si256(simd_look_up256(&t[0], at), simd_look_up256(&t[1], at + 1)),
                             _mm256_and_si256(simd_look_up256(&t[2], at + 2), simd_look_up256(&t[3], at + 3)));

        if (__builtin_expect(_mm256_testz_si256(x, x), 1))
            continue;
        uint32_t places = ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, _mm256_setzero_si256()));

        _mm256_storeu_si256((__m256i *)each, x);
        for (; places != 0; places &= places - 1) {
            const uint32_t i = (uint32_t)__builtin_ctz(places);

            if (p + i < end && !simd_verify(scan, p + i, each[i]))
                return false;
        }
    }
    return true;
}

#endif
