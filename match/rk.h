/*
 * match/rk.h - the arithmetic and the tables of Rabin-Karp with prefix sums, for the engine and its tests.
 *
 * Everything is modulo q; base and q are primes, and base^(q-1) = 1 (Fermat), so that a table of q powers has all of them, those
 * with a negative exponent too.
 */
#ifndef BURIN_MATCH_RK_H
#define BURIN_MATCH_RK_H

#include "match/literals.h"

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

/* sums[i] = base^(n-1) text[0] + ... + base^(n-i) text[i-1], 0 <= i <= n: sums[0] is that of nothing. */
static inline void rk_prefix_sums(const uint8_t *text, uint32_t n, const uint16_t *powers, uint32_t q, uint16_t *sums)
{
    uint32_t sum = 0;

    sums[0] = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum = (sum + (uint32_t)powers[n - 1 - i] * text[i]) % q;
        sums[i + 1] = (uint16_t)sum;
    }
}

/*
 * The hash of the len bytes from text[j] on, by what the prefix sums before and behind them differ: that difference has base^(n -
 * len - j) too much, and base^(q - 1 - x) takes base^x away. n < q.
 */
static inline uint32_t rk_window(const uint16_t *sums, uint32_t n, uint32_t j, uint32_t len, const uint16_t *powers,
                                 uint32_t q)
{
    const uint32_t difference = (uint32_t)sums[j + len] + (sums[j + len] < sums[j] ? q : 0) - sums[j];

    return difference * powers[q - 1 - (n - len - j)] % q;
}

/*
 * A hash table with its control array. A pattern goes into the first free slot from its hash on; control counts the patterns that
 * came to a slot, so a search ends at a slot to which one alone came (or none). RK_CONTROL_MANY stands for more, too.
 */
enum { RK_CONTROL_MANY = 2 };

static inline void rk_insert(uint8_t *control, uint16_t *table, uint32_t q, uint32_t hash, uint16_t pattern)
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
