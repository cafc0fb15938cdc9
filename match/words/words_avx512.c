/* SPDX-License-Identifier: Apache-2.0
 * match/words/words_avx512.c - the sets of words.h with AVX-512: a byte less one bit, which an
 * affine map over GF(2) drops, is the index of a permutation of 128 bytes; 64 places at a time.
 * Where sets let much through, such permutations look up a Bloom filter instead.
 */
#ifdef __x86_64__
#include <immintrin.h>

#include "base/uninitialized.h"
#include "match/words/words_avx512.h"
#include "match/words/words_cells.h"

enum {
    FIND_MANY = 10,       /* one place in so many survives the sets: the sieve is faster; */
    FIND_MANY_HALVES = 4, /* and where it is looked up by halves */
    /* By halves, bytes of a fingerprint that are looked up by seven bits: of those behind them six
     * do. */
    WORDS_SEVEN = 4,
};

const _Alignas(WORDS_STEP) uint8_t words_numbers[WORDS_STEP] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
};

/* The sets of a group in registers, and those of its rider. */
struct words_look512 {
    __m512i matrix, sets[WORDS_DEPTH][2], ride[WORDS_RIDE_DEPTH];
};

/* Of 64 places, those that the sets let through; and those of the rider. */
WORDS_TARGET static inline __attribute__((always_inline)) uint64_t words_look512(
    const struct words_look512 *look, const uint8_t *bytes, uint32_t depth, bool by_halves,
    bool rider, uint64_t *rides)
{
    __m512i all = _mm512_set1_epi8(-1), ride = all;

    for (uint32_t j = 0; j < depth; j++) {
        const __m512i text = _mm512_loadu_si512(bytes + j);
        const __m512i index = _mm512_gf2p8affine_epi64_epi8(text, look->matrix, 0);
        const __m512i set =
            j < WORDS_SEVEN || !by_halves
                ? _mm512_permutex2var_epi8(look->sets[j][0], index, look->sets[j][1])
                : _mm512_permutexvar_epi8(index, look->sets[j][0]);

        all = _mm512_and_si512(all, set);
        if (rider && j < WORDS_RIDE_DEPTH)
            ride = _mm512_and_si512(ride, _mm512_permutexvar_epi8(text, look->ride[j]));
    }
    *rides = rider ? _mm512_test_epi8_mask(ride, ride) : 0;
    return _mm512_test_epi8_mask(all, all);
}

/*
 * What the tables of a sieve say of 64 places: a look-up in each table, by one instruction for its
 * 128 bytes or, by_halves, by two for 64 each, of which the second writes where the upper half is
 * meant; then halving by one bit after the other. On Intel's processors the one instruction takes
 * the time of two and part of another unit's, on AMD's that of one.
 */
WORDS_TARGET static inline __attribute__((always_inline)) __m512i words_tables512(
    const struct words_sieve *sieve, __m512i low, const __mmask64 bits[WORDS_TABLE_BITS],
    uint32_t table_bits, bool by_halves)
{
    const __mmask64 table = bits[0], upper = _mm512_movepi8_mask(_mm512_add_epi8(low, low));
    const __mmask64 quarters[3] = { upper & ~table, table & ~upper, table & upper };
    __m512i found[WORDS_TABLES];
    const uint32_t step = by_halves ? 2 : 1;

#pragma GCC unroll 16
    for (uint32_t t = 0; t < WORDS_TABLES; t++) {
        const uint8_t *bytes = sieve->tables[t];

        if (t >= 1u << table_bits || t % step != 0)
            continue;
        if (!by_halves) {
            found[t] = _mm512_permutex2var_epi8(_mm512_load_si512(bytes), low,
                                                _mm512_load_si512(bytes + 64));
            continue;
        }
        found[t / 2] = _mm512_permutexvar_epi8(low, _mm512_load_si512(bytes));
#pragma GCC unroll 3
        for (uint32_t q = 0; q < 3; q++) /* of two tables: they lie side by side */
            found[t / 2] = _mm512_mask_permutexvar_epi8(found[t / 2], quarters[q], low,
                                                        _mm512_load_si512(bytes + 64 * (q + 1)));
    }
#pragma GCC unroll 4
    for (uint32_t k = by_halves; k < WORDS_TABLE_BITS; k++)
#pragma GCC unroll 8
        for (uint32_t t = 0; t < WORDS_TABLES / 2; t++)
            if (t < 1u << table_bits >> (k + 1))
                found[t] = _mm512_mask_blend_epi8(bits[k], found[2 * t], found[2 * t + 1]);
    return found[0];
}

/* The hashes of 64 places. */
struct words_hash512 {
    __m512i low, high;
};

