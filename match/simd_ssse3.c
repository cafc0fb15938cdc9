/* match/simd_ssse3.c - the filter with SSSE3: a look-up for each half of each byte of the window, 16 places at a time. */
#include "match/simd.h"

#ifdef __x86_64__
#include <immintrin.h>

#define SIMD_TARGET __attribute__((target("ssse3")))

struct simd_nibbles128 {
    __m128i low, high;
};

SIMD_TARGET static inline __m128i simd_look_up128(const struct simd_nibbles128 *nibbles, const uint8_t *at)
{
    const __m128i bytes = _mm_loadu_si128((const __m128i *)at);
    const __m128i nibble = _mm_set1_epi8(15);

    return _mm_and_si128(_mm_shuffle_epi8(nibbles->low, _mm_and_si128(bytes, nibble)),
                         _mm_shuffle_epi8(nibbles->high, _mm_and_si128(_mm_srli_epi16(bytes, 4), nibble)));
}

SIMD_TARGET static inline uint64_t simd_look128(const struct simd_nibbles128 nibbles[SIMD_WINDOW], const uint8_t *at,
                                                uint8_t *buckets)
{
    const __m128i x =
        _mm_and_si128(_mm_and_si128(simd_look_up128(&nibbles[0], at), simd_look_up128(&nibbles[1], at + 1)),
                      _mm_and_si128(simd_look_up128(&nibbles[2], at + 2), simd_look_up128(&nibbles[3], at + 3)));

    _mm_storeu_si128((__m128i *)buckets, x);
    return (uint64_t)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_setzero_si128())) ^ 0xffff;
}

SIMD_TARGET static void simd_filter_ssse3(const struct simd_program *program, const uint8_t *at, uint32_t blocks,
                                          struct simd_found *found)
{
    struct simd_nibbles128 nibbles[SIMD_WINDOW];
    const uint8_t *const piece = at;
    uint8_t buckets[SIMD_PIECE];
    uint64_t words[SIMD_BLOCKS_MAX], some = 0;

    for (uint32_t j = 0; j < SIMD_WINDOW; j++) {
        nibbles[j].low = _mm_loadu_si128((const __m128i *)program->low[j]);
        nibbles[j].high = _mm_loadu_si128((const __m128i *)program->high[j]);
    }
    for (uint32_t i = 0; i < blocks; i++, at += SIMD_BLOCK) {
        __builtin_prefetch(at + SIMD_PREFETCH);
        uint8_t *to = buckets + i * SIMD_BLOCK;

        words[i] = simd_look128(nibbles, at, to) | simd_look128(nibbles, at + 16, to + 16) << 16 |
                   simd_look128(nibbles, at + 32, to + 32) << 32 | simd_look128(nibbles, at + 48, to + 48) << 48;
        some |= (uint64_t)(words[i] != 0) << i;
    }
    simd_append_all(program, piece, some, words, buckets, found);
}

static const char *simd_missing128(void)
{
    return __builtin_cpu_supports("ssse3") ? NULL : "this processor has no SSSE3";
}
#else
#define simd_filter_ssse3 NULL

static const char *simd_missing128(void)
{
    return "it is written for x86-64";
}
#endif

const struct simd_form simd_form_ssse3 = {
    .missing = simd_missing128,
    .filter = simd_filter_ssse3,
    .depth = SIMD_WINDOW,
    .sharpness = SIMD_NIBBLES,
};
