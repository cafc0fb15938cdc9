/* SPDX-License-Identifier: Apache-2.0
 * match/simd/simd_portable.c - the filter in plain C: the whole fingerprint by shift-and, one
 * 64-bit look-up a byte.
 *
 * Byte j of the state says which buckets accept the last j + 1 bytes as the first ones of their
 * fingerprint (Baeza-Yates and Gonnet, A New Approach to Text Searching, 1992, with a byte of
 * buckets for each bit). Four blocks go side by side, since each step waits for the one before.
 */
#include "match/simd/simd_leads.h"

enum { SIMD_STREAMS = 4, SIMD_GROUP = 8 /* places that are looked at together first */ };

static inline uint64_t simd_step(const struct simd_plan *plan, uint64_t state, uint8_t byte)
{
    return (state << 8 | 0xff) & plan->columns[byte];
}

/* The places of a group, one by one, from the state before it. */
static uint64_t simd_group_places(const struct simd_plan *plan, uint64_t state, const uint8_t *at,
                                  uint8_t *buckets)
{
    uint64_t bits = 0;

    for (uint32_t k = 0; k < SIMD_GROUP; k++) {
        state = simd_step(plan, state, at[k]);
        buckets[k] = (uint8_t)(state >> 56);
        bits |= (uint64_t)(buckets[k] != 0) << k;
    }
    return bits;
}

/* `streams` blocks; inlined with a constant, so that the states stay in registers. Returns a bit
 * for each block with a place. */
static inline uint64_t simd_streams(const struct simd_plan *plan, const uint8_t *at,
                                    uint32_t streams, uint8_t *buckets, uint64_t *words)
{
    uint64_t state[SIMD_STREAMS] = { 0 }, some = 0;

    for (uint32_t s = 0; s < streams; s++)
        words[s] = 0;
    for (uint32_t i = 0; i < SIMD_DEPTH - 1; i++)
        for (uint32_t s = 0; s < streams; s++)
            state[s] = simd_step(plan, state[s], at[i + s * SIMD_BLOCK]);
    at += SIMD_DEPTH - 1;
    for (uint32_t i = 0; i < SIMD_BLOCK; i += SIMD_GROUP)
        for (uint32_t s = 0; s < streams; s++) {
            const uint64_t before = state[s];
            uint64_t any = 0;

            for (uint32_t k = i; k < i + SIMD_GROUP; k++)
                any |= state[s] = simd_step(plan, state[s], at[k + s * SIMD_BLOCK]);
            if (any >> 56 != 0) {
                words[s] |= simd_group_places(plan, before, at + i + s * SIMD_BLOCK,
                                              buckets + i + s * SIMD_BLOCK)
                            << i;
                some |= UINT64_C(1) << s;
            }
        }
    return some;
}

static uint64_t simd_look_portable(const struct simd_plan *plan, const uint8_t *at, uint32_t from,
                                   uint32_t to, struct simd_marks *marks)
{
    uint64_t some = 0;
    uint32_t i = from;

    for (; i + SIMD_STREAMS <= to; i += SIMD_STREAMS)
        some |= simd_streams(plan, at + i * SIMD_BLOCK, SIMD_STREAMS,
                             marks->buckets + i * SIMD_BLOCK, marks->words + i)
                << i;
    for (; i < to; i++)
        some |= simd_streams(plan, at + i * SIMD_BLOCK, 1, marks->buckets + i * SIMD_BLOCK,
                             marks->words + i)
                << i;
    return some;
}

#define SIMD_TARGET
#define SIMD_LOOK simd_look_portable
#define SIMD_LOWEST simd_lowest_of_some
#define SIMD_COUNTS false
#define SIMD_HOLDS simd_line_holds
#include "match/simd/simd_form.h"

static const char *simd_missing_portable(void)
{
    return NULL;
}

const struct simd_form simd_form_portable = {
    .missing = simd_missing_portable,
    .filter = simd_form_filter,
    .dense = simd_form_dense,
    .sift = simd_form_sift,
    .again = simd_form_again,
    .depth = SIMD_DEPTH,
    .sharpness = SIMD_EXACT,
};
