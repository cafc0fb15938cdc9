/*
 * match/simd_avx512.c - the filter with AVX-512: one 128-entry look-up (VBMI) for each byte of the window, 64 places at a time.
 *
 * Blocks with candidates are looked at twice, so that the loop over all of them stores nothing: a load whose address agrees in
 * its low bits with that of a store before it has to wait, which would happen all along.
 */
#include "match/simd_line256.h"

#ifdef __x86_64__
#include <immintrin.h>

#define SIMD_TARGET                                                                                                    \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512dq,avx512cd,gfni,popcnt,bmi,bmi2")))

static const _Alignas(64) uint8_t simd_numbers[SIMD_BLOCK] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                                                               13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
                                                               26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38,
                                                               39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51,
                                                               52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63 };

/* Once: compilers load the same bytes again for each use, and most of these loads go over the end of a line. */
SIMD_TARGET static inline __m512i simd_load512(const uint8_t *at)
{
    __m512i bytes = _mm512_loadu_si512(at);

    __asm__("" : "+v"(bytes));
    return bytes;
}

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

/* The buckets that accept each of 64 windows. */
SIMD_TARGET static inline __m512i simd_look512(const struct simd_half512 halves[SIMD_WINDOW], const uint8_t *at)
{
    return _mm512_and_si512(_mm512_and_si512(simd_look_up512(&halves[0], at), simd_look_up512(&halves[1], at + 1)),
                            _mm512_and_si512(simd_look_up512(&halves[2], at + 2), simd_look_up512(&halves[3], at + 3)));
}

/* The dense plan: halves and pairs. */
struct simd_deep512 {
    struct simd_half512 halves[SIMD_WINDOW];
    __m512i maps[2];
    __m512i pairs[SIMD_PAIRS_MAX][2]; /* the two halves of a table */
};

SIMD_TARGET static inline __m512i simd_look_up_pair512(const struct simd_deep512 *deep, uint32_t n, __m512i first,
                                                       __m512i second)
{
    const __m512i index = _mm512_xor_si512(_mm512_gf2p8affine_epi64_epi8(first, deep->maps[0], 0),
                                           _mm512_gf2p8affine_epi64_epi8(second, deep->maps[1], 0));

    return _mm512_permutex2var_epi8(deep->pairs[n][0], index, deep->pairs[n][1]);
}

SIMD_TARGET static inline __m512i simd_look_up_bytes512(const struct simd_half512 *half, __m512i bytes)
{
    return _mm512_permutex2var_epi8(half->a, _mm512_gf2p8affine_epi64_epi8(bytes, half->map, 0), half->b);
}

/* The same with pairs: few windows are left but those that hold a pattern's bytes. */
SIMD_TARGET static inline __m512i simd_look_deep512(const struct simd_deep512 *deep, const uint8_t *at)
{
    const __m512i a = simd_load512(at), b = simd_load512(at + 1), c = simd_load512(at + 2), d = simd_load512(at + 3);
    const __m512i first =
        _mm512_and_si512(simd_look_up_bytes512(&deep->halves[0], a), simd_look_up_bytes512(&deep->halves[1], b));
    const __m512i second =
        _mm512_and_si512(simd_look_up_bytes512(&deep->halves[2], c), simd_look_up_bytes512(&deep->halves[3], d));

    return _mm512_and_si512(_mm512_and_si512(first, simd_look_up_pair512(deep, 0, a, b)),
                            _mm512_and_si512(second, simd_look_up_pair512(deep, 1, c, d)));
}

struct simd_spread512 {
    __m512i common, factor;
};

/* The spread of each bucket, and what turns up to eight places of a block into leads. */
struct simd_leads512 {
    __m512i common, factor;
    __m512i eightfold, ascending; /* 0 0 0 0 0 0 0 0 1 1 ..., and 0 1 2 3 4 5 6 7 0 1 ... */
    __m128i bits, shift;          /* of the hash, and 64 - bits */
};

SIMD_TARGET static inline struct simd_leads512 simd_load_leads512(const struct simd_spreads *spreads)
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

