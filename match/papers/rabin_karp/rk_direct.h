/* SPDX-License-Identifier: Apache-2.0
 * match/papers/rabin_karp/rk_direct.h - the two functions of rk_direct.c for one thread, the same
 * on host and device. */
#ifndef BURIN_MATCH_PAPERS_RABIN_KARP_RK_DIRECT_H
#define BURIN_MATCH_PAPERS_RABIN_KARP_RK_DIRECT_H

#include "match/papers/rabin_karp/rk_pass.h"

/* FindMatches of algorithm 4: the windows that begin at places [start, past), each hash compared
 * with every pattern's. */
HOST_DEVICE void rk_direct_find(const struct rk_pass *p, uint32_t n, uint32_t start, uint32_t past,
                                struct collect *collect)
{
    const uint32_t drop = RK_PRIME_Q - rk_pass_power(p, p->len);
    uint32_t hash = 0;

    if (past + p->len > n + 1)
        past = n + 1 > p->len ? n + 1 - p->len : 0;
    if (start >= past)
        return;
    for (uint32_t i = start; i < start + p->len; i++)
        hash = rk_prime_modulo(hash * p->base + rk_pass_byte(p, i));
    for (uint32_t j = start; j < past; j++) {
        for (uint32_t i = 0; i < p->count; i++)
            if (p->hashes[i] == hash)
                rk_pass_try(p, i, j, collect);
        if (j + 1 < past)
            hash = rk_prime_modulo(hash * p->base + rk_pass_byte(p, j + p->len) +
                                   drop * rk_pass_byte(p, j));
    }
}

#endif
