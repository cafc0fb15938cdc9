/* SPDX-License-Identifier: Apache-2.0
 * match/papers/pfac/pfac_hash.h - the arithmetic of the hash tables of pfac_table.h, the same where
 * they are built and where they are read.
 *
 * Chien et al., sections II and III.
 */
#ifndef BURIN_MATCH_PAPERS_PFAC_PFAC_HASH_H
#define BURIN_MATCH_PAPERS_PFAC_PFAC_HASH_H

#include <math.h>
#include <stdint.h>

#include "base/host_device.h"

enum {
    PFAC_MFPH_PRIME = 257,
    PFAC_PH_PRIME = 179424691,
};

/* Lemma 2: factor * byte mod 257, where both are below 257, by a shift and a correction. */
HOST_DEVICE uint32_t pfac_mod_257(uint32_t factor, uint32_t byte)
{
    const uint32_t x = factor * byte;
    const int32_t rest = (int32_t)x - PFAC_MFPH_PRIME * (int32_t)(x >> 8);

    return (uint32_t)(rest < 0 ? rest + PFAC_MFPH_PRIME : rest);
}

/*
 * Which of `mask` + 1 cells, a power of two up to 256: pfac_mod_257 of them. 257 is 1 modulo each
 * such number, so that the correction is an addition of the sign.
 */
HOST_DEVICE uint32_t pfac_mfph_cell(uint32_t factor, uint32_t mask, uint32_t byte)
{
    const uint32_t x = factor * byte, rest = x - PFAC_MFPH_PRIME * (x >> 8);

    return (rest + (rest >> 31)) & mask;
}

/* x mod n for whole x < 10^13 and n, by a division: the quotient of doubles rounds to no other
 * whole number. */
HOST_DEVICE double pfac_mod_divided(double x, double n)
{
    return x - floor(x / n) * n;
}

/* The same by (1 + 10^-14) / n, which is known; section 2.1 says why that is near enough. */
HOST_DEVICE double pfac_mod_reciprocal(double x, double n, double reciprocal)
{
    return x - floor(x * reciprocal) * n;
}

HOST_DEVICE double pfac_reciprocal(double n)
{
    return (1 + 1e-14) / n;
}

#endif
