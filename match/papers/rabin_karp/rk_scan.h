/* SPDX-License-Identifier: Apache-2.0
 * match/papers/rabin_karp/rk_scan.h - the steps of rk_scan.c for one pattern, byte or place, the
 * same on host and device. */
#ifndef BURIN_MATCH_PAPERS_RABIN_KARP_RK_SCAN_H
#define BURIN_MATCH_PAPERS_RABIN_KARP_RK_SCAN_H

#include "match/papers/rabin_karp/rk_pass.h"

/* Step 2: into the first free slot from its hash on; control counts the patterns that came to a
 * slot. */
HOST_DEVICE void rk_scan_insert(const struct rk_pass *p, uint32_t i)
{
    const uint32_t hash = rk_pass_pattern(p, i);
    uint32_t slot = hash;

    p->hashes[i] = hash;
#ifdef __CUDA_ARCH__
    while (atomicAdd(&p->control[slot], 1) != 0)
#else
    while (p->control[slot]++ != 0)
#endif
        slot = slot + 1 < RK_PRIME_Q ? slot + 1 : 0;
    p->table[slot] = i;
}

/* Step 3. */
HOST_DEVICE void rk_scan_term(const struct rk_pass *p, uint32_t n, uint32_t i)
{
    p->sums[i] = rk_prime_modulo(rk_pass_power(p, n - 1 - i) * rk_pass_byte(p, i));
}

/* Step 5: the hash of the window at place j from what the sums before and behind it differ, formula
 * (4); its patterns are compared. */
HOST_DEVICE void rk_scan_window(const struct rk_pass *p, uint32_t n, uint32_t j,
                                struct collect *collect)
{
    const uint32_t before = j == 0 ? 0 : p->sums[j - 1], behind = p->sums[j + p->len - 1];
    const uint32_t difference = behind < before ? behind + RK_PRIME_Q - before : behind - before;
    const uint32_t hash = rk_prime_modulo(difference * rk_pass_inverse(p, n - p->len - j));

    for (uint32_t slot = hash, came; (came = p->control[slot]) != 0;
         slot = slot + 1 < RK_PRIME_Q ? slot + 1 : 0) {
        const uint32_t i = p->table[slot];

        if (p->hashes[i] == hash)
            rk_pass_try(p, i, j, collect);
        if (came == 1)
            break;
    }
}

#endif
