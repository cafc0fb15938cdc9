/* SPDX-License-Identifier: Apache-2.0
 * match/simd/simd_line256.h - a line of the dense plan compared with AVX2, for the forms that have
 * it. */
#ifndef BURIN_MATCH_SIMD_SIMD_LINE256_H
#define BURIN_MATCH_SIMD_SIMD_LINE256_H

#include "match/simd/simd_leads.h"

#ifdef __x86_64__
#include <immintrin.h>

#define SIMD_AVX2 __attribute__((target("avx2")))

/* Bits that are right with the bytes there, by the line; those that are not in its mask may be
 * wrong. */
SIMD_AVX2 SIMD_INLINE __m256i simd_right256(const struct simd_line *line, const uint8_t *at)
{
    return _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)at),
                            _mm256_load_si256((const __m256i *)line->against));
}

/* Adds 1 to `count` if the mask is right: what the comparison says is carried over, which C cannot
 * say. */
SIMD_AVX2 SIMD_INLINE size_t simd_holds256(const struct simd_line *line, const uint8_t *at,
                                           size_t count)
{
    __asm__("vptest %[mask], %[right]\n\tadc $0, %[count]"
            : [count] "+r"(count)
            : [right] "x"(simd_right256(line, at)), [mask] "m"(line->mask)
            : "cc");
    return count;
}
#endif

#endif
