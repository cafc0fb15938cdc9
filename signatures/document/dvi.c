/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/dvi.c - DVI: pages of TeX and groff.
 *
 *   247, 2, u32be unit (2), magnification, comment | pages: 139, ten u32be, u32be place of the page
 * before | commands | 140 | 248, u32be place of the last page, ..., u16be at 27: pages | fonts |
 * 249, u32be place of 248, 2 | 223, four to seven times, up to a multiple of 4
 */
#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    DVI_HEAD = 15,
    DVI_PAGE = 45,
    DVI_POST = 29,
    DVI_LAST = 6,
    DVI_FILL = 223,
};

enum {
    DVI_BOP = 139,
    DVI_EOP = 140,
    DVI_XXX = 239,
    DVI_FONT = 243,
    DVI_PRE = 247,
    DVI_POST_BEGIN = 248,
    DVI_POST_END = 249,
};

struct dvi_state {
    uint64_t at;   /* the next command; 0: not begun */
    uint64_t page; /* where the last page begins */
    uint64_t post; /* where the postamble begins; 0: not yet */
    uint32_t pages;
    bool inside; /* of a page */
};

/* Bytes of a command whose length its code tells; 0: another kind. */
static uint32_t dvi_length(uint32_t code)
{
    /* The first code of a range, and the bytes of it; -1: one more with each code of the range. */
    static const struct {
        uint8_t from;
        int8_t bytes;
    } ranges[] = {
        { 0, 1 },   { 128, -1 }, { 132, 9 }, { 133, -1 }, { 137, 9 }, { 138, 1 },  { 139, 0 },
        { 141, 1 }, { 143, -1 }, { 147, 1 }, { 148, -1 }, { 152, 1 }, { 153, -1 }, { 157, -1 },
        { 161, 1 }, { 162, -1 }, { 166, 1 }, { 167, -1 }, { 171, 1 }, { 235, -1 }, { 239, 0 },
    };
    uint32_t i = sizeof ranges / sizeof ranges[0] - 1;

    while (ranges[i].from > code)
        i--;
    return ranges[i].bytes < 0 ? code - ranges[i].from + 2 : (uint32_t)ranges[i].bytes;
}

/* A number of 1 to 4 bytes. */
static uint32_t dvi_number(const uint8_t *p, uint32_t bytes)
{
    uint32_t value = 0;

    for (uint32_t i = 0; i < bytes; i++)
        value = value << 8 | p[i];
    return value;
}

/* A command that is none of dvi_length. */
static enum step dvi_special(struct sig_input *in, struct dvi_state *state, uint32_t code)
{
    const uint32_t width = code < DVI_FONT ? code - DVI_XXX + 1 : code - DVI_FONT + 1;
    const uint8_t *p;

    if (code == DVI_BOP) {
        p = sig_bytes(in, state->at, DVI_PAGE);
        if (p == NULL)
            return STEP_WAIT;
        if (state->inside || state->post != 0 ||
            bytes_u32be(p + 41) != (state->pages == 0 ? UINT32_MAX : (uint32_t)state->page))
            return STEP_BAD;
        state->inside = true;
        state->page = state->at;
        state->pages++;
        state->at += DVI_PAGE;
        return STEP_DONE;
    }
    if (code == DVI_EOP) {
        if (!state->inside)
            return STEP_BAD;
        state->inside = false;
        state->at++;
        return STEP_DONE;
    }
    if (code < DVI_FONT) {
        p = sig_bytes(in, state->at + 1, width);
        if (p == NULL)
            return STEP_WAIT;
        state->at += 1 + width + (uint64_t)dvi_number(p, width);
        return STEP_DONE;
    }
    if (code < DVI_PRE) {
        p = sig_bytes(in, state->at + 1 + width + 12, 2);
        if (p == NULL)
            return STEP_WAIT;
        state->at += 1 + width + 14 + p[0] + p[1];
        return STEP_DONE;
    }
    if (code != DVI_POST_BEGIN || state->inside || state->post != 0)
        return STEP_BAD;
    p = sig_bytes(in, state->at, DVI_POST);
    if (p == NULL)
        return STEP_WAIT;
    if (state->pages == 0 || bytes_u32be(p + 1) != state->page ||
        bytes_u16be(p + 27) != (state->pages & UINT16_MAX))
        return STEP_BAD;
    state->post = state->at;
    state->at += DVI_POST;
    return STEP_DONE;
}

static enum step dvi_command(struct sig_input *in, struct dvi_state *state)
{
    const uint8_t *p = sig_bytes(in, state->at, 1);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t code = *p, len = dvi_length(code);
    if (len == 0)
        return dvi_special(in, state, code);
    /* Between pages, and in the postamble, nothing is set or moved. */
    if (!state->inside && code != 138)
        return STEP_BAD;
    state->at += len;
    return STEP_DONE;
}

/* The end, at state->at. */
static struct sig_result dvi_end(struct sig_input *in, const struct dvi_state *state)
{
    const uint64_t end = (state->at + DVI_LAST + 4 + 3) / 4 * 4;
    const uint32_t len = (uint32_t)(end - state->at);
    const uint8_t *p = sig_bytes(in, state->at, len);

    if (p == NULL)
        return sig_short(in);
    if (bytes_u32be(p + 1) != state->post || p[5] != 2)
        return sig_breaks(in, "the end does not tell the place of the postamble");
    for (uint32_t i = DVI_LAST; i < len; i++)
        if (p[i] != DVI_FILL)
            return sig_breaks(in, "the end is not filled up");
    return sig_complete(in, end, "pages lead to the postamble, which counts them");
}

static struct sig_result dvi_check(struct sig_input *in, void *memory)
{
    struct dvi_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, DVI_HEAD);

    if (p == NULL)
        return sig_short(in);
    if (state->at == 0)
        state->at = DVI_HEAD + p[DVI_HEAD - 1];
    for (;;) {
        p = sig_bytes(in, state->at, 1);
        if (p == NULL)
            return sig_short(in);
        if (*p == DVI_POST_END && state->post != 0)
            return dvi_end(in, state);
        const enum step step = dvi_command(in, state);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "invalid command");
        if (state->pages > 0)
            sig_valid(in, state->at < in->limit ? state->at : in->limit);
    }
}

const struct sig sig_dvi = {
    .name = "dvi",
    .what = "DVI, pages of TeX",
    .proves = "commands lead from page to page, pages tell the one before; the end counts them",
    .source = "D. E. Knuth, DVItype 3.6: 13 to 19",
    .types = (const struct sig_type[]){ { "dvi", "dvi" }, { 0 } },
    .headers = { SIG_PATTERN("\xf7\2\1\x83\x92\xc0\x1c\x3b\0\0"),
                 SIG_PATTERN("\xf7\2\0\3\xe0\x30\0\0\xe1\xd8") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = DVI_HEAD + DVI_PAGE + DVI_POST + DVI_LAST + 4,
    .size_max = UINT64_C(1) << 31,
    .state_size = sizeof(struct dvi_state),
    .check = dvi_check,
};
