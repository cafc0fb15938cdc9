/* SPDX-License-Identifier: Apache-2.0
 * match/simd/simd_avx512_dense.c - the passes over dense text with AVX-512: look-ups of bytes and
 * of pairs of them, hashes of sixteen candidates at a time, and a line for each.
 */
#include "base/uninitialized.h"
#include "match/simd/simd_avx512.h"

#ifdef __x86_64__
enum {
    SIMD_LEADS_AT_ONCE = 16,
    SIMD_FEW = 8,      /* candidates of a block, as a rule not more */
    SIMD_TOGETHER = 8, /* blocks that are looked at before anything is stored: loads wait for stores
                          whose place is not known yet */
};

/* Once: compilers load the same bytes again for each use, and most of these loads go over the end
 * of a line. */
SIMD_TARGET static inline __m512i simd_load512(const uint8_t *at)
{
    __m512i bytes = _mm512_loadu_si512(at);

    __asm__("" : "+v"(bytes));
    return bytes;
}

/* The dense plan: halves, by bytes as they are, and pairs: two halves of each table. */
struct simd_deep512 {
    __m512i halves[SIMD_FINGERPRINT][2], pairs[SIMD_PAIRS_MAX][2];
};

SIMD_TARGET static inline __m512i simd_look_up_bytes512(const __m512i table[2], __m512i index)
{
    return _mm512_permutex2var_epi8(table[0], index, table[1]);
}

/* As simd_pair_number. */
SIMD_TARGET static inline __m512i simd_pair_number512(__m512i first, __m512i second)
{
    return _mm512_add_epi8(_mm512_add_epi8(first, second), _mm512_add_epi8(second, second));
}

SIMD_TARGET static inline __m512i simd_and512(__m512i a, __m512i b, __m512i c)
{
    return _mm512_ternarylogic_epi64(a, b, c, 0x80);
}

/* The same with pairs: few fingerprints are left but those that hold a pattern's bytes. Look-ups
 * are what bounds it. */
SIMD_TARGET static inline __m512i simd_look_deep512(const struct simd_deep512 *deep,
                                                    const uint8_t *at)
{
    const __m512i a = simd_load512(at), b = simd_load512(at + 1), c = simd_load512(at + 2),
                  d = simd_load512(at + 3);

    return _mm512_and_si512(
        simd_and512(simd_look_up_bytes512(deep->halves[0], a),
                    simd_look_up_bytes512(deep->halves[1], b),
                    simd_look_up_bytes512(deep->pairs[0], simd_pair_number512(a, b))),
        simd_and512(simd_look_up_bytes512(deep->halves[2], c),
                    simd_look_up_bytes512(deep->halves[3], d),
                    simd_look_up_bytes512(deep->pairs[1], simd_pair_number512(c, d))));
}

SIMD_TARGET static inline struct simd_deep512 simd_load_deep512(const struct simd_plan *plan)
{
    struct simd_deep512 deep;

    for (uint32_t j = 0; j < SIMD_FINGERPRINT; j++) {
        deep.halves[j][0] = _mm512_loadu_si512(plan->halves[j].table);
        deep.halves[j][1] = _mm512_loadu_si512(plan->halves[j].table + 64);
    }
    for (uint32_t n = 0; n < SIMD_PAIRS_MAX; n++) {
        deep.pairs[n][0] = _mm512_loadu_si512(plan->pairs[n].table);
        deep.pairs[n][1] = _mm512_loadu_si512(plan->pairs[n].table + 64);
    }
    return deep;
}

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

/* The same; in short stores, for few loads have to wait for those. Returns how many there are then.
 */
