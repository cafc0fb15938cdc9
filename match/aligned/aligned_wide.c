/* SPDX-License-Identifier: Apache-2.0
 * match/aligned/aligned_wide.c - see aligned_wide.h. */
#include "match/aligned/aligned_wide.h"

#ifdef __x86_64__
#include <immintrin.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/uninitialized.h"

#define WIDE_TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi,bmi2")))

enum {
    WIDE_ALIGN = 64,
    WIDE_WINDOW = 16, /* bytes of a sector that are turned together */
    WIDE_WORDS = 8,   /* members that are compared at a time */
    WIDE_GROUP = 8,   /* buckets of a look-up */
    WIDE_GROUPS = ALIGNED_SIEVE_BUCKETS / WIDE_GROUP,
};

/* A place of the sieve. */
struct wide_probe {
    uint32_t window; /* bytes from the start of a sector to that of the window, */
    uint32_t at;     /* and from there to the place */
    uint32_t groups; /* a bit for each that has a bucket which does not allow every byte there */
    /* By group and value of the byte: the buckets of the group that allow it. */
    _Alignas(WIDE_ALIGN) uint8_t allowed[WIDE_GROUPS][256];
};

struct aligned_wide {
    uint64_t all;   /* buckets */
    uint32_t count; /* of probes, by their places */
    uint32_t reach; /* of the last window's end */
    struct wide_probe probes[ALIGNED_SIEVE_PROBES];
    uint64_t *masks; /* by member, behind wants; each in a whole number of registers */
    uint64_t wants[];
};

static void wide_fill(struct wide_probe *probe, const uint64_t buckets[256], uint64_t all)
{
    for (uint32_t v = 0; v < 256; v++)
        for (uint32_t g = 0; g < WIDE_GROUPS; g++) {
            probe->allowed[g][v] = (uint8_t)(buckets[v] >> g * WIDE_GROUP);
            if ((~buckets[v] & all) >> g * WIDE_GROUP & 0xff)
                probe->groups |= 1u << g;
        }
}

/* The next place behind `last`, and its probe; false where there is none. A sieve may have its last
 * place several times. */
static bool wide_next(const struct aligned_sieve *sieve, int64_t last, int64_t *place,
                      uint32_t *probe)
{
    *place = INT64_MAX;
    for (uint32_t p = 0; p < sieve->count; p++)
        if (sieve->places[p] > last && sieve->places[p] < *place) {
            *place = sieve->places[p];
            *probe = p;
        }
    return *place != INT64_MAX;
}

static void wide_add(struct aligned_wide *wide, const struct aligned_sieve *sieve, uint32_t place,
                     uint32_t which)
{
    struct wide_probe *probe = &wide->probes[wide->count];

    probe->window = place;
    if (wide->count > 0 && place < probe[-1].window + WIDE_WINDOW)
        probe->window = probe[-1].window;
    probe->at = place - probe->window;
    wide->reach = probe->window + WIDE_WINDOW;
    wide_fill(probe, sieve->buckets[which], sieve->all);
    wide->count++;
}

enum err_code aligned_wide_open(const struct aligned_sieve *sieve,
                                const struct aligned_start *members, uint32_t count,
                                struct aligned_wide **out, struct err *err)
{
    const size_t room = (count + WIDE_WORDS - 1) / WIDE_WORDS * WIDE_WORDS + WIDE_WORDS;
    const size_t size = sizeof(struct aligned_wide) + 2 * room * sizeof(uint64_t);
    struct aligned_wide *wide;
    int64_t place = -1;
    uint32_t probe = 0;

    *out = NULL;
    if (!__builtin_cpu_supports("avx512vbmi") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("bmi2") || sieve->count == 0)
        return ERR_OK;
    wide = aligned_alloc(WIDE_ALIGN, (size + WIDE_ALIGN - 1) / WIDE_ALIGN * WIDE_ALIGN);
    if (wide == NULL)
        return ERR_NO_MEMORY(err, size);
    memset(wide, 0, size);
    wide->all = sieve->all;
    while (wide_next(sieve, place, &place, &probe))
        wide_add(wide, sieve, (uint32_t)place, probe);
    wide->masks = wide->wants + room;
    for (uint32_t m = 0; m < count; m++) {
        wide->wants[m] = members[m].want;
        wide->masks[m] = members[m].mask;
    }
    *out = wide;
    return ERR_OK;
}

uint32_t aligned_wide_reach(const struct aligned_wide *wide)
{
    return wide->reach;
}

/* out[p], byte 16 * l + i: byte p of sector 4 * i + l. Four times, rows are dealt out like cards of
 * two halves of a pack: that turns 16 rows of 16 bytes in each quarter of a register. */
