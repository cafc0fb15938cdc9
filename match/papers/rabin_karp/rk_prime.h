/* SPDX-License-Identifier: Apache-2.0
 * match/papers/rabin_karp/rk_prime.h - remainders by the prime of ../rk.h, for kernels too. */
#ifndef BURIN_MATCH_PAPERS_RABIN_KARP_RK_PRIME_H
#define BURIN_MATCH_PAPERS_RABIN_KARP_RK_PRIME_H

#include "match/kernel/view.h"

enum { RK_PRIME_Q = 65521 }; /* 2^16 - 15 */

/* A remainder, not the least: below 2^17 for all x below 2^28, below 2^20 for all. */
HOST_DEVICE uint32_t rk_prime_reduce(uint32_t x)
{
    return (x >> 16) * 15 + (x & 0xffff);
}

/* The least remainder of any number of 32 bits. */
HOST_DEVICE uint32_t rk_prime_modulo(uint32_t x)
{
    x = rk_prime_reduce(rk_prime_reduce(x));
    return x < RK_PRIME_Q ? x : x - RK_PRIME_Q;
}

/* The least remainder of a sum of two least remainders. */
HOST_DEVICE uint32_t rk_prime_add(uint32_t a, uint32_t b)
{
    const uint32_t sum = a + b;

    return sum < RK_PRIME_Q ? sum : sum - RK_PRIME_Q;
}

#endif
