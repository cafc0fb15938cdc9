/* SPDX-License-Identifier: Apache-2.0
 * match/simd/simd_avx512.c - the filter with AVX-512: one 128-entry look-up (VBMI) for each byte of
 * the fingerprint, 64 places at a time.
 *
 * Blocks with candidates are looked at twice, so that the loop over all of them stores nothing: a
 * load whose address agrees in its low bits with that of a store before it has to wait, which would
 * happen all along.
 */
#include "match/simd/simd_avx512.h"

#ifdef __x86_64__
#include <immintrin.h>

const _Alignas(64) uint8_t simd_numbers[SIMD_BLOCK] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63
};

struct simd_half512 {
    __m512i map, a, b;
};

SIMD_TARGET static inline struct simd_half512 simd_load_half512(const struct simd_half *half)
{
    return (struct simd_half512){ _mm512_set1_epi64((int64_t)half->map),
                                  _mm512_loadu_si512(half->table),
                                  _mm512_loadu_si512(half->table + 64) };
}

SIMD_TARGET static inline __m512i simd_look_up512(const struct simd_half512 *half,
                                                  const uint8_t *at)
{
    const __m512i index = _mm512_gf2p8affine_epi64_epi8(_mm512_loadu_si512(at), half->map, 0);

    return _mm512_permutex2var_epi8(half->a, index, half->b);
}

/* The buckets that accept each of 64 fingerprints. */
SIMD_TARGET static inline __m512i simd_look512(const struct simd_half512 halves[SIMD_FINGERPRINT],
                                               const uint8_t *at)
{
    return _mm512_and_si512(
        _mm512_and_si512(simd_look_up512(&halves[0], at), simd_look_up512(&halves[1], at + 1)),
        _mm512_and_si512(simd_look_up512(&halves[2], at + 2), simd_look_up512(&halves[3], at + 3)));
}

/* The spread of each bucket, and what turns up to eight places of a block into leads. */
struct simd_leads512 {
    __m512i common, factor;
    __m512i eightfold, ascending; /* 0 0 0 0 0 0 0 0 1 1 ..., and 0 1 2 3 4 5 6 7 0 1 ... */
    __m128i bits, shift;          /* of the hash, and 64 - bits */
};

SIMD_TARGET static inline struct simd_leads512 simd_load_leads512(
    const struct simd_spreads *spreads)
{
    const __m512i numbers = _mm512_load_si512(simd_numbers), low = _mm512_set1_epi8(7);

    return (struct simd_leads512){
        .common = _mm512_loadu_si512(spreads->common),
        .factor = _mm512_loadu_si512(spreads->factor),
        .eightfold = _mm512_and_si512(_mm512_srli_epi16(numbers, 3), low),
        .ascending = _mm512_and_si512(numbers, low),
        .bits = _mm_cvtsi32_si128((int32_t)spreads->bits),
        .shift = _mm_cvtsi32_si128(64 - (int32_t)spreads->bits),
    };
}

/* The leads of eight places; bits: one of each byte of the block that has one; block and tail: 64
 * bytes and more. */
SIMD_TARGET static inline __m256i simd_leads_of512(const struct simd_leads512 *l, __m512i block,
                                                   __m512i tail, __m512i places, __m512i bits,
                                                   uint32_t base)
{
    const __m512i from =
        _mm512_add_epi8(_mm512_permutexvar_epi8(l->eightfold, places), l->ascending);
    const __m512i words = _mm512_permutex2var_epi8(block, from, tail);
    const __m512i byte = _mm512_set1_epi64(0xff),
                  bit = _mm512_and_si512(_mm512_permutexvar_epi8(from, bits), byte);
    const __m512i bucket = _mm512_sub_epi64(_mm512_set1_epi64(63), _mm512_lzcnt_epi64(bit));
    const __m512i product =
        _mm512_mullo_epi64(_mm512_and_si512(words, _mm512_permutexvar_epi64(bucket, l->common)),
                           _mm512_permutexvar_epi64(bucket, l->factor));
    const __m512i slot =
        _mm512_or_si512(_mm512_srl_epi64(product, l->shift), _mm512_sll_epi64(bucket, l->bits));
    const __m512i place =
        _mm512_add_epi64(_mm512_and_si512(from, byte), _mm512_set1_epi64((int64_t)base));

    return _mm512_cvtepi64_epi32(_mm512_or_si512(_mm512_slli_epi64(slot, SIMD_PLACE_BITS), place));
}

