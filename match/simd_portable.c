/*
 * match/simd_portable.c - the filter in plain C: the whole window by shift-and, one 64-bit look-up a byte.
 *
 * Byte j of the state says which buckets accept the last j + 1 bytes as the first ones of their window (Baeza-Yates and Gonnet,
 * A New Approach to Text Searching, 1992, with a byte of buckets for each bit). Four blocks go side by side, since each step
 * waits for the one before.
 */
#include "match/simd.h"

enum {
    SIMD_STREAMS = 4,
    SIMD_GROUP = 8, /* places that are told apart no further: the next pass does */
};

static inline uint64_t simd_step(const struct simd_program *program, uint64_t state, uint8_t byte)
{
    return (state << 8 | 0xff) & program->columns[byte];
}

static inline uint64_t simd_bits(uint64_t any, uint32_t group)
{
    return (uint64_t)(any >> 56 != 0) * 0xff << SIMD_GROUP * group;
}

static void simd_streams(const struct simd_program *program, const uint8_t *at, uint64_t *words)
{
    const uint8_t *b = at + SIMD_BLOCK, *c = at + 2 * SIMD_BLOCK, *d = at + 3 * SIMD_BLOCK;
    uint64_t s = 0, t = 0, u = 0, v = 0;

    words[0] = words[1] = words[2] = words[3] = 0;
    for (uint32_t i = 0; i < SIMD_DEPTH - 1; i++) {
        s = simd_step(program, s, *at++);
        t = simd_step(program, t, *b++);
        u = simd_step(program, u, *c++);
        v = simd_step(program, v, *d++);
    }
    for (uint32_t group = 0; group < SIMD_BLOCK / SIMD_GROUP; group++) {
        uint64_t in_s = 0, in_t = 0, in_u = 0, in_v = 0;

        for (uint32_t i = 0; i < SIMD_GROUP; i++) {
            in_s |= s = simd_step(program, s, *at++);
            in_t |= t = simd_step(program, t, *b++);
            in_u |= u = simd_step(program, u, *c++);
            in_v |= v = simd_step(program, v, *d++);
        }
        words[0] |= simd_bits(in_s, group);
        words[1] |= simd_bits(in_t, group);
        words[2] |= simd_bits(in_u, group);
        words[3] |= simd_bits(in_v, group);
    }
}

static uint64_t simd_stream(const struct simd_program *program, const uint8_t *at)
{
    uint64_t state = 0, word = 0;

    for (uint32_t i = 0; i < SIMD_DEPTH - 1; i++)
        state = simd_step(program, state, *at++);
    for (uint32_t group = 0; group < SIMD_BLOCK / SIMD_GROUP; group++) {
        uint64_t in = 0;

        for (uint32_t i = 0; i < SIMD_GROUP; i++)
            in |= state = simd_step(program, state, *at++);
        word |= simd_bits(in, group);
    }
    return word;
}

void simd_filter_portable(const struct simd_program *program, const uint8_t *at, uint32_t blocks, uint64_t *words)
{
    uint32_t i = 0;

    for (; i + SIMD_STREAMS <= blocks; i += SIMD_STREAMS)
        simd_streams(program, at + i * SIMD_BLOCK, words + i);
    for (; i < blocks; i++)
        words[i] = simd_stream(program, at + i * SIMD_BLOCK);
}