WORDS_TARGET static inline __attribute__((always_inline)) struct words_hash512 words_hash512(
    const struct words_sieve *sieve, const uint8_t *bytes, uint32_t depth)
{
    struct words_hash512 hash = { _mm512_setzero_si512(), _mm512_setzero_si512() };

#pragma GCC unroll 6
    for (uint32_t j = 0; j < depth; j++) {
        const __m512i text = _mm512_loadu_si512(bytes + j);
        const __m512i low_matrix = _mm512_set1_epi64((long long)sieve->low[j]);
        const __m512i high_matrix = _mm512_set1_epi64((long long)sieve->high[j]);

        hash.low = _mm512_xor_si512(hash.low, _mm512_gf2p8affine_epi64_epi8(text, low_matrix, 0));
        hash.high =
            _mm512_xor_si512(hash.high, _mm512_gf2p8affine_epi64_epi8(text, high_matrix, 0));
    }
    return hash;
}

/* Of 64 places, those that the sieve lets through. */
WORDS_TARGET static inline __attribute__((always_inline)) uint64_t words_sieve512(
    const struct words_sieve *sieve, const struct words_hash512 *hash, uint32_t table_bits,
    bool by_halves)
{
    const __m512i high = hash->high, high2 = _mm512_add_epi8(high, high);
    const __mmask64 bits[WORDS_TABLE_BITS] = { _mm512_movepi8_mask(hash->low),
                                               _mm512_movepi8_mask(high),
                                               _mm512_movepi8_mask(high2),
                                               _mm512_movepi8_mask(_mm512_add_epi8(high2, high2)) };
    const __m512i found = words_tables512(sieve, hash->low, bits, table_bits, by_halves);
    const __m512i need = _mm512_permutexvar_epi8(high, _mm512_load_si512(sieve->needs));
    return _mm512_cmpeq_epi8_mask(_mm512_and_si512(found, need), need);
}

WORDS_TARGET static inline __attribute__((always_inline)) uint32_t words_survivors512(
    const struct words_group *group, const uint8_t *bytes, uint32_t from, uint32_t to,
    uint16_t *out, struct words_ridden *ridden, uint32_t depth, bool by_halves, bool rider)
{
    struct words_look512 sets;

    sets.matrix = _mm512_set1_epi64((long long)group->seven_map);
    for (uint32_t j = 0; j < depth; j++) {
        sets.sets[j][0] = _mm512_loadu_si512(group->seven[j]);
        sets.sets[j][1] = _mm512_loadu_si512(group->seven[j] + 64);
        if (by_halves && j >= WORDS_SEVEN)
            sets.sets[j][0] = _mm512_or_si512(sets.sets[j][0], sets.sets[j][1]);
    }
    for (uint32_t j = 0; rider && j < WORDS_RIDE_DEPTH; j++)
        sets.ride[j] = _mm512_loadu_si512(group->ride[j]);
    WORDS_EACH(words_look512(&sets, at, depth, by_halves, rider, &rides[k]))
}

/* The same, and rides; hash becomes that of the next 64 places: what is looked up is known when it
 * is wanted, while others are. */
WORDS_TARGET static inline __attribute__((always_inline)) uint64_t words_sieve_ride512(
    const struct words_group *group, const uint8_t *bytes, struct words_hash512 *hash,
    uint32_t depth, uint32_t table_bits, bool by_halves, bool rider, uint64_t *rides)
{
    const struct words_hash512 here = *hash;

    *hash = words_hash512(group->sieve, bytes + WORDS_STEP, depth);
    *rides = rider ? words_ride512(group, bytes) : 0;
    return words_sieve512(group->sieve, &here, table_bits, by_halves);
}

WORDS_TARGET static inline __attribute__((always_inline)) uint32_t words_sieved512(
    const struct words_group *group, const uint8_t *bytes, uint32_t from, uint32_t to,
    uint16_t *out, struct words_ridden *ridden, uint32_t depth, uint32_t table_bits, bool by_halves,
    bool rider)
{
    struct words_hash512 hash = words_hash512(group->sieve, bytes + from, depth);

    WORDS_EACH(
        words_sieve_ride512(group, at, &hash, depth, table_bits, by_halves, rider, &rides[k]))
}

/* Numbers are constants in each call, so that the sets stay in registers. */
WORDS_TARGET static inline __attribute__((always_inline)) uint32_t words_survivors_by(
    const struct words_group *group, const uint8_t *bytes, uint32_t from, uint32_t to,
    uint16_t *out, struct words_ridden *ridden, bool by_halves, bool rider)
{
    switch (group->depth) {
    case 1:
        return words_survivors512(group, bytes, from, to, out, ridden, 1, by_halves, rider);
    case 2:
        return words_survivors512(group, bytes, from, to, out, ridden, 2, by_halves, rider);
    case 3:
        return words_survivors512(group, bytes, from, to, out, ridden, 3, by_halves, rider);
    case 4:
        return words_survivors512(group, bytes, from, to, out, ridden, 4, by_halves, rider);
    case 5:
        return words_survivors512(group, bytes, from, to, out, ridden, 5, by_halves, rider);
    default:
        return words_survivors512(group, bytes, from, to, out, ridden, WORDS_DEPTH, by_halves,
                                  rider);
    }
}

