/* match/simd_avx512.c - the filter with AVX-512: one 128-entry look-up (VBMI) for each byte of the window, 64 places at a time. */
#ifdef __x86_64__
#include <immintrin.h>

#include "match/simd.h"

#define SIMD_TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi,gfni")))

struct simd_half512 {
    __m512i map, a, b;
};

SIMD_TARGET static inline struct simd_half512 simd_load_half512(const struct simd_half *half)
{
    return (struct simd_half512){ _mm512_set1_epi64((int64_t)half->map), _mm512_loadu_si512(half->table),
                                  _mm512_loadu_si512(half->table + 64) };
}

SIMD_TARGET static inline __m512i simd_look_up512(const struct simd_half512 *half, const uint8_t *at)
{
    const __m512i index = _mm512_gf2p8affine_epi64_epi8(_mm512_loadu_si512(at), half->map, 0);

    return _mm512_permutex2var_epi8(half->a, index, half->b);
}

SIMD_TARGET void simd_filter_avx512(const struct simd_program *program, const uint8_t *at, uint32_t blocks,
                                    uint64_t *words)
{
    const struct simd_half512 h0 = simd_load_half512(&program->halves[0]), h1 = simd_load_half512(&program->halves[1]),
                              h2 = simd_load_half512(&program->halves[2]), h3 = simd_load_half512(&program->halves[3]);

    for (uint32_t i = 0; i < blocks; i++, at += SIMD_BLOCK) {
        const __m512i x =
            _mm512_and_si512(_mm512_and_si512(simd_look_up512(&h0, at), simd_look_up512(&h1, at + 1)),
                             _mm512_and_si512(simd_look_up512(&h2, at + 2), simd_look_up512(&h3, at + 3)));

        __builtin_prefetch(at + SIMD_PREFETCH);
        words[i] = _mm512_test_epi8_mask(x, x);
    }
}

#endif
