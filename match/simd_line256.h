/* match/simd_line256.h - a line of the dense plan compared with AVX2, for the forms that have it. */
#ifndef BURIN_MATCH_SIMD_LINE256_H
#define BURIN_MATCH_SIMD_LINE256_H

#include "match/simd_leads.h"

#ifdef __x86_64__
#include <immintrin.h>

#define SIMD_AVX2 __attribute__((target("avx2")))

/* What is wrong with the bytes around a place, by the line. */
SIMD_AVX2 SIMD_INLINE __m256i simd_wrong256(const struct simd_line *line, const uint8_t *at)
{
    const __m256i bytes = _mm256_loadu_si256((const __m256i *)(at - SIMD_BEFORE));

    return _mm256_xor_si256(_mm256_and_si256(bytes, _mm256_load_si256((const __m256i *)line->mask)),
                            _mm256_load_si256((const __m256i *)line->want));
}

/* Adds 1 to `count` if nothing is: what the comparison says is carried over, which C cannot say. */
SIMD_AVX2 SIMD_INLINE size_t simd_holds256(const struct simd_line *line, const uint8_t *at, size_t count)
{
    __asm__("vptest %[wrong], %[zero]\n\tadc $0, %[count]"
            : [count] "+r"(count)
            : [wrong] "x"(simd_wrong256(line, at)), [zero] "x"(_mm256_setzero_si256())
            : "cc");
    return count;
}
#endif

#endif