/* The leads of eight places; bits: one of each byte of the block that has one; block and tail: 64 bytes and more. */
SIMD_TARGET static inline __m256i simd_leads_of512(const struct simd_leads512 *l, __m512i block, __m512i tail,
                                                   __m512i places, __m512i bits, uint32_t base)
{
    const __m512i from = _mm512_add_epi8(_mm512_permutexvar_epi8(l->eightfold, places), l->ascending);
    const __m512i words = _mm512_permutex2var_epi8(block, from, tail);
    const __m512i byte = _mm512_set1_epi64(0xff), bit = _mm512_and_si512(_mm512_permutexvar_epi8(from, bits), byte);
    const __m512i bucket = _mm512_sub_epi64(_mm512_set1_epi64(63), _mm512_lzcnt_epi64(bit));
    const __m512i product = _mm512_mullo_epi64(_mm512_and_si512(words, _mm512_permutexvar_epi64(bucket, l->common)),
                                               _mm512_permutexvar_epi64(bucket, l->factor));
    const __m512i slot = _mm512_or_si512(_mm512_srl_epi64(product, l->shift), _mm512_sll_epi64(bucket, l->bits));
    const __m512i place = _mm512_add_epi64(_mm512_and_si512(from, byte), _mm512_set1_epi64((int64_t)base));

    return _mm512_cvtepi64_epi32(_mm512_or_si512(_mm512_slli_epi64(slot, SIMD_PLACE_BITS), place));
}

/* The leads of a block, hardly with a branch that depends on it. */
SIMD_TARGET static inline void simd_append512(const struct simd_leads512 *l, const uint8_t *at, uint32_t base,
                                              __m512i x, struct simd_found *found)
{
    const __m512i block = _mm512_loadu_si512(at), numbers = _mm512_load_si512(simd_numbers);
    const __m512i tail = _mm512_zextsi128_si512(_mm_loadl_epi64((const __m128i *)(at + SIMD_BLOCK)));
    __mmask64 mask = _mm512_test_epi8_mask(x, x);

    do {
        const __m512i bits = _mm512_and_si512(x, _mm512_sub_epi8(_mm512_setzero_si512(), x)); /* the lowest of each */
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
    struct simd_half512 of[SIMD_WINDOW];
};

SIMD_TARGET static inline struct simd_halves512 simd_load_halves512(const struct simd_plan *plan)
{
    return (struct simd_halves512){ { simd_load_half512(&plan->halves[0]), simd_load_half512(&plan->halves[1]),
                                      simd_load_half512(&plan->halves[2]), simd_load_half512(&plan->halves[3]) } };
}

/* Whether the first blocks have more than `most` candidates. */
SIMD_TARGET static bool simd_is_dense512(const struct simd_halves512 *halves, const uint8_t *at, uint32_t most)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < SIMD_PROBE; i++) {
        const __m512i x = simd_look512(halves->of, at + i * SIMD_BLOCK);

        count += (uint32_t)__builtin_popcountll(_mm512_test_epi8_mask(x, x));
    }
    return count > most;
}

SIMD_TARGET static bool simd_filter_avx512(const struct simd_plan *plan, const uint8_t *at, uint32_t blocks,
                                           uint32_t most, struct simd_found *found)
{
    const struct simd_halves512 halves = simd_load_halves512(plan);
    uint64_t some = 0;

    for (uint32_t i = 0, to = blocks > SIMD_PROBE ? SIMD_PROBE : blocks; i < blocks; to = blocks) {
        for (; i < to; i++) {
            const __m512i x = simd_look512(halves.of, at + i * SIMD_BLOCK);

            __builtin_prefetch(at + i * SIMD_BLOCK + SIMD_PREFETCH);
            some |= (uint64_t)(_mm512_test_epi8_mask(x, x) != 0) << i;
        }
        if (i == SIMD_PROBE && __builtin_popcountll(some) >= SIMD_PROBE - 1 && simd_is_dense512(&halves, at, most))
            return false;
    }
    found->count = 0;
    if (some == 0)
        return true;
    const struct simd_leads512 leads = simd_load_leads512(&plan->buckets);
    for (; some != 0; some &= some - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(some);

        simd_append512(&leads, at + i * SIMD_BLOCK, i * SIMD_BLOCK, simd_look512(halves.of, at + i * SIMD_BLOCK),
                       found);
    }
    simd_sift(plan, at, found);
    return true;
}

