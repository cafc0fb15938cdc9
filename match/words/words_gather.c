/* SPDX-License-Identifier: Apache-2.0
 * match/words/words_gather.c - the form with AVX-512 for processors that gather fast: the couples
 * of words_couples.h, 64 bytes of text at a time. What a group without couples needs, and all else,
 * is as in words_avx512.c.
 *
 * On Intel's processors one unit permutes, and is what look-ups in registers wait for; a gather
 * takes its words by the units that load.
 */
#ifdef __x86_64__
#include "match/words/words_avx512.h"
#include "match/words/words_couples.h"

#define WORDS_GATHER_TARGET __attribute__((target(WORDS_FEATURES ",avx512bitalg")))

enum {
    /* Bytes ahead that are fetched to the second cache and to the first one, of which the words
     * leave little room for text. */
    GATHER_FAR = 8192,
    GATHER_NEAR = 640,
    GATHER_PLACES = 8, /* that are looked up together */
};

/* All lanes of a gather, which is into zeros; the compiler must not know that they are all, or it
 * leaves the zeros out, and each gather waits for what the one before it has brought. */
WORDS_GATHER_TARGET static inline __mmask16 words_lanes(void)
{
    __mmask16 lanes = UINT16_MAX;

    __asm__("" : "+Yk"(lanes));
    return lanes;
}

WORDS_GATHER_TARGET static inline __m512i words_gather32(__m512i numbers, const uint32_t *words)
{
    return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), words_lanes(), numbers, words,
                                       sizeof *words);
}

#define words_gather64(places, at, size)                                                           \
    _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), (__mmask8)words_lanes(), places, at, size)

/* What stays in registers: numbers, the sets of a rider, and the next 64 bytes of text. */
struct words_gather512 {
    __m512i fold, key, own;
    __m512i first; /* the lower half of each 32 bits */
    __m512i bits;  /* the bits of a byte that number one in a word, */
    __m512i upper; /* and those that change: the turn, and for the second word of 64 bits */
    __m512i lacks; /* bits that the last bytes of a couple lack to the end of a word of text */
    __m512i ride[WORDS_RIDE_DEPTH], text;
};

WORDS_GATHER_TARGET static inline __attribute__((always_inline)) struct words_gather512
words_gather_of(const struct words_group *group, const uint8_t *bytes)
{
    return (struct words_gather512){
        .fold = _mm512_set1_epi64((long long)group->fold),
        .key = _mm512_set1_epi32((int)group->couples->key),
        .own = _mm512_set1_epi16((short)WORDS_COUPLE_OWN),
        .first = _mm512_set1_epi32(0xffff),
        .bits = _mm512_set1_epi8(WORDS_COUPLE_WORD - 1),
        .upper = _mm512_set1_epi64(
            (long long)(0x2020202000000000 | group->couples->turn * 0x0100010001000100)),
        .lacks = _mm512_set1_epi32((int)(8 * (WORDS_COUPLE_MOST - group->fingerprint))),
        .ride = { _mm512_loadu_si512(group->ride[0]), _mm512_loadu_si512(group->ride[1]),
                  _mm512_loadu_si512(group->ride[2]) },
        .text =
            _mm512_or_si512(_mm512_loadu_si512(bytes), _mm512_set1_epi64((long long)group->fold)),
    };
}

/* Of 64 places, those of the rider; text from there on, and from one and two bytes behind it. */
WORDS_GATHER_TARGET static inline __attribute__((always_inline)) uint64_t words_ridden512(
    const struct words_gather512 *gather, __m512i text, __m512i text1, __m512i text2)
{
    const __m512i first = _mm512_permutexvar_epi8(text, gather->ride[0]);
    const __m512i second = _mm512_permutexvar_epi8(text1, gather->ride[1]);
    const __m512i third = _mm512_permutexvar_epi8(text2, gather->ride[2]);

    return _mm512_test_epi8_mask(_mm512_and_si512(first, second), third);
}

/*
 * Of 64 places, a bit for every second one: those that the couples let through. A couple has 32
 * bits of each vector: its common bytes; its own bytes, the first two and the last two; four
 * numbers of bits, two for each place. The bits come out in the order of places. Text is loaded
 * once and shifted, since the units that load are busy with the words.
 */
WORDS_GATHER_TARGET static inline __attribute__((always_inline)) uint32_t words_couples512(
    const struct words_couples *couples, struct words_gather512 *gather, const uint8_t *bytes,
    bool rider, uint64_t *rides)
{
    const __m512i text = gather->text,
                  next = _mm512_or_si512(_mm512_loadu_si512(bytes + WORDS_STEP), gather->fold);
    const __m512i behind = _mm512_alignr_epi32(next, text, 1);
    const __m512i text2 = _mm512_shrdi_epi32(text, behind, 8 * WORDS_COUPLE);
    const __m512i number =
        _mm512_srli_epi32(_mm512_mullo_epi32(text2, gather->key), 32 - WORDS_COUPLE_BITS);
    const __m512i words = words_gather32(number, couples->words);
    /* By 0xca, bits of the second where the first has them, of the third elsewhere; by 0x6a, those
     * that both of the first have, changed where the third has them. */
    const __m512i own =
        _mm512_mask_blend_epi16(0xaaaaaaaa, text, _mm512_sllv_epi32(behind, gather->lacks));
    const __m512i hash = _mm512_mullo_epi16(own, gather->own);
    const __m512i bits = _mm512_ternarylogic_epi64(hash, gather->bits, gather->upper, 0x6a);
    uint64_t found = _mm512_bitshuffle_epi64_mask(words, bits);
    __asm__("" : "+r"(found)); /* else it is taken from the mask twice */

    *rides = rider ? words_ridden512(gather, text, _mm512_shrdi_epi32(text, behind, 8), text2) : 0;
    gather->text = next;
    return (uint32_t)_pext_u64(found & found >> 1, 0x5555555555555555);
}

