/* SPDX-License-Identifier: Apache-2.0
 * match/words/words_sieve.c - see words_sieve.h and struct words_sieve.
 *
 * The hash is linear over GF(2), so that vectors of bytes can be hashed by an affine map for each
 * place of a fingerprint. Its bits are drawn by lot, once and for all; those that tell the cases of
 * a letter apart stay out of it where letters are folded.
 */
#include <stdlib.h>

#include "match/words/words_sieve.h"

enum {
    SIEVE_MANY = 600,  /* fingerprints, from which on it takes the larger number of tables */
    SIEVE_HASHES = 24, /* tried, at most */
};

/* splitmix64 (Vigna) */
static uint64_t sieve_draw(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Rows of bits into the matrix that GF2P8AFFINEQB multiplies by: row i, of the input's bits, gives
 * bit i. */
static uint64_t sieve_matrix(const uint8_t rows[8])
{
    uint64_t matrix = 0;

    for (uint32_t i = 0; i < 8; i++)
        matrix |= (uint64_t)rows[i] << 8 * (7 - i);
    return matrix;
}

uint8_t words_multiply(uint64_t matrix, uint8_t byte)
{
    uint32_t out = 0;

    for (uint32_t i = 0; i < 8; i++)
        out |= (uint32_t)__builtin_parity((uint32_t)(matrix >> 8 * (7 - i)) & byte) << i;
    return (uint8_t)out;
}

/* Two different bits for each of 32 numbers, as evenly as can be. */
static void sieve_needs(uint8_t needs[64])
{
    for (uint32_t i = 0; i < 64; i++) {
        const uint32_t first = i % 8, apart = 1 + i / 8 % 4;

        needs[i] = (uint8_t)(1u << first | 1u << (first + apart) % 8);
    }
}

/* The matrices of one of many hashes. */
static void sieve_hashes(struct words_sieve *sieve, uint8_t bits, uint64_t number)
{
    uint64_t state = number << 32;

    for (uint32_t j = 0; j < WORDS_DEPTH; j++) {
        uint8_t rows[2][8];

        for (uint32_t k = 0; k < 16; k++)
            rows[k / 8][k % 8] = (uint8_t)(sieve_draw(&state) >> 56) & bits;
        sieve->low[j] = sieve_matrix(rows[0]);
        sieve->high[j] = sieve_matrix(rows[1]);
    }
}

/* Where a fingerprint has its two bits, and which. */
static uint8_t *sieve_place(struct words_sieve *sieve, const uint8_t fingerprint[WORDS_DEPTH],
                            uint8_t *need)
{
    uint8_t low = 0, high = 0;
    uint32_t table;

    for (uint32_t j = 0; j < sieve->depth; j++) {
        low ^= words_multiply(sieve->low[j], fingerprint[j]);
        high ^= words_multiply(sieve->high[j], fingerprint[j]);
    }
    table = (uint32_t)(low >> 7 | (high >> 7) << 1 | (high >> 6 & 1) << 2 | (high >> 5 & 1) << 3);
    *need = sieve->needs[high & 63];
    return &sieve->tables[table & ((1u << sieve->table_bits) - 1)][low & 127];
}

/* Whether fingerprints of one byte over and over are let through, of the bytes that disks are
 * filled with. */
static bool sieve_lets_runs(struct words_sieve *sieve)
{
    static const uint8_t fills[] = { 0, 0xff, ' ' };
    bool lets = false;

    for (uint32_t i = 0; i < sizeof fills; i++) {
        uint8_t fingerprint[WORDS_DEPTH], need;

        memset(fingerprint, fills[i], sizeof fingerprint);
        const uint8_t byte = *sieve_place(sieve, fingerprint, &need);
        lets = lets || (byte & need) == need;
    }
    return lets;
}

bool words_sieve_fill(struct words_group *group, const uint64_t *starts, uint32_t count)
{
    const size_t size = (sizeof *group->sieve + 63) / 64 * 64;
    struct words_sieve *sieve = aligned_alloc(64, size);

    group->sieve = sieve;
    if (sieve == NULL)
        return false;
    sieve->depth = group->depth < WORDS_DEPTH ? WORDS_SIEVE_DEPTH : WORDS_DEPTH;
    sieve->table_bits = count > SIEVE_MANY ? WORDS_TABLE_BITS : WORDS_TABLE_BITS - 1;
    sieve_needs(sieve->needs);
    for (uint32_t number = 0; number < SIEVE_HASHES; number++) {
        memset(sieve->tables, 0, sizeof sieve->tables);
        sieve_hashes(sieve, group->fold != 0 ? 0xdf : 0xff, number);
        for (uint32_t i = 0; i < count; i++) {
            uint8_t fingerprint[WORDS_DEPTH], need;

            for (uint32_t j = 0; j < sieve->depth; j++)
                fingerprint[j] = (uint8_t)(starts[i] >> 8 * (group->depth - 1 - j));
            uint8_t *const at = sieve_place(sieve, fingerprint, &need);
            *at |= need;
        }
        if (!sieve_lets_runs(sieve))
            break;
    }
    return true;
}