WORDS_TARGET static uint32_t words_survivors(const struct words_group *group, const uint8_t *bytes,
                                             uint32_t from, uint32_t to, uint16_t *out,
                                             struct words_ridden *ridden)
{
    if (group->by_halves)
        return group->rider != NULL
                   ? words_survivors_by(group, bytes, from, to, out, ridden, true, true)
                   : words_survivors_by(group, bytes, from, to, out, ridden, true, false);
    return group->rider != NULL
               ? words_survivors_by(group, bytes, from, to, out, ridden, false, true)
               : words_survivors_by(group, bytes, from, to, out, ridden, false, false);
}

WORDS_TARGET static inline __attribute__((always_inline)) uint32_t words_sieved_by(
    const struct words_group *group, const uint8_t *bytes, uint32_t from, uint32_t to,
    uint16_t *out, struct words_ridden *ridden, bool by_halves, bool rider)
{
    const bool wide = group->sieve->table_bits == WORDS_TABLE_BITS;
    const uint32_t less = WORDS_TABLE_BITS - 1;

    if (group->sieve->depth < WORDS_DEPTH)
        return wide ? words_sieved512(group, bytes, from, to, out, ridden, WORDS_SIEVE_DEPTH,
                                      WORDS_TABLE_BITS, by_halves, rider)
                    : words_sieved512(group, bytes, from, to, out, ridden, WORDS_SIEVE_DEPTH, less,
                                      by_halves, rider);
    return wide ? words_sieved512(group, bytes, from, to, out, ridden, WORDS_DEPTH,
                                  WORDS_TABLE_BITS, by_halves, rider)
                : words_sieved512(group, bytes, from, to, out, ridden, WORDS_DEPTH, less, by_halves,
                                  rider);
}

WORDS_TARGET static uint32_t words_sieved(const struct words_group *group, const uint8_t *bytes,
                                          uint32_t from, uint32_t to, uint16_t *out,
                                          struct words_ridden *ridden)
{
    if (group->by_halves)
        return group->rider != NULL
                   ? words_sieved_by(group, bytes, from, to, out, ridden, true, true)
                   : words_sieved_by(group, bytes, from, to, out, ridden, true, false);
    return group->rider != NULL
               ? words_sieved_by(group, bytes, from, to, out, ridden, false, true)
               : words_sieved_by(group, bytes, from, to, out, ridden, false, false);
}

/* The candidates of the twins among places [0, len), 64 at a time: 32 words are looked up for them.
 */
