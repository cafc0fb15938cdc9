/* match/simd_avx512.c - the filter with AVX-512 VBMI: two 128-entry look-ups for each byte of the window, 64 places at a time. */
#ifdef __x86_64__
#include <immintrin.h>

#include "match/simd.h"

#define SIMD_TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi,bmi")))

struct simd_table512 {
    __m512i a, b, c, d; /* values 0-63, 64-127, 128-191, 192-255 */
};

SIMD_TARGET static inline struct simd_table512 simd_load_table512(const uint8_t table[256])
{
    return (struct simd_table512){ _mm512_loadu_si512(table), _mm512_loadu_si512(table + 64),
                                   _mm512_loadu_si512(table + 128), _mm512_loadu_si512(table + 192) };
}

SIMD_TARGET static inline __m512i simd_look_up512(const struct simd_table512 *table, __m512i bytes)
{
    const __mmask64 upper = _mm512_movepi8_mask(bytes);
    const __m512i small = _mm512_permutex2var_epi8(table->a, bytes, table->b);
    const __m512i large = _mm512_permutex2var_epi8(table->c, bytes, table->d);

    return _mm512_mask_blend_epi8(upper, small, large);
}

SIMD_TARGET static bool simd_candidates512(const struct simd_scan *scan, uint32_t p, uint32_t end, __m512i buckets)
{
    uint8_t each[64];
    uint64_t places = _mm512_test_epi8_mask(buckets, buckets);

    _mm512_storeu_si512(each, buckets);
    for (; places != 0; places &= places - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(places);

        if (p + i < end && !simd_verify(scan, p + i, each[i]))
            return false;
    }
    return true;
}

SIMD_TARGET bool simd_run_avx512(const struct simd_scan *scan, uint32_t p, uint32_t end)
{
    const uint8_t *text = scan->text->bytes;
    const struct simd_table512 t0 = simd_load_table512(scan->program->tables[0]),
                               t1 = simd_load_table512(scan->program->tables[1]),
                               t2 = simd_load_table512(scan->program->tables[2]),
                               t3 = simd_load_table512(scan->program->tables[3]);

    for (; p < end; p += 128) {
        const uint8_t *at = text + p;
        const __m512i x = _mm512_and_si512(_mm512_and_si512(simd_look_up512(&t0, _mm512_loadu_si512(at)),
                                                            simd_look_up512(&t1, _mm512_loadu_si512(at + 1))),
                                           _mm512_and_si512(simd_look_up512(&t2, _mm512_loadu_si512(at + 2)),
                                                            simd_look_up512(&t3, _mm512_loadu_si512(at + 3))));
        const __m512i y = _mm512_and_si512(_mm512_and_si512(simd_look_up512(&t0, _mm512_loadu_si512(at + 64)),
                                                            simd_look_up512(&t1, _mm512_loadu_si512(at + 65))),
                                           _mm512_and_si512(simd_look_up512(&t2, _mm512_loadu_si512(at + 66)),
                                                            simd_look_up512(&t3, _mm512_loadu_si512(at + 67))));
        const __m512i any = _mm512_or_si512(x, y);

        if (__builtin_expect(_mm512_test_epi8_mask(any, any) == 0, 1))
            continue;
        if (!simd_candidates512(scan, p, end, x) || !simd_candidates512(scan, p + 64, end, y))
            return false;
    }
    return true;
}

#endif
