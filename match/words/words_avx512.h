/* SPDX-License-Identifier: Apache-2.0
 * match/words/words_avx512.h - what the forms with AVX-512 share: words_avx512.c and
 * words_gather.c. */
#ifndef BURIN_MATCH_WORDS_WORDS_AVX512_H
#define BURIN_MATCH_WORDS_WORDS_AVX512_H

#ifdef __x86_64__
#include <immintrin.h>

#include "base/uninitialized.h"
#include "match/words/words.h"

#define WORDS_FEATURES                                                                             \
    "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512dq,gfni,popcnt,bmi,bmi2"
#define WORDS_TARGET __attribute__((target(WORDS_FEATURES)))

enum {
    /* Bytes ahead that are fetched: a page, because what the processor fetches by itself ends at
     * the end of one. */
    WORDS_AHEAD = 4096,
    WORDS_STEPS = 64, /* whose places are listed together */
};

/* Places of one step, ascending: bytes, so that one instruction packs them. */
extern const uint8_t words_numbers[WORDS_STEP];

/* The step of the form that looks up in registers alone. */
WORDS_TARGET struct words_counts words_find512(const struct words_group *group,
                                               const uint8_t *bytes, uint32_t len, uint16_t *out,
                                               struct words_ridden *ridden);

/* Four patterns of a line at once; see words_form. */
WORDS_TARGET void words_cells512(const struct words_group *group, struct words_asked *asked,
                                 struct words_found *found);

/* Writes the places of a step that found has a bit for, and some behind them; each bit stands for
 * `apart` places, 1 or 2. */
WORDS_TARGET static inline __attribute__((always_inline)) uint32_t words_places_apart(
    uint16_t *out, uint32_t count, uint32_t base, uint64_t found, uint32_t apart)
{
    const __m512i places = _mm512_maskz_compress_epi8(found, _mm512_load_si512(words_numbers));
    const __m512i bases = _mm512_set1_epi16((short)base);
    const uint32_t all = (uint32_t)_mm_popcnt_u64(found);

#pragma GCC unroll 2
    for (uint32_t half = 0; half < 2; half++) {
        const __m256i bytes =
            half == 0 ? _mm512_castsi512_si256(places) : _mm512_extracti64x4_epi64(places, 1);
        const __m512i numbers = _mm512_cvtepu8_epi16(bytes);
        const __m512i words = apart == 1 ? numbers : _mm512_add_epi16(numbers, numbers);

        if (half == 0 || all > WORDS_STEP / 2)
            _mm512_storeu_si512(out + count + half * (WORDS_STEP / 2),
                                _mm512_add_epi16(words, bases));
    }
    return count + all;
}

/* The same for each place. */
WORDS_TARGET static inline uint32_t words_places(uint16_t *out, uint32_t count, uint32_t base,
                                                 uint64_t found)
{
    return words_places_apart(out, count, base, found, 1);
}

/* Of 64 places, those of the rider. */
WORDS_TARGET static inline __attribute__((always_inline)) uint64_t words_ride512(
    const struct words_group *group, const uint8_t *bytes)
{
    __m512i ride = _mm512_set1_epi8(-1);

#pragma GCC unroll 4
    for (uint32_t j = 0; j < WORDS_RIDE_DEPTH; j++)
        ride = _mm512_and_si512(ride, _mm512_permutexvar_epi8(_mm512_loadu_si512(bytes + j),
                                                              _mm512_loadu_si512(group->ride[j])));
    return _mm512_test_epi8_mask(ride, ride);
}

/*
 * Writes the places of so many steps, from base on, a bit for each `apart` places. Where few steps
 * have one, these are looked for: it is hard to guess whether a step has any, and takes as long as
 * to look up all of its places.
 */
WORDS_TARGET static inline __attribute__((always_inline)) uint32_t words_list_apart(
    const uint64_t *found, uint32_t steps, uint32_t base, uint16_t *out, uint32_t count,
    uint32_t apart)
{
    uint64_t some = 0;

    for (uint32_t k = 0; k < steps; k += 8) {
        const __m512i masks = _mm512_load_si512(found + k);

        some |= (uint64_t)_mm512_test_epi64_mask(masks, masks) << k;
    }
    if ((uint32_t)_mm_popcnt_u64(some) > steps / 2) {
        for (uint32_t k = 0; k < steps; k++)
            count = words_places_apart(out, count, base + k * WORDS_STEP * apart, found[k], apart);
        return count;
    }
    for (; some != 0; some &= some - 1) {
        const uint32_t k = (uint32_t)_tzcnt_u64(some);
        uint64_t places = found[k];

        for (; places != 0; places &= places - 1)
            out[count++] =
                (uint16_t)(base + (k * WORDS_STEP + (uint32_t)_tzcnt_u64(places)) * apart);
    }
    return count;
}

/* The same for each place. */
WORDS_TARGET static inline uint32_t words_list(const uint64_t *found, uint32_t steps, uint32_t base,
                                               uint16_t *out, uint32_t count)
{
    return words_list_apart(found, steps, base, out, count, 1);
}

/*
 * The survivors among places [from, to), by an expression that tells those among the 64 at `at` and
 * sets rides[k] to those of the rider.
 */
#define WORDS_EACH(look)                                                                           \
    _Alignas(64) uint64_t found[WORDS_STEPS] UNINITIALIZED, rides[WORDS_STEPS] UNINITIALIZED;      \
    uint32_t count = 0;                                                                            \
                                                                                                   \
    for (uint32_t i = from, steps; i < to; i += steps * WORDS_STEP) {                              \
        steps = (to - i + WORDS_STEP - 1) / WORDS_STEP;                                            \
        steps = steps < WORDS_STEPS ? steps : WORDS_STEPS;                                         \
        for (uint32_t k = 0; k < steps; k++) {                                                     \
            const uint8_t *at = bytes + i + k * WORDS_STEP;                                        \
            __builtin_prefetch(at + WORDS_AHEAD);                                                  \
            found[k] = (look);                                                                     \
        }                                                                                          \
        for (uint32_t k = steps; k % 8 != 0; k++)                                                  \
            found[k] = rides[k] = 0;                                                               \
        count = words_list(found, steps, i, out, count);                                           \
        if (rider)                                                                                 \
            ridden->count = words_list(rides, steps, i, ridden->places, ridden->count);            \
    }                                                                                              \
    return count;

#endif

#endif