WORDS_TARGET static uint32_t words_twins512(const struct words_group *group, const uint8_t *bytes,
                                            uint32_t len, uint16_t *out)
{
    const __m512i fold = _mm512_set1_epi64((long long)group->fold),
                  key = _mm512_set1_epi64((long long)WORDS_TWIN_KEY);
    const __m512i bits = _mm512_set1_epi64(WORDS_TWIN_BITS), one = _mm512_set1_epi64(1);
    const __m128i behind = _mm_cvtsi32_si128((int)(8 * (WORDS_WORD + 1 - group->fingerprint)));
    const __m128i shift = _mm_cvtsi32_si128((int)group->twins_shift),
                  last = _mm_cvtsi32_si128((int)(8 * group->fingerprint));
    __m512i index[4];
    uint32_t count = 0;

    for (uint32_t k = 0; k < 4; k++) { /* eight bytes from every even place on */
        _Alignas(64) uint8_t numbers[64];

        for (uint32_t i = 0; i < 64; i++)
            numbers[i] = (uint8_t)(16 * k + i / 8 * 2 + i % 8);
        index[k] = _mm512_load_si512(numbers);
    }
    for (uint32_t i = 0; i < len; i += WORDS_STEP) {
        __m512i text[2];
        uint32_t even = 0, odd = 0;

        for (uint32_t k = 0; k < 2; k++) {
            const __m512i raw = _mm512_loadu_si512(bytes + i + k * WORDS_STEP);
            text[k] = _mm512_or_si512(raw, _mm512_and_si512(_mm512_srli_epi64(raw, 1), fold));
        }
#pragma GCC unroll 4
        for (uint32_t k = 0; k < 4; k++) {
            const __m512i both = _mm512_permutex2var_epi8(text[0], index[k], text[1]);
            const __m512i common = _mm512_sll_epi64(_mm512_srli_epi64(both, 8), behind);
            const __m512i hash = _mm512_mullo_epi64(common, key),
                          other = _mm512_srl_epi64(both, last);
            const __m512i words =
                _mm512_i64gather_epi64(_mm512_srl_epi64(hash, shift), group->twins, 8);
            const __m512i upper = _mm512_srli_epi64(words, 32);
            const __m512i turn1 = _mm512_srli_epi64(hash, WORDS_TWIN_FIRST);
            const __m512i turn2 = _mm512_srli_epi64(hash, WORDS_TWIN_SECOND);
            const __m512i even1 = _mm512_and_si512(_mm512_xor_si512(both, turn1), bits);
            const __m512i even2 = _mm512_and_si512(
                _mm512_xor_si512(_mm512_add_epi64(both, _mm512_slli_epi64(both, 2)), turn2), bits);
            const __m512i odd1 = _mm512_and_si512(_mm512_xor_si512(other, turn1), bits);
            const __m512i odd2 = _mm512_and_si512(
                _mm512_xor_si512(_mm512_add_epi64(other, _mm512_slli_epi64(other, 2)), turn2),
                bits);

            even |=
                (uint32_t)_mm512_test_epi64_mask(_mm512_and_si512(_mm512_srlv_epi64(words, even1),
                                                                  _mm512_srlv_epi64(words, even2)),
                                                 one)
                << 8 * k;
            odd |=
                (uint32_t)_mm512_test_epi64_mask(_mm512_and_si512(_mm512_srlv_epi64(upper, odd1),
                                                                  _mm512_srlv_epi64(upper, odd2)),
                                                 one)
                << 8 * k;
        }
        count = words_places(out, count, i,
                             _pdep_u64(even, 0x5555555555555555u) |
                                 _pdep_u64(odd, 0xaaaaaaaaaaaaaaaau));
    }
    return count;
}

WORDS_TARGET struct words_counts words_find512(const struct words_group *group,
                                               const uint8_t *bytes, uint32_t len, uint16_t *out,
                                               struct words_ridden *ridden)
{
    if (group->twins != NULL)
        return (struct words_counts){ words_twins512(group, bytes, len, out), 0 };
    return words_find(group, bytes, len, out, ridden, words_survivors, words_sieved,
                      group->sieve != NULL, group->dense_seven,
                      group->by_halves ? FIND_MANY_HALVES : FIND_MANY);
}

/* The four cells of a line at once. */
WORDS_TARGET void words_cells512(const struct words_group *group, struct words_asked *asked,
                                 struct words_found *found)
{
    uint32_t more = 0;

    found->count = found->whole_count = 0;
    for (uint32_t i = 0; i < asked->count; i++) {
        const uint64_t bytes = asked->bytes[i];
        const uint32_t number = asked->lines[i], place = asked->places[i];
        const struct words_line *line = &group->lines[number];
        const __m256i cuts = _mm256_cvtepu8_epi64(_mm_loadu_si32(line->cuts));
        const __m256i refs =
            _mm256_cvtepu32_epi64(_mm_load_si128((const __m128i *)(const void *)line->refs));
        const __m256i begins = _mm256_sub_epi64(_mm256_set1_epi64x(place),
                                                _mm256_cvtepu8_epi64(_mm_loadu_si32(line->at)));
        const __m256i leads = _mm256_or_si256(_mm256_slli_epi64(refs, 32), begins);
        const uint32_t fits =
            _mm256_cmpeq_epi64_mask(_mm256_srlv_epi64(_mm256_set1_epi64x((long long)bytes), cuts),
                                    _mm256_load_si256((const __m256i *)(const void *)line->want));
        const uint32_t whole = fits & line->whole, others = fits & ~(uint32_t)line->whole;

        _mm256_storeu_si256((__m256i *)(void *)(found->whole + found->whole_count),
                            _mm256_maskz_compress_epi64((__mmask8)whole, leads));
        _mm256_storeu_si256((__m256i *)(void *)(found->leads + found->count),
                            _mm256_maskz_compress_epi64((__mmask8)others, leads));
        found->whole_count += (uint32_t)_mm_popcnt_u32(whole);
        found->count += (uint32_t)_mm_popcnt_u32(others);
        asked->bytes[more] = bytes;
        asked->lines[more] = number + 1;
        asked->places[more] = place;
        more += line->full;
        __builtin_prefetch(line + line->full);
    }
    asked->count = more;
}

const struct words_form words_avx512 = { .find = words_find512,
                                         .cells = words_cells512,
                                         .group_cost = 0.2,
                                         .survivor_cost = 2.5,
                                         .depth = WORDS_DEPTH,
                                         .spread = 3,
                                         .sieve = true,
                                         .rider = true };

#endif
