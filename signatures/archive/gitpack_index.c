/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/gitpack_index.c - indexes of packs of Git.
 *
 *   ff "tOc" | u32be version 2 | 256 u32be: how many names begin with at most this byte | names of
 * 20 bytes, in order | u32be CRC-32 of each object | u32be place of each in the pack, or with the
 * highest bit the number of a long one | u64be long places | SHA-1 of the pack | SHA-1 of the index
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    GITPACK_INDEX_COUNTS = 8,
    GITPACK_INDEX_BYTES = 256, /* a name begins with one of them */
    GITPACK_INDEX_NAMES = GITPACK_INDEX_COUNTS + 4 * GITPACK_INDEX_BYTES,
    GITPACK_INDEX_NAME = 20,
    GITPACK_INDEX_OBJECTS_MAX = 1 << 28,
};
#define GITPACK_INDEX_LONG UINT32_C(0x80000000)

struct gitpack_index_state {
    uint32_t names, places; /* read */
    uint32_t long_places;
    uint32_t counts[GITPACK_INDEX_BYTES];
    uint8_t last[GITPACK_INDEX_NAME];
};

/* The counts never fall. */
static enum step gitpack_index_counts(struct sig_input *in, uint32_t *counts)
{
    const uint8_t *p = sig_bytes(in, GITPACK_INDEX_COUNTS, 4 * GITPACK_INDEX_BYTES);

    if (p == NULL)
        return STEP_WAIT;
    for (uint32_t i = 0; i < GITPACK_INDEX_BYTES; i++) {
        counts[i] = bytes_u32be(p + 4 * i);
        if (i > 0 && counts[i] < counts[i - 1])
            return STEP_BAD;
    }
    const uint32_t objects = counts[GITPACK_INDEX_BYTES - 1];
    return objects > 0 && objects <= GITPACK_INDEX_OBJECTS_MAX ? STEP_DONE : STEP_BAD;
}

/* The names rise, and begin with the bytes that the counts say. */
static enum step gitpack_index_names(struct sig_input *in, struct gitpack_index_state *state)
{
    for (; state->names < state->counts[GITPACK_INDEX_BYTES - 1]; state->names++) {
        const uint64_t at = GITPACK_INDEX_NAMES + (uint64_t)state->names * GITPACK_INDEX_NAME;
        const uint8_t *p = sig_bytes(in, at, GITPACK_INDEX_NAME);

        if (p == NULL)
            return STEP_WAIT;
        if (state->names >= state->counts[p[0]] ||
            (p[0] > 0 && state->names < state->counts[p[0] - 1]) ||
            (state->names > 0 && memcmp(state->last, p, GITPACK_INDEX_NAME) >= 0))
            return STEP_BAD;
        memcpy(state->last, p, GITPACK_INDEX_NAME);
    }
    return STEP_DONE;
}

/* Long places are counted: each has its own number. */
static enum step gitpack_index_places(struct sig_input *in, struct gitpack_index_state *state)
{
    const uint32_t objects = state->counts[GITPACK_INDEX_BYTES - 1];
    const uint64_t from = GITPACK_INDEX_NAMES + (uint64_t)objects * (GITPACK_INDEX_NAME + 4);

    for (; state->places < objects; state->places++) {
        const uint8_t *p = sig_bytes(in, from + (uint64_t)state->places * 4, 4);

        if (p == NULL)
            return STEP_WAIT;
        const uint32_t place = bytes_u32be(p);
        if ((place & GITPACK_INDEX_LONG) != 0 ? (place & ~GITPACK_INDEX_LONG) >= objects
                                              : place < 12)
            return STEP_BAD;
        state->long_places += place >> 31;
    }
    return STEP_DONE;
}

static struct sig_result gitpack_index_check(struct sig_input *in, void *memory)
{
    struct gitpack_index_state *state = memory;
    enum step step = state->names > 0 ? STEP_DONE : gitpack_index_counts(in, state->counts);

    if (step == STEP_DONE)
        step = gitpack_index_names(in, state);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD && state->names < 2)
        return sig_reject("the counts fall, or the names differ from them");
    sig_valid(in, GITPACK_INDEX_NAMES + (uint64_t)state->names * GITPACK_INDEX_NAME);
    if (step == STEP_BAD)
        return sig_breaks(in, "the names differ from the counts, or are not in order");
    step = gitpack_index_places(in, state);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, "an object lies outside of the pack");
    const uint32_t objects = state->counts[GITPACK_INDEX_BYTES - 1];
    return sig_complete(in,
                        GITPACK_INDEX_NAMES + (uint64_t)objects * (GITPACK_INDEX_NAME + 8) +
                            (uint64_t)state->long_places * 8 + 2 * GITPACK_INDEX_NAME,
                        "the names are in order, as many as the counts say");
}

const struct sig sig_gitpack_index = {
    .name = "gitpack_index",
    .what = "index of a pack of Git",
    .proves = "names are in order and agree with the counts of first bytes; places lie in a pack",
    .source = "Git documentation: gitformat-pack, version 2 pack-*.idx files",
    .types = (const struct sig_type[]){ { "pack-idx", "idx" }, { 0 } },
    .headers = { SIG_PATTERN("\xfftOc\0\0\0\2") },
    .size_min = GITPACK_INDEX_NAMES + 3 * GITPACK_INDEX_NAME + 8,
    .size_max = UINT64_C(1) << 34,
    .state_size = sizeof(struct gitpack_index_state),
    .check = gitpack_index_check,
};