SIMD_TARGET static inline uint32_t simd_pack512(struct simd_places *candidates, __m512i x,
                                                __m128i base, uint32_t count)
{
    const __mmask64 mask = _mm512_test_epi8_mask(x, x);
    const __m512i places = _mm512_maskz_compress_epi8(mask, _mm512_load_si512(simd_numbers));
    const __m512i buckets = _mm512_permutexvar_epi8(places, x); /* some more, behind them */
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

/* `some` blocks, a constant, from place `base` on. Returns how many candidates there are then. */
SIMD_TARGET SIMD_INLINE uint32_t simd_dense_some512(const struct simd_deep512 *deep,
                                                    const uint8_t *at, uint32_t base, uint32_t some,
                                                    struct simd_places *candidates, uint32_t count)
{
    __m512i buckets[SIMD_TOGETHER];

    for (uint32_t i = 0; i < some; i++) {
        __builtin_prefetch(at + i * SIMD_BLOCK + SIMD_PREFETCH);
        buckets[i] = simd_look_deep512(deep, at + i * SIMD_BLOCK);
    }
    for (uint32_t i = 0; i < some; i++)
        count = simd_pack512(candidates, buckets[i],
                             _mm_set1_epi16((int16_t)(base + i * SIMD_BLOCK)), count);
    return count;
}

SIMD_TARGET void simd_dense_avx512(const struct simd_plan *plan, const uint8_t *at, uint32_t blocks,
                                   struct simd_places *candidates)
{
    const struct simd_deep512 deep = simd_load_deep512(plan);
    const uint32_t past = blocks * SIMD_BLOCK;
    uint32_t base = 0, count = 0;

    for (; past - base >= SIMD_TOGETHER * SIMD_BLOCK; base += SIMD_TOGETHER * SIMD_BLOCK)
        count = simd_dense_some512(&deep, at + base, base, SIMD_TOGETHER, candidates, count);
    for (; base < past; base += SIMD_BLOCK)
        count = simd_dense_some512(&deep, at + base, base, 1, candidates, count);
    candidates->count = count;
}

/* The spread of each bucket, and where its number is 31 less the number of leading zeros, by the
 * lowest four bits of that. */
struct simd_spread512 {
    __m512i common, factor;
};

SIMD_TARGET static inline struct simd_spread512 simd_load_spread512(
    const struct simd_spreads *spreads)
{
    uint32_t common[SIMD_LEADS_AT_ONCE] = { 0 }, factor[SIMD_LEADS_AT_ONCE] = { 0 };

    for (uint32_t b = 0; b < SIMD_BUCKETS; b++) {
        common[SIMD_LEADS_AT_ONCE - 1 - b] = (uint32_t)spreads->common[b];
        factor[SIMD_LEADS_AT_ONCE - 1 - b] = (uint32_t)(spreads->factor[b] >> 32);
    }
    return (struct simd_spread512){ _mm512_loadu_si512(common), _mm512_loadu_si512(factor) };
}

/* Into zeros, which the compiler must not leave out: else it would wait for what the register had
 * before. */
SIMD_TARGET static inline __m512i simd_gather512(__m512i places, const uint8_t *at)
{
    __mmask16 all = UINT16_MAX;

    __asm__("" : "+Yk"(all));
    return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), all, places, at, 1);
}

/* Sixteen candidates: their sets of buckets, and below that, SIMD_DENSE_BITS of it, the hashes of
 * their fingerprints. */
SIMD_TARGET static inline __m256i simd_hash512(const struct simd_spread512 *spread,
                                               const uint8_t *at,
                                               const struct simd_places *candidates, uint32_t i)
{
    const __m512i places =
        _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(candidates->places + i)));
    const __m512i sets =
        _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(candidates->buckets + i)));
    const __m512i buckets = _mm512_lzcnt_epi32(sets);
    const __m512i words = simd_gather512(places, at),
                  bits = _mm512_permutexvar_epi32(buckets, spread->common);
    const __m512i product = _mm512_mullo_epi32(_mm512_and_si512(words, bits),
                                               _mm512_permutexvar_epi32(buckets, spread->factor));

    return _mm512_cvtepi32_epi16(_mm512_shldi_epi32(sets, product, SIMD_DENSE_BITS));
}

