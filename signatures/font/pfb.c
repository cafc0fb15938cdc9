/* SPDX-License-Identifier: Apache-2.0
 * signatures/font/pfb.c - PostScript Type 1 fonts in binary form.
 *
 *   80 01 | u32le length | text "%!PS-AdobeFont..." | 80 02 | u32le length | encrypted part | ... |
 * 80 01 | ... zeros, "cleartomark" | 80 03
 *
 * The first and the last text are read as such. Of the encrypted part the cipher is undone (its key
 * follows from the bytes before): it begins and ends with PostScript in plain letters.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/plausible.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    PFB_HEAD = 6,
    PFB_BEGIN = 14,
    PFB_TEXT = 1,
    PFB_BINARY = 2,
    PFB_END = 3,
    PFB_SEGMENTS_MAX = 4096, /* some writers cut the parts into small pieces */
    PFB_KEY = 55665,         /* Adobe Type 1 Font Format, 7.3 */
    PFB_KEY_MULTIPLY = 52845,
    PFB_KEY_ADD = 22719,
    PFB_SALT = 4,   /* encrypted bytes without meaning */
    PFB_PLAIN = 32, /* bytes behind them that are looked at */
};

struct pfb_state {
    struct plausible plausible;
    uint64_t segment; /* object offset of the segment being read */
    uint64_t at;      /* how far it is; 0: not begun */
    uint32_t count;
    uint8_t kind; /* of the segment before */
    bool binary;  /* there was an encrypted one */
};

/* Notices may have letters of any encoding; what stands behind the encrypted part is ASCII. */
static bool pfb_is_text(const uint8_t *bytes, uint32_t len, bool ascii)
{
    for (uint32_t i = 0; i < len; i++)
        if ((ascii && bytes[i] >= 0x80) || (bytes[i] < 0x20 && (bytes[i] < 9 || bytes[i] > 13)) ||
            bytes[i] == 0x7f)
            return bytes[i] == 4 && i + 1 == len; /* the end mark of old printers */
    return true;
}

static enum step pfb_text(struct sig_input *in, struct pfb_state *state, uint64_t end)
{
    while (state->at < end) {
        const uint32_t len = end - state->at < 4096 ? (uint32_t)(end - state->at) : 4096;
        const uint8_t *bytes = sig_bytes(in, state->at, len);

        if (bytes == NULL)
            return STEP_WAIT;
        if (!pfb_is_text(bytes, len, state->binary))
            return STEP_BAD;
        state->at += len;
    }
    return STEP_DONE;
}

/* The first encrypted bytes begin with a dictionary. */
static enum step pfb_encrypted(struct sig_input *in, uint64_t at)
{
    const uint8_t *bytes = sig_bytes(in, at, PFB_SALT + PFB_PLAIN);
    uint8_t plain[PFB_SALT + PFB_PLAIN];
    uint16_t key = PFB_KEY;

    if (bytes == NULL)
        return STEP_WAIT;
    for (uint32_t i = 0; i < sizeof plain; i++) {
        plain[i] = (uint8_t)(bytes[i] ^ key >> 8);
        key = (uint16_t)((bytes[i] + (uint32_t)key) * PFB_KEY_MULTIPLY + PFB_KEY_ADD);
    }
    return pfb_is_text(plain + PFB_SALT, PFB_PLAIN, true) ? STEP_DONE : STEP_BAD;
}

static enum step pfb_segment(struct sig_input *in, struct pfb_state *state, uint8_t kind,
                             uint64_t end)
{
    enum step step = STEP_DONE;

    if (kind == PFB_TEXT) {
        step = pfb_text(in, state, end);
    } else {
        const uint64_t start = state->segment + PFB_HEAD;

        if (!state->binary && end - start >= PFB_SALT + PFB_PLAIN)
            step = pfb_encrypted(in, start);
        if (step == STEP_DONE) {
            const enum step seen =
                plausible_check(in, &state->plausible, PLAUSIBLE_COMPRESSED, 1, start, end);

            step = seen == STEP_WAIT ? STEP_WAIT : seen == STEP_BAD ? STEP_BAD : STEP_DONE;
        }
    }
    if (step == STEP_DONE) {
        state->binary |= kind == PFB_BINARY;
        state->kind = kind;
        state->plausible = (struct plausible){ 0 };
    }
    return step;
}

static struct sig_result pfb_check(struct sig_input *in, void *memory)
{
    struct pfb_state *state = memory;

    for (;;) {
        const uint8_t *mark = sig_bytes(in, state->segment, 2);

        if (mark == NULL)
            return sig_short(in);
        const uint8_t kind = mark[1];
        if (mark[0] != 0x80 || kind < PFB_TEXT || kind > PFB_END ||
            ++state->count > PFB_SEGMENTS_MAX)
            return sig_breaks(in, "a valid segment must follow here, and none does");
        if (kind == PFB_END)
            break;
        const uint8_t *head = sig_bytes(in, state->segment, PFB_HEAD);
        if (head == NULL)
            return state->count--, sig_short(in);
        const uint32_t length = bytes_u32le(head + 2);
        const uint64_t start = state->segment + PFB_HEAD, end = start + length;
        if (length == 0 || (state->segment == 0 && kind != PFB_TEXT))
            return sig_breaks(in, "invalid segment");
        const uint8_t *begin = sig_bytes(in, PFB_HEAD, PFB_BEGIN);
        if (begin == NULL)
            return state->count--, sig_short(in);
        if (memcmp(begin, "%!PS-AdobeFont", PFB_BEGIN) != 0 &&
            memcmp(begin, "%!FontType1", 11) != 0)
            return sig_reject("the text does not begin as a Type 1 font");
        if (state->at < start)
            state->at = start;
        const enum step step = pfb_segment(in, state, kind, end);
        if (step == STEP_WAIT)
            return state->count--, sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "the content of a segment contradicts its mark");
        sig_valid(in, end);
        state->segment = end;
        state->at = 0;
    }
    if (!state->binary || state->kind != PFB_TEXT)
        return sig_breaks(in, "the file ends before its encrypted part or the text after it");
    return sig_complete(in, state->segment + 2, "the segments lead to the end mark");
}

const struct sig sig_pfb = {
    .name = "pfb",
    .what = "PostScript Type 1 font, binary",
    .proves = "segments to the end mark; texts are text, the cipher of the private part opens",
    .source = "Adobe, Technical Note 5040 (Supporting Downloadable PostScript Language Fonts), "
              "3.3; Adobe Type 1 Font "
              "Format, 7",
    .types = (const struct sig_type[]){ { "pfb", "pfb" }, { 0 } },
    .headers = { SIG_MASKED("\x80\1??\0\0%!", "\xff\xff\0\0\xf0\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 64,
    .size_max = UINT64_C(1) << 26,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct pfb_state),
    .check = pfb_check,
};