/* The leads of a block, hardly with a branch that depends on it. */
SIMD_TARGET static inline void simd_append512(const struct simd_leads512 *l, const uint8_t *at,
                                              uint32_t base, __m512i x, struct simd_found *found)
{
    const __m512i block = _mm512_loadu_si512(at), numbers = _mm512_load_si512(simd_numbers);
    const __m512i tail =
        _mm512_zextsi128_si512(_mm_loadl_epi64((const __m128i *)(at + SIMD_BLOCK)));
    __mmask64 mask = _mm512_test_epi8_mask(x, x);

    do {
        const __m512i bits = _mm512_and_si512(
            x, _mm512_sub_epi8(_mm512_setzero_si512(), x)); /* the lowest of each */
        const uint32_t count = (uint32_t)__builtin_popcountll(mask);
        __m512i places = _mm512_maskz_compress_epi8(mask, numbers);

        for (uint32_t i = 0; i < count; i += SIMD_BUCKETS) {
            _mm256_storeu_si256((__m256i *)(found->leads + found->count + i),
                                simd_leads_of512(l, block, tail, places, bits, base));
            places = _mm512_alignr_epi64(places, places, 1);
        }
        found->count += count;
        x = _mm512_xor_si512(x, bits);
        mask = _mm512_test_epi8_mask(x, x);
    } while (mask != 0);
}

struct simd_halves512 {
    struct simd_half512 of[SIMD_FINGERPRINT];
};

SIMD_TARGET static inline struct simd_halves512 simd_load_halves512(const struct simd_plan *plan)
{
    return (struct simd_halves512){
        { simd_load_half512(&plan->halves[0]), simd_load_half512(&plan->halves[1]),
          simd_load_half512(&plan->halves[2]), simd_load_half512(&plan->halves[3]) }
    };
}

/* Whether the first blocks have more than `most` candidates. */
SIMD_TARGET static bool simd_is_dense512(const struct simd_halves512 *halves, const uint8_t *at,
                                         uint32_t most)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < SIMD_PROBE; i++) {
        const __m512i x = simd_look512(halves->of, at + i * SIMD_BLOCK);

        count += (uint32_t)__builtin_popcountll(_mm512_test_epi8_mask(x, x));
    }
    return count > most;
}

SIMD_TARGET static bool simd_filter_avx512(const struct simd_plan *plan, const uint8_t *at,
                                           uint32_t blocks, uint32_t most, struct simd_found *found)
{
    const struct simd_halves512 halves = simd_load_halves512(plan);
    uint64_t some = 0;

    for (uint32_t i = 0, to = blocks > SIMD_PROBE ? SIMD_PROBE : blocks; i < blocks; to = blocks) {
        for (; i < to; i++) {
            const __m512i x = simd_look512(halves.of, at + i * SIMD_BLOCK);

            __builtin_prefetch(at + i * SIMD_BLOCK + SIMD_PREFETCH);
            some |= (uint64_t)(_mm512_test_epi8_mask(x, x) != 0) << i;
        }
        if (i == SIMD_PROBE && __builtin_popcountll(some) >= SIMD_PROBE - 1 &&
            simd_is_dense512(&halves, at, most))
            return false;
    }
    found->count = 0;
    if (some == 0)
        return true;
    const struct simd_leads512 leads = simd_load_leads512(&plan->buckets);
    for (; some != 0; some &= some - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(some);

        simd_append512(&leads, at + i * SIMD_BLOCK, i * SIMD_BLOCK,
                       simd_look512(halves.of, at + i * SIMD_BLOCK), found);
    }
    simd_sift(plan, at, found);
    return true;
}

static const char *simd_missing512(void)
{
    return __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                   __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("gfni")
               ? NULL
               : "this processor has no AVX-512 VBMI2 with GFNI";
}
#else
#define simd_filter_avx512 NULL
#define simd_dense_avx512 NULL
#define simd_sift_avx512 NULL
#define simd_again_avx512 NULL

static const char *simd_missing512(void)
{
    return "it is written for x86-64";
}
#endif

const struct simd_form simd_form_avx512 = {
    .missing = simd_missing512,
    .filter = simd_filter_avx512,
    .dense = simd_dense_avx512,
    .sift = simd_sift_avx512,
    .again = simd_again_avx512,
    .depth = SIMD_FINGERPRINT,
    .sharpness = SIMD_PAIRS,
};