/* As simd_holds256 does, but as a new lowest bit, and from the way on: instructions are what counts
 * here, and compilers make two more of it. */
SIMD_TARGET SIMD_INLINE size_t simd_shift512(const struct simd_way *ways,
                                             const struct simd_line *lines, const uint8_t *before,
                                             uint32_t place, size_t slot, size_t bits)
{
    size_t line;
    __m256i right;

    __asm__("movl (%[ways],%[slot],8), %k[line]\n\t"
            "addl 4(%[ways],%[slot],8), %k[place]\n\t"
            "vmovdqu (%[before],%q[place]), %[right]\n\t"
            "vpxor (%[lines],%[line]), %[right], %[right]\n\t"
            "vptest 32(%[lines],%[line]), %[right]\n\t"
            "adc %[bits], %[bits]"
            : [bits] "+r"(bits), [place] "+r"(place), [line] "=&r"(line), [right] "=&x"(right)
            : [ways] "r"(ways), [lines] "r"(lines), [before] "r"(before), [slot] "r"(slot),
              "m"(*(const struct simd_way(*)[SIMD_SETS << SIMD_DENSE_BITS]) ways),
              "m"(*(const struct simd_line(*)[SIMD_PATTERNS_MAX])lines),
              "m"(*(const uint8_t(*)[SIMD_DENSE_PIECE])before)
            : "cc");
    return bits;
}

/* Sixteen at a time: a bit says whether a line holds, and the leads of those that do are packed
 * together. */
SIMD_TARGET void simd_sift_avx512(const struct simd_plan *plan, const uint8_t *at,
                                  struct simd_places *candidates, struct simd_found *found)
{
    const struct simd_spread512 spread = simd_load_spread512(&plan->buckets);
    const struct simd_way *ways = plan->sets->ways[0];
    const struct simd_line *lines = plan->lines;
    const uint8_t *before = at - SIMD_BEFORE;
    const uint32_t count = candidates->count;
    uint16_t slots[SIMD_DENSE_PIECE + SIMD_LEADS_AT_ONCE] UNINITIALIZED;
    uint32_t kept = 0;

    _mm256_storeu_si256((__m256i *)(candidates->places + count), _mm256_setzero_si256());
    _mm_storeu_si128((__m128i *)(candidates->buckets + count),
                     _mm_setzero_si128()); /* no bucket: line 0 */
    for (uint32_t i = 0; i < count; i += SIMD_LEADS_AT_ONCE)
        _mm256_storeu_si256((__m256i *)(slots + i), simd_hash512(&spread, at, candidates, i));
    for (uint32_t i = 0; i < count; i += SIMD_LEADS_AT_ONCE) {
        size_t has = 0;

#pragma GCC unroll 16
        for (uint32_t k = SIMD_LEADS_AT_ONCE; k-- > 0;)
            has = simd_shift512(ways, lines, before, candidates->places[i + k], slots[i + k], has);
        const __m512i places =
            _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(candidates->places + i)));
        const __m512i high = _mm512_slli_epi32(
            _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(slots + i))), 16);
        _mm512_storeu_si512(
            found->leads + kept,
            _mm512_maskz_compress_epi32((__mmask16)has, _mm512_or_si512(high, places)));
        kept += (uint32_t)__builtin_popcount((uint32_t)has);
    }
    for (uint32_t i = 0; i < kept; i++)
        found->leads[i] = simd_lead_of(ways[found->leads[i] >> SIMD_PLACE_BITS].line) |
                          (found->leads[i] & SIMD_PLACE_MASK);
    found->count = kept;
}

SIMD_TARGET void simd_again_avx512(const struct simd_plan *plan, const uint8_t *at,
                                   struct simd_found *again, struct simd_found *found)
{
    simd_sift_lines_again(simd_holds256, plan, at, again, found);
}
#endif