/* The survivors among len places; a bit of found stands for two of them. */
WORDS_GATHER_TARGET static inline __attribute__((always_inline)) uint32_t words_coupled_by(
    const struct words_group *group, const uint8_t *bytes, uint32_t len, uint16_t *out,
    struct words_ridden *ridden, bool rider)
{
    _Alignas(64) uint64_t found[WORDS_STEPS] = { 0 }, rides[WORDS_STEPS] UNINITIALIZED;
    struct words_gather512 gather = words_gather_of(group, bytes);
    uint32_t count = 0;

    for (uint32_t i = 0, steps; i < len; i += steps * WORDS_STEP) {
        steps = (len - i) / WORDS_STEP < WORDS_STEPS ? (len - i) / WORDS_STEP : WORDS_STEPS;
        for (uint32_t k = 0; k < steps; k += 2) { /* of an odd number one more, for nothing */
            const uint8_t *at = bytes + i + k * WORDS_STEP;
            uint64_t both[2];

#pragma GCC unroll 2
            for (uint32_t j = 0; j < 2; j++, at += WORDS_STEP) {
                __builtin_prefetch(at + GATHER_FAR, 0, 2);
                __builtin_prefetch(at + GATHER_NEAR);
                both[j] = words_couples512(group->couples, &gather, at, rider, &rides[k + j]);
            }
            found[k / 2] = both[0] | both[1] << (WORDS_STEP / WORDS_COUPLE);
        }
        if (steps % 2 != 0)
            found[steps / 2] &= UINT32_MAX;
        for (uint32_t k = (steps + 1) / 2; k % 8 != 0; k++)
            found[k] = 0;
        for (uint32_t k = steps; k % 8 != 0; k++)
            rides[k] = 0;
        count = words_list_apart(found, (steps + 1) / 2, i, out, count, WORDS_COUPLE);
        if (rider)
            ridden->count = words_list(rides, steps, i, ridden->places, ridden->count);
    }
    return count;
}

WORDS_GATHER_TARGET static uint32_t words_coupled(const struct words_group *group,
                                                  const uint8_t *bytes, uint32_t len, uint16_t *out,
                                                  struct words_ridden *ridden)
{
    return group->rider != NULL ? words_coupled_by(group, bytes, len, out, ridden, true)
                                : words_coupled_by(group, bytes, len, out, ridden, false);
}

/* Keeps the candidates among survivors, as words_filter does, eight at a time. */
WORDS_GATHER_TARGET static uint32_t words_filter512(const struct words_group *group,
                                                    const uint8_t *bytes, uint16_t *places,
                                                    uint32_t count)
{
    const __m512i fold = _mm512_set1_epi64((long long)group->fold);
    const __m512i key = _mm512_set1_epi64((long long)group->key[0]);
    const __m128i shift = _mm_cvtsi32_si128((int)group->bitmap_shift);
    const __m512i one = _mm512_set1_epi64(1), within = _mm512_set1_epi64(63);
    uint32_t kept = 0, i = 0;

    for (; i + GATHER_PLACES <= count; i += GATHER_PLACES) {
        const __m128i at = _mm_loadu_si128((const __m128i *)(const void *)(places + i));
        const __m512i raw = words_gather64(_mm512_cvtepu16_epi64(at), bytes, 1);
        const __m512i text =
            _mm512_or_si512(raw, _mm512_and_si512(_mm512_srli_epi64(raw, 1), fold));
        const __m512i bit = _mm512_srl_epi64(_mm512_mullo_epi64(text, key), shift);
        const __m512i words =
            words_gather64(_mm512_srli_epi64(bit, 6), group->bitmap, sizeof(uint64_t));
        const __mmask8 taken =
            _mm512_test_epi64_mask(_mm512_srlv_epi64(words, _mm512_and_si512(bit, within)), one);

        _mm_storeu_si128((__m128i *)(void *)(places + kept), _mm_maskz_compress_epi16(taken, at));
        kept += (uint32_t)_mm_popcnt_u32(taken);
    }
    for (; i < count; i++) {
        const uint16_t place = places[i];

        places[kept] = place;
        kept += words_taken(group, bytes + place);
    }
    return words_doubt(group, bytes, places, kept);
}

WORDS_GATHER_TARGET static struct words_counts words_find_gather(const struct words_group *group,
                                                                 const uint8_t *bytes, uint32_t len,
                                                                 uint16_t *out,
                                                                 struct words_ridden *ridden)
{
    if (group->couples == NULL)
        return words_find512(group, bytes, len, out, ridden);
    const uint32_t count = words_coupled(group, bytes, len, out, ridden);
    return (struct words_counts){ words_filter512(group, bytes, out, count), count };
}

const struct words_form words_gather = { .find = words_find_gather,
                                         .cells = words_cells512,
                                         .group_cost = 0.2,
                                         .survivor_cost = 2.5,
                                         .depth = WORDS_DEPTH,
                                         .spread = 3,
                                         .sieve = true,
                                         .rider = true,
                                         .couples = true };

#endif