WIDE_TARGET static inline void wide_turn(const uint8_t *bytes, __m512i out[WIDE_WINDOW])
{
    __m512i other[WIDE_WINDOW] UNINITIALIZED;

    for (uint32_t i = 0; i < WIDE_WINDOW; i++) {
        const uint8_t *at = bytes + (size_t)i * 4 * LIMIT_SECTOR;
        __m512i row = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(const void *)at));

        row = _mm512_inserti32x4(
            row, _mm_loadu_si128((const __m128i *)(const void *)(at + LIMIT_SECTOR)), 1);
        row = _mm512_inserti32x4(
            row, _mm_loadu_si128((const __m128i *)(const void *)(at + 2 * LIMIT_SECTOR)), 2);
        out[i] = _mm512_inserti32x4(
            row, _mm_loadu_si128((const __m128i *)(const void *)(at + 3 * LIMIT_SECTOR)), 3);
    }
    for (uint32_t round = 0; round < 4; round += 2) {
        for (uint32_t i = 0; i < WIDE_WINDOW / 2; i++) {
            other[2 * i] = _mm512_unpacklo_epi8(out[i], out[i + WIDE_WINDOW / 2]);
            other[2 * i + 1] = _mm512_unpackhi_epi8(out[i], out[i + WIDE_WINDOW / 2]);
        }
        for (uint32_t i = 0; i < WIDE_WINDOW / 2; i++) {
            out[2 * i] = _mm512_unpacklo_epi8(other[i], other[i + WIDE_WINDOW / 2]);
            out[2 * i + 1] = _mm512_unpackhi_epi8(other[i], other[i + WIDE_WINDOW / 2]);
        }
    }
}

/* The entries of a table of 256 for 64 values. */
WIDE_TARGET static inline __m512i wide_look_up(const uint8_t table[256], __m512i values,
                                               __mmask64 high)
{
    const __m512i low =
        _mm512_permutex2var_epi8(_mm512_load_si512(table), values, _mm512_load_si512(table + 64));
    const __m512i rest = _mm512_permutex2var_epi8(_mm512_load_si512(table + 128), values,
                                                  _mm512_load_si512(table + 192));

    return _mm512_mask_blend_epi8(high, low, rest);
}

WIDE_TARGET uint64_t aligned_wide_sift(const struct aligned_wide *wide, const uint8_t *bytes,
                                       uint64_t buckets[ALIGNED_WIDE])
{
    __m512i turned[WIDE_WINDOW] UNINITIALIZED, left[WIDE_GROUPS] UNINITIALIZED;
    __m512i all = _mm512_setzero_si512();
    _Alignas(WIDE_ALIGN) uint8_t groups[WIDE_GROUPS][ALIGNED_WIDE] UNINITIALIZED;
    uint32_t window = UINT32_MAX;
    uint64_t sectors = 0;

    for (uint32_t g = 0; g < WIDE_GROUPS; g++)
        left[g] = _mm512_set1_epi8(-1);
    for (uint32_t p = 0; p < wide->count; p++) {
        const struct wide_probe *probe = &wide->probes[p];

        if (probe->window != window)
            wide_turn(bytes + probe->window, turned);
        window = probe->window;
        const __m512i values = turned[probe->at];
        const __mmask64 high = _mm512_movepi8_mask(values);
        for (uint32_t g = 0; g < WIDE_GROUPS; g++)
            if ((probe->groups >> g & 1) != 0)
                left[g] = _mm512_and_si512(left[g], wide_look_up(probe->allowed[g], values, high));
    }
    for (uint32_t g = 0; g < WIDE_GROUPS; g++) {
        left[g] = _mm512_and_si512(left[g], _mm512_set1_epi8((char)(wide->all >> g * WIDE_GROUP)));
        _mm512_store_si512(groups[g], left[g]);
        all = _mm512_or_si512(all, left[g]);
    }
    for (uint64_t rest = _mm512_test_epi8_mask(all, all); rest != 0; rest &= rest - 1) {
        const uint32_t at = (uint32_t)__builtin_ctzll(rest), i = at % 16 * 4 + at / 16;

        buckets[i] = 0;
        for (uint32_t g = 0; g < WIDE_GROUPS; g++)
            buckets[i] |= (uint64_t)groups[g][at] << g * WIDE_GROUP;
        sectors |= UINT64_C(1) << i;
    }
    return sectors;
}

WIDE_TARGET uint64_t aligned_wide_starts(const struct aligned_wide *wide, uint32_t first,
                                         uint32_t count, uint64_t word)
{
    const __m512i words = _mm512_set1_epi64((int64_t)word);
    uint64_t fit = 0;

    for (uint32_t m = 0; m < count; m += WIDE_WORDS) {
        const __m512i masks = _mm512_loadu_si512(wide->masks + first + m),
                      wants = _mm512_loadu_si512(wide->wants + first + m);

        fit |= (uint64_t)_mm512_cmpeq_epi64_mask(_mm512_and_si512(words, masks), wants) << m;
    }
    return count < ALIGNED_WIDE ? fit & ((UINT64_C(1) << count) - 1) : fit;
}
#else
enum err_code aligned_wide_open(const struct aligned_sieve *sieve,
                                const struct aligned_start *members, uint32_t count,
                                struct aligned_wide **out, struct err *err)
{
    (void)sieve;
    (void)members;
    (void)count;
    (void)err;
    *out = NULL;
    return ERR_OK;
}

uint32_t aligned_wide_reach(const struct aligned_wide *wide)
{
    (void)wide;
    return 0;
}

uint64_t aligned_wide_sift(const struct aligned_wide *wide, const uint8_t *bytes,
                           uint64_t buckets[ALIGNED_WIDE])
{
    (void)wide;
    (void)bytes;
    (void)buckets;
    return 0;
}

uint64_t aligned_wide_starts(const struct aligned_wide *wide, uint32_t first, uint32_t count,
                             uint64_t word)
{
    (void)wide;
    (void)first;
    (void)count;
    (void)word;
    return 0;
}
#endif