SIMD_TARGET static inline struct simd_deep512 simd_load_deep512(const struct simd_plan *plan)
{
    struct simd_deep512 deep = { .maps = { _mm512_set1_epi64((int64_t)simd_pair_maps[0]),
                                           _mm512_set1_epi64((int64_t)simd_pair_maps[1]) } };

    for (uint32_t j = 0; j < SIMD_WINDOW; j++)
        deep.halves[j] = simd_load_half512(&plan->halves[j]);
    for (uint32_t n = 0; n < SIMD_PAIRS_MAX; n++) {
        deep.pairs[n][0] = _mm512_loadu_si512(plan->pairs[n].table);
        deep.pairs[n][1] = _mm512_loadu_si512(plan->pairs[n].table + 64);
    }
    return deep;
}

enum { SIMD_LEADS_AT_ONCE = 16, SIMD_FEW = 8 /* candidates of a block, as a rule not more */ };

/* The candidates of a block, behind `count` others. */
static void simd_pack_many512(struct simd_places *candidates, uint32_t count, uint64_t mask,
                              const uint8_t buckets[SIMD_BLOCK], uint32_t base)
{
    for (; mask != 0; mask &= mask - 1, count++) {
        const uint32_t bit = (uint32_t)__builtin_ctzll(mask);

        candidates->places[count] = (uint16_t)(base + bit);
        candidates->buckets[count] = buckets[bit];
    }
}

/* The same; in short stores, for few loads have to wait for those. Returns how many there are then. */
SIMD_TARGET static inline uint32_t simd_pack512(struct simd_places *candidates, __m512i x, __m128i base, uint32_t count)
{
    const __mmask64 mask = _mm512_test_epi8_mask(x, x);
    const __m512i places = _mm512_maskz_compress_epi8(mask, _mm512_load_si512(simd_numbers));
    const __m512i buckets = _mm512_maskz_compress_epi8(mask, x);
    const uint32_t more = (uint32_t)__builtin_popcountll(mask);

    _mm_storel_epi64((__m128i *)(candidates->buckets + count), _mm512_castsi512_si128(buckets));
    _mm_storeu_si128((__m128i *)(candidates->places + count),
                     _mm_add_epi16(_mm_cvtepu8_epi16(_mm512_castsi512_si128(places)), base));
    if (more > SIMD_FEW) {
        uint8_t all[SIMD_BLOCK];

        _mm512_storeu_si512(all, x);
        simd_pack_many512(candidates, count, mask, all, (uint32_t)_mm_extract_epi16(base, 0));
    }
    return count + more;
}

SIMD_TARGET static void simd_dense_avx512(const struct simd_plan *plan, const uint8_t *at, uint32_t blocks,
                                          struct simd_places *candidates)
{
    const struct simd_deep512 deep = simd_load_deep512(plan);
    __m128i base = _mm_setzero_si128();
    uint32_t count = 0;

    for (const uint8_t *past = at + blocks * SIMD_BLOCK; at < past; at += SIMD_BLOCK) {
        __builtin_prefetch(at + SIMD_PREFETCH);
        count = simd_pack512(candidates, simd_look_deep512(&deep, at), base, count);
        base = _mm_add_epi16(base, _mm_set1_epi16(SIMD_BLOCK));
    }
    candidates->count = count;
}

/* As simd_holds256 does, but as a new lowest bit. */
SIMD_TARGET SIMD_INLINE size_t simd_shift512(const struct simd_line *line, const uint8_t *at, size_t bits)
{
    __asm__("vptest %[wrong], %[zero]\n\tadc %[bits], %[bits]"
            : [bits] "+r"(bits)
            : [wrong] "x"(simd_wrong256(line, at)), [zero] "x"(_mm256_setzero_si256())
            : "cc");
    return bits;
}

