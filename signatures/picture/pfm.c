/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/pfm.c - PFM: pictures of floating-point numbers.
 *
 *   "PF", in colours, or "Pf" LF | width, height LF | scale, less than 0: little-endian LF | f32, 3
 * or 1 a pixel
 */
#include "base/bytes.h"
#include "signatures/lib/chars.h"
#include "signatures/lib/words.h"
#include "signatures/sig.h"

enum { PFM_SIDE_MAX = 1 << 17, PFM_LINES = 3, PFM_STEP = 4096, PFM_EXPONENT = 0xff };

struct pfm_state {
    struct chars text;
    uint32_t lines;
    uint64_t pixels, at; /* at: the next number */
    bool little;
};

/* A line of the head. False: it does not belong there. */
static bool pfm_line(struct pfm_state *state, const struct chars_line *line)
{
    struct word words[3];
    const uint32_t count = words_split(line, words, 3);
    uint64_t width, height;

    if (state->lines == 0)
        return true;
    if (state->lines == 2) {
        state->little = line->chars[0] == '-';
        return count == 1 && words[0].len < 32 && (state->little || chars_is_digit(line->chars[0]));
    }
    if (count != 2 || !word_number(&words[0], PFM_SIDE_MAX, &width) ||
        !word_number(&words[1], PFM_SIDE_MAX, &height))
        return false;
    state->pixels = width * height;
    return state->pixels > 0;
}

static struct sig_result pfm_check(struct sig_input *in, void *memory)
{
    struct pfm_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, 2);

    if (p == NULL)
        return sig_short(in);
    const bool colours = p[1] == 'F';
    if (chars_open(in, &state->text) == CHARS_WAIT)
        return sig_short(in);
    while (state->lines < PFM_LINES) {
        struct chars_line line;

        if (chars_next_line(in, &state->text, &line) == CHARS_WAIT)
            return sig_short(in);
        if (line.all != line.len + 1 || line.len == 0 || !pfm_line(state, &line))
            return sig_reject("a line does not belong to the head");
        state->lines++;
        chars_skip(&state->text, line.all);
        state->at = state->text.at;
    }
    const uint64_t end = state->text.at + state->pixels * (colours ? 12 : 4);
    while (state->at < end) {
        const uint32_t len = end - state->at < PFM_STEP ? (uint32_t)(end - state->at) : PFM_STEP;

        p = sig_bytes(in, state->at, len);
        if (p == NULL)
            return sig_short(in);
        for (uint32_t i = 0; i < len; i += 4)
            if (((state->little ? bytes_u32le(p + i) : bytes_u32be(p + i)) >> 23 & 0xff) ==
                PFM_EXPONENT)
                return sig_breaks(in, "a pixel is no number");
        state->at += len;
        sig_valid(in, state->at);
    }
    return sig_believe(in, end, "numbers fill the picture");
}

const struct sig sig_pfm = {
    .name = "pfm",
    .what = "PFM, picture of floating-point numbers",
    .proves = "as many pixels as the head says, and all are numbers",
    .source = "P. Debevec, PFM Portable FloatMap Image Format",
    .types = (const struct sig_type[]){ { "pfm", "pfm" }, { 0 } },
    .headers = { SIG_PATTERN("PF\n"), SIG_PATTERN("Pf\n") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 14,
    .size_max = UINT64_C(1) << 38,
    .state_size = sizeof(struct pfm_state),
    .check = pfm_check,
};
