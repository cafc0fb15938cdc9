/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/jbig2.c - JBIG2: pictures in two colours.
 *
 *   97 "JB2" 0d 0a 1a 0a | flags: 1, one after another; 2, the number of pages is unknown | u32be
 * pages | segments: u32be number | kind | how many others it needs, 3 bits, or 29 and bits | these
 * | page | u32be length | data; or first all heads, then all data. Kind 51 ends the file.
 */
#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    JBIG2_MAGIC = 8,
    JBIG2_FIXED = 5, /* number and kind of a segment */
    JBIG2_PAGE = 48,
    JBIG2_END = 51,
    JBIG2_KINDS = 62,
    JBIG2_NEEDS_MAX = 1 << 16,
};
#define JBIG2_SIZE_MAX (UINT64_C(1) << 40)

struct jbig2_state {
    uint64_t at;   /* the next head; 0: not begun */
    uint64_t data; /* bytes of data that follow the heads */
    uint64_t number;
    uint32_t segments, pages;
    bool ended;
};

/* The head of the segment at state->at. */
static enum step jbig2_head(struct sig_input *in, struct jbig2_state *state, bool sequential)
{
    const uint8_t *p = sig_bytes(in, state->at, JBIG2_FIXED + 4);
    uint64_t at = state->at + JBIG2_FIXED;

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t number = bytes_u32be(p), kind = p[4] & 63u, page = (p[4] & 0x40) != 0 ? 4 : 1;
    uint32_t needs = p[5] >> 5;
    if (needs == 7) {
        needs = bytes_u32be(p + 5) & 0x1fffffff;
        at += 4 + (needs + 8) / 8;
    } else {
        at++;
    }
    if (needs > JBIG2_NEEDS_MAX || (needs > 4 && p[5] >> 5 != 7) || kind > JBIG2_KINDS ||
        (state->segments > 0 && number <= state->number) || p[5] >> 5 == 5 || p[5] >> 5 == 6)
        return STEP_BAD;
    at += (uint64_t)needs * (number <= 256 ? 1 : number <= 65536 ? 2 : 4) + page;
    p = sig_bytes(in, at, 4);
    if (p == NULL)
        return STEP_WAIT;
    const uint64_t len = bytes_u32be(p);
    if (len == UINT32_MAX || (kind == JBIG2_END && len != 0))
        return STEP_BAD;
    state->at = at + 4 + (sequential ? len : 0);
    state->data += sequential ? 0 : len;
    state->number = number;
    state->segments++;
    state->pages += kind == JBIG2_PAGE;
    state->ended = kind == JBIG2_END;
    return STEP_DONE;
}

static struct sig_result jbig2_check(struct sig_input *in, void *memory)
{
    struct jbig2_state *state = memory;
    const uint8_t *p = sig_bytes(in, JBIG2_MAGIC, 5);

    if (p == NULL)
        return sig_short(in);
    const uint32_t pages = bytes_u32be(p + 1);
    const bool sequential = (p[0] & 1) != 0, unknown = (p[0] & 2) != 0;
    if (p[0] > 15 || (!unknown && pages == 0))
        return sig_reject("invalid flags or number of pages");
    if (state->at == 0)
        state->at = JBIG2_MAGIC + (unknown ? 1 : 5);
    while (!state->ended) {
        const enum step step = jbig2_head(in, state, sequential);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD || state->data > JBIG2_SIZE_MAX)
            return sig_breaks(in, "invalid segment, or one whose length is not known");
        sig_valid(in, state->at < in->limit ? state->at : in->limit);
    }
    if (state->pages == 0)
        return sig_reject("there is no page");
    if (!unknown && state->pages != pages)
        return sig_breaks(in, "there are not as many pages as the head says");
    return sig_complete(in, state->at + state->data, "segments lead to the last one");
}

const struct sig sig_jbig2 = {
    .name = "jbig2",
    .what = "JBIG2, picture in two colours",
    .proves = "as many pages as the head says; segments lead to the last one, they are not decoded",
    .source = "ITU-T T.88 (2018), 7.2 and annex D.4",
    .types = (const struct sig_type[]){ { "jbig2", "jb2" }, { 0 } },
    .headers = { SIG_PATTERN("\x97JB2\r\n\x1a\n") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = JBIG2_MAGIC + 30,
    .size_max = JBIG2_SIZE_MAX,
    .state_size = sizeof(struct jbig2_state),
    .check = jbig2_check,
};