/* Eight candidates: their sets of buckets, and below that, SIMD_DENSE_BITS of it, the hashes of their windows. */
SIMD_TARGET static inline __m128i simd_hash512(const struct simd_spread512 *spread, const uint8_t *at,
                                               const struct simd_places *candidates, uint32_t i)
{
    const __m512i places = _mm512_cvtepu16_epi64(_mm_loadu_si128((const __m128i *)(candidates->places + i)));
    const __m512i sets = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(candidates->buckets + i)));
    const __m512i buckets = _mm512_sub_epi64(_mm512_set1_epi64(63), _mm512_lzcnt_epi64(sets));
    const __m512i words =
        _mm512_and_si512(_mm512_i64gather_epi64(places, at, 1), _mm512_permutexvar_epi64(buckets, spread->common));
    const __m512i product = _mm512_mullo_epi64(words, _mm512_permutexvar_epi64(buckets, spread->factor));

    return _mm512_cvtepi64_epi16(
        _mm512_or_si512(_mm512_srli_epi64(product, 64 - SIMD_DENSE_BITS), _mm512_slli_epi64(sets, SIMD_DENSE_BITS)));
}

/* Sixteen at a time: a bit says whether a line holds, and the leads of those that do are packed together. */
SIMD_TARGET static void simd_sift_avx512(const struct simd_plan *plan, const uint8_t *at,
                                         struct simd_places *candidates, struct simd_found *found)
{
    const struct simd_spread512 spread = { _mm512_loadu_si512(plan->buckets.common),
                                           _mm512_loadu_si512(plan->buckets.factor) };
    const uint32_t *offsets = plan->sets->lines[0];
    const char *lines = (const char *)plan->lines;
    const uint32_t count = candidates->count;
    uint16_t slots[SIMD_DENSE_PIECE + SIMD_LEADS_AT_ONCE];
    uint32_t kept = 0;

    _mm256_storeu_si256((__m256i *)(candidates->places + count), _mm256_setzero_si256());
    _mm_storeu_si128((__m128i *)(candidates->buckets + count), _mm_setzero_si128()); /* no bucket: line 0 */
    for (uint32_t i = 0; i < count; i += SIMD_LEADS_AT_ONCE)
        for (uint32_t k = i; k < i + SIMD_LEADS_AT_ONCE; k += SIMD_LEADS_AT_ONCE / 2)
            _mm_storeu_si128((__m128i *)(slots + k), simd_hash512(&spread, at, candidates, k));
    for (uint32_t i = 0; i < count; i += SIMD_LEADS_AT_ONCE) {
        size_t has = 0;

#pragma GCC unroll 16
        for (uint32_t k = SIMD_LEADS_AT_ONCE; k-- > 0;)
            has = simd_shift512((const void *)(lines + offsets[slots[i + k]]), at + candidates->places[i + k], has);
        const __m512i places = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(candidates->places + i)));
        const __m512i high =
            _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(slots + i))), 16);
        _mm512_storeu_si512(found->leads + kept,
                            _mm512_maskz_compress_epi32((__mmask16)has, _mm512_or_si512(high, places)));
        kept += (uint32_t)__builtin_popcount((uint32_t)has);
    }
    for (uint32_t i = 0; i < kept; i++)
        found->leads[i] =
            simd_lead_of(offsets[found->leads[i] >> SIMD_PLACE_BITS]) | (found->leads[i] & SIMD_PLACE_MASK);
    found->count = kept;
}

SIMD_TARGET static void simd_again_avx512(const struct simd_plan *plan, const uint8_t *at, struct simd_found *again,
                                          struct simd_found *found)
{
    simd_sift_lines_again(simd_holds256, plan, at, again, found);
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
    .depth = SIMD_WINDOW,
    .sharpness = SIMD_PAIRS,
};
