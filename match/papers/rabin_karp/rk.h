/* SPDX-License-Identifier: Apache-2.0
 * match/papers/rabin_karp/rk.h - the arithmetic and the tables of Rabin-Karp with prefix sums, for
 * the engine and its tests.
 *
 * Everything is modulo q; base and q are primes, and base^(q-1) = 1 (Fermat), so that a table of q
 * powers has all of them, those with a negative exponent too.
 */
#ifndef BURIN_MATCH_PAPERS_RABIN_KARP_RK_H
#define BURIN_MATCH_PAPERS_RABIN_KARP_RK_H

#include <stddef.h>

#include "match/pattern/literals.h"

/* powers[i] = base^i, 0 <= i < q */
static inline void rk_powers(uint32_t base, uint32_t q, uint16_t *powers)
{
    uint32_t power = 1;

    for (uint32_t i = 0; i < q; i++) {
        powers[i] = (uint16_t)power;
        power = power * base % q;
    }
}

/* The hash of a string: base^(len-1) bytes[0] + ... + base^0 bytes[len-1]. */
static inline uint32_t rk_hash(const uint8_t *bytes, uint32_t len, uint32_t base, uint32_t q)
{
    uint32_t hash = 0;

    for (uint32_t i = 0; i < len; i++)
        hash = (hash * base + bytes[i]) % q;
    return hash;
}

/* Remainders by the paper's own q = 2^16 - 15 need no division, so that compilers can make vectors
 * of them. */
static inline uint32_t rk_modulo(uint32_t x, uint32_t q)
{
    if (q != 65521)
        return x % q;
    x = (x >> 16) * 15 + (x & 0xffff);
    x = (x >> 16) * 15 + (x & 0xffff);
    return x < q ? x : x - q;
}

/* sums[i] = base^(n-1) text[0] + ... + base^(n-i) text[i-1], 0 <= i <= n: sums[0] is that of
 * nothing. */
static inline void rk_prefix_sums(const uint8_t *text, uint32_t n, const uint16_t *powers,
                                  uint32_t q, uint16_t *restrict sums)
{
    const uint16_t *power = powers + n - 1;
    uint32_t sum = 0;

    sums[0] = 0;
    for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)
        sums[i + 1] = (uint16_t)rk_modulo((uint32_t)power[-i] * text[i], q);
    for (uint32_t i = 1; i <= n; i++) {
        sum += sums[i];
        sum = sum < q ? sum : sum - q;
        sums[i] = (uint16_t)sum;
    }
}

/*
 * hashes[i] of the len bytes from text[j + i] on, by what the prefix sums before and behind them
 * differ: that difference has base^(n - len - j - i) too much, and base^(q - 1 - x) takes base^x
 * away. n < q.
 */
static inline void rk_windows(const uint16_t *sums, uint32_t n, uint32_t j, uint32_t len,
                              const uint16_t *powers, uint32_t q, uint16_t *restrict hashes,
                              uint32_t count)
{
    const uint16_t *before = sums + j, *behind = sums + j + len,
                   *power = powers + (q - 1 - (n - len - j));

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t difference =
            (uint32_t)behind[i] + (behind[i] < before[i] ? q : 0) - before[i];

        hashes[i] = (uint16_t)rk_modulo(difference * power[i], q);
    }
}

/*
 * A hash table with its control array. A pattern goes into the first free slot from its hash on;
 * control counts the patterns that came to a slot, so a search ends at a slot to which one alone
 * came (or none). RK_CONTROL_MANY stands for more, too.
 */
enum { RK_CONTROL_MANY = 2 };

static inline void rk_insert(uint8_t *control, uint16_t *table, uint32_t q, uint32_t hash,
                             uint16_t pattern)
{
    uint32_t slot = hash;

    while (control[slot] != 0) {
        control[slot] = RK_CONTROL_MANY;
        slot = slot + 1 < q ? slot + 1 : 0;
    }
    control[slot] = 1;
    table[slot] = pattern;
}

#endif
