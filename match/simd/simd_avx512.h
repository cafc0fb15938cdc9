/* SPDX-License-Identifier: Apache-2.0
 * match/simd/simd_avx512.h - what the two parts of the form with AVX-512 share: simd_avx512.c and,
 * for dense text, simd_avx512_dense.c. */
#ifndef BURIN_MATCH_SIMD_SIMD_AVX512_H
#define BURIN_MATCH_SIMD_SIMD_AVX512_H

#include "match/simd/simd_line256.h"

#ifdef __x86_64__
#define SIMD_TARGET                                                                                \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512dq,avx512cd,"    \
                          "gfni,popcnt,bmi,bmi2")))

extern const uint8_t simd_numbers[SIMD_BLOCK]; /* 0, 1, 2 and so on; aligned */

SIMD_TARGET simd_filter_dense simd_dense_avx512;
SIMD_TARGET simd_sift_dense simd_sift_avx512;
SIMD_TARGET simd_sift_again simd_again_avx512;
#endif

#endif
