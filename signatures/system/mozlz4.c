/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/mozlz4.c - sessions, bookmarks and searches of Firefox: one LZ4 block behind a
 * header.
 *
 *   "mozLz40\0" | u32le length when uncompressed | sequences: token, literals, u16le distance back,
 * further length
 *
 * The block is walked, not copied: it ends with literals that fill the length, and no distance may
 * reach before its start.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    MOZLZ4_HEAD = 12,
    MOZLZ4_MATCH_MIN = 4,
    MOZLZ4_OUT_MAX = 1 << 28,
};

struct mozlz4_state {
    uint64_t at, out; /* next sequence; bytes that came out */
};

/* Adds the bytes that extend a length of 15. */
static enum step mozlz4_length(struct sig_input *in, uint64_t *at, uint64_t *len)
{
    for (;;) {
        const uint8_t *p = sig_bytes(in, *at, 1);

        if (p == NULL)
            return STEP_WAIT;
        ++*at;
        *len += p[0];
        if (p[0] != 255)
            return STEP_DONE;
        if (*len > MOZLZ4_OUT_MAX)
            return STEP_BAD;
    }
}

/* One sequence; the last one has no match, and *end is set. */
static enum step mozlz4_sequence(struct sig_input *in, struct mozlz4_state *state, uint64_t length,
                                 bool *end)
{
    uint64_t at = state->at;
    enum step step = STEP_DONE;
    const uint8_t *p = sig_bytes(in, at, 1);

    if (p == NULL)
        return STEP_WAIT;
    uint64_t literals = p[0] >> 4, match = p[0] & 15;
    at++;
    if (literals == 15)
        step = mozlz4_length(in, &at, &literals);
    if (step != STEP_DONE)
        return step;
    at += literals;
    uint64_t out = state->out + literals;
    if (out > length)
        return STEP_BAD;
    *end = out == length;
    if (*end) {
        if (match != 0 || (literals > 0 && sig_bytes(in, at - 1, 1) == NULL))
            return match != 0 ? STEP_BAD : STEP_WAIT;
    } else {
        p = sig_bytes(in, at, 2);
        if (p == NULL)
            return STEP_WAIT;
        const uint32_t back = bytes_u16le(p);
        if (back == 0 || back > out)
            return STEP_BAD;
        at += 2;
        if (match == 15)
            step = mozlz4_length(in, &at, &match);
        if (step != STEP_DONE)
            return step;
        out += match + MOZLZ4_MATCH_MIN;
        if (out > length)
            return STEP_BAD;
    }
    state->at = at;
    state->out = out;
    return STEP_DONE;
}

static struct sig_result mozlz4_check(struct sig_input *in, void *memory)
{
    struct mozlz4_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, MOZLZ4_HEAD);
    bool end = false;

    if (p == NULL)
        return sig_short(in);
    const uint32_t length = bytes_u32le(p + 8);
    if (length == 0 || length > MOZLZ4_OUT_MAX)
        return sig_reject("invalid length");
    if (state->at == 0)
        state->at = MOZLZ4_HEAD;
    while (!end) {
        const enum step step = mozlz4_sequence(in, state, length, &end);

        if (step == STEP_WAIT && in->wanted > in->limit && state->at > 64)
            sig_valid(in, in->limit);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "invalid sequence");
        if (state->at > 64)
            sig_valid(in, state->at);
    }
    return sig_complete(in, state->at, "the sequences give the length in the header");
}

const struct sig sig_mozlz4 = {
    .name = "jsonlz4",
    .what = "compressed JSON of Firefox (mozLz4)",
    .proves = "sequences make exactly the length that the header says",
    .source = "Mozilla, toolkit/components/lz4/lz4.js; LZ4 Block Format Description",
    .types = (const struct sig_type[]){ { "jsonlz4", "jsonlz4" }, { 0 } },
    .headers = { SIG_PATTERN("mozLz40\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = MOZLZ4_HEAD + 2,
    .size_max = UINT64_C(1) << 28,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct mozlz4_state),
    .check = mozlz4_check,
};
