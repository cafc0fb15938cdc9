/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/pnm.c - the portable bitmaps of netpbm: PBM, PGM, PPM, plain and raw, PAM, and
 * the thumbnails of xv.
 *
 *   "P1".."P6" | width | height | (not bitmaps) greatest sample | one blank | samples       numbers
 * in decimal, with comments "P7" | lines "WIDTH n", "HEIGHT n", "DEPTH n", "MAXVAL n", "TUPLTYPE
 * name", "ENDHDR" | samples "P7 332" | comments | width | height | 255 | one blank | samples of one
 * byte
 *
 * Plain samples are read to the last one and the blank behind it, up to the end of that line. Raw
 * ones have a length and nothing else: they have to look like pixels, and none may be above the
 * greatest. A second picture behind the first is a file of its own.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/raster.h"
#include "signatures/lib/step.h"
#include "signatures/picture/picture_facts.h"
#include "signatures/sig.h"

enum {
    PNM_HEAD_MAX = 4096, /* bytes of header with its comments */
    PNM_SIDE_MAX = 1 << 20,
    PNM_DEPTH_MAX = 64,
    PNM_MAXIMUM = 65535,
    PNM_LINE_MAX = 80,
    PNM_XV = 332,
    PNM_PIECE = 4096,
    PNM_NUMBER_MAX = 1 << 24, /* policy: no number of a header is larger */
};

enum { PNM_PBM, PNM_PGM, PNM_PPM, PNM_PAM, PNM_XV_TYPE };

struct pnm_state {
    struct raster raster;
    uint64_t samples; /* where they begin; 0: the header is not read yet */
    uint64_t end;     /* of raw ones */
    uint64_t at;      /* next byte of plain ones, or next piece of raw ones to be compared with the
                         greatest */
    uint64_t left;    /* plain samples still to come */
    uint32_t width, height, depth, maximum;
    uint32_t value; /* of the number being read */
    bool plain, bits, digits, comment;
};

static bool pnm_is_blank(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Reads a number, blanks and comments before it, and the one blank behind it. */
static enum step pnm_number(struct sig_input *in, uint64_t *at, uint32_t *value)
{
    bool digits = false, comment = false;

    *value = 0;
    for (; *at < PNM_HEAD_MAX; ++*at) {
        const uint8_t *c = sig_bytes(in, *at, 1);

        if (c == NULL)
            return STEP_WAIT;
        if (comment) {
            comment = *c != '\n' && *c != '\r';
        } else if (*c >= '0' && *c <= '9') {
            *value = *value * 10 + (*c - '0');
            if (*value > PNM_NUMBER_MAX)
                return STEP_BAD;
            digits = true;
        } else if (*c == '#') {
            comment = true;
        } else if (!pnm_is_blank(*c)) {
            return STEP_BAD;
        } else if (digits) {
            ++*at;
            return STEP_DONE;
        }
    }
    return STEP_BAD;
}

static enum step pnm_header(struct sig_input *in, struct pnm_state *state, uint8_t kind,
                            uint64_t *at)
{
    uint32_t *const numbers[] = { &state->width, &state->height, &state->maximum };
    const uint32_t count = state->bits ? 2 : 3;
    enum step step = STEP_DONE;

    for (uint32_t i = 0; step == STEP_DONE && i < count; i++)
        step = pnm_number(in, at, numbers[i]);
    if (state->bits)
        state->maximum = 1;
    state->depth = kind == '3' || kind == '6' ? 3 : 1;
    return step;
}

/* Reads a line of at most PNM_LINE_MAX bytes, without what ends it. A longer one is cut. */
static enum step pnm_line(struct sig_input *in, uint64_t *at, char line[PNM_LINE_MAX + 1])
{
    uint32_t len = 0;

    for (; *at < PNM_HEAD_MAX; ++*at) {
        const uint8_t *c = sig_bytes(in, *at, 1);

        if (c == NULL)
            return STEP_WAIT;
        if (*c == '\n') {
            ++*at;
            line[len] = '\0';
            return STEP_DONE;
        }
        if (*c == 0 || *c >= 0x7f)
            return STEP_BAD;
        if (len < PNM_LINE_MAX)
            line[len++] = (char)*c;
    }
    return STEP_BAD;
}

static bool pnm_word(const char *line, const char *word, uint32_t *value)
{
    const size_t len = strlen(word);
    uint32_t number = 0;

    if (strncmp(line, word, len) != 0 || !pnm_is_blank((uint8_t)line[len]))
        return false;
    for (line += len; pnm_is_blank((uint8_t)*line); line++)
        ;
    for (; *line >= '0' && *line <= '9' && number <= PNM_NUMBER_MAX; line++)
        number = number * 10 + (uint32_t)(*line - '0');
    *value = number;
    return *line == '\0' || pnm_is_blank((uint8_t)*line);
}

static enum step pnm_arbitrary(struct sig_input *in, struct pnm_state *state, uint64_t *at)
{
    char line[PNM_LINE_MAX + 1] = "";

    state->width = state->height = state->depth = state->maximum = 0;
    for (*at = 3;;) {
        const enum step step = pnm_line(in, at, line);

        if (step != STEP_DONE)
            return step;
        if (strcmp(line, "ENDHDR") == 0)
            return STEP_DONE;
        if (line[0] != '#' && line[0] != '\0' && !pnm_word(line, "WIDTH", &state->width) &&
            !pnm_word(line, "HEIGHT", &state->height) && !pnm_word(line, "DEPTH", &state->depth) &&
            !pnm_word(line, "MAXVAL", &state->maximum) && strncmp(line, "TUPLTYPE", 8) != 0)
            return STEP_BAD;
    }
}

/* Reads the header into the state, and sets the type. */
static enum step pnm_begin(struct sig_input *in, struct pnm_state *state)
{
    static const uint8_t types[] = {
        PNM_PBM, PNM_PGM, PNM_PPM, PNM_PBM, PNM_PGM, PNM_PPM, PNM_PAM
    };
    const uint8_t *head = sig_bytes(in, 0, 3);
    uint64_t at = 2;
    uint32_t number;
    enum step step;

    if (head == NULL)
        return STEP_WAIT;
    const uint8_t kind = head[1];
    if (kind < '1' || kind > '7' || (!pnm_is_blank(head[2]) && head[2] != '#'))
        return STEP_BAD;
    in->type = &in->sig->types[types[kind - '1']];
    state->plain = kind <= '3';
    state->bits = kind == '1' || kind == '4';
    if (kind == '7' && head[2] == '\n') {
        step = pnm_arbitrary(in, state, &at);
    } else {
        step = kind == '7' ? pnm_number(in, &at, &number) : STEP_DONE;
        if (kind == '7' && step == STEP_DONE && number != PNM_XV)
            return STEP_BAD;
        if (kind == '7')
            in->type = &in->sig->types[PNM_XV_TYPE];
        if (step == STEP_DONE)
            step = pnm_header(in, state, kind, &at);
    }
    if (step != STEP_DONE)
        return step;
    if (state->width == 0 || state->width > PNM_SIDE_MAX || state->height == 0 ||
        state->height > PNM_SIDE_MAX || state->depth == 0 || state->depth > PNM_DEPTH_MAX ||
        state->maximum == 0 || state->maximum > PNM_MAXIMUM)
        return STEP_BAD;
    const uint64_t pixels = (uint64_t)state->width * state->height;
    const uint64_t row =
        state->bits ? (state->width + 7) / 8
                    : (uint64_t)state->width * state->depth * (state->maximum > 255 ? 2 : 1);
    state->left = pixels * state->depth;
    state->end = at + row * state->height;
    state->at = at;
    state->samples = at;
    return STEP_DONE;
}

/* One byte of plain samples. False: it cannot stand there. */
static bool pnm_plain_byte(struct pnm_state *state, uint8_t c)
{
    if (state->comment) {
        state->comment = c != '\n' && c != '\r';
    } else if (c >= '0' && c <= '9') {
        if (state->bits) {
            state->left--;
            return c <= '1';
        }
        state->value = state->value * 10 + (uint32_t)(c - '0');
        state->digits = true;
        return state->value <= state->maximum;
    } else if (pnm_is_blank(c)) {
        state->left -= state->digits;
        state->digits = false;
        state->value = 0;
    } else if (c == '#') {
        state->comment = true;
        return !state->digits;
    } else {
        return false;
    }
    return true;
}

static struct sig_result pnm_plain(struct sig_input *in, struct pnm_state *state)
{
    while (state->left > 0) {
        uint32_t len;
        const uint8_t *bytes = sig_span(in, state->at, &len);

        if (bytes == NULL)
            return sig_short(in);
        bool right = true;
        for (uint32_t i = 0; right && i < len && state->left > 0; i++) {
            right = pnm_plain_byte(state, bytes[i]);
            state->at++;
        }
        if (state->at > state->samples + PNM_PIECE)
            sig_valid(in, state->at - 1);
        if (!right)
            return sig_breaks(in, "invalid sample");
    }
    /* Bitmaps' digits may lack the blank behind them, other samples have it already. The end of the
     * line belongs to the file. */
    uint64_t at = state->bits ? state->at : state->at - 1;
    for (;; at++) {
        const uint8_t *c = sig_bytes(in, at, 1);

        if (c == NULL && in->wanted <= in->limit)
            return sig_short(in);
        if (c == NULL && at == state->at && state->bits)
            return sig_short(in);
        if (c == NULL || !pnm_is_blank(*c))
            return sig_complete(in, at, "every sample is there");
        if (*c == '\n')
            return sig_complete(in, at + 1, "every sample is there");
    }
}

/* No sample may be above the greatest. */
static enum step pnm_range(struct sig_input *in, struct pnm_state *state, uint64_t to)
{
    const bool wide = state->maximum > 255;

    if (state->bits || state->maximum == 255 || state->maximum == PNM_MAXIMUM)
        return STEP_DONE;
    while (state->at < to) {
        const uint32_t len = to - state->at < PNM_PIECE ? (uint32_t)(to - state->at) : PNM_PIECE;
        const uint8_t *bytes = sig_bytes(in, state->at, len);
        uint32_t most = 0;

        if (bytes == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < len; i += wide ? 2 : 1) {
            const uint32_t value = wide ? bytes_u16be(bytes + i) : bytes[i];

            most = value > most ? value : most;
        }
        if (most > state->maximum)
            return STEP_BAD;
        state->at += len;
    }
    return STEP_DONE;
}

/* Whether the samples begin with a line of words: a text that happens to begin like a header. */
static bool pnm_is_text(const uint8_t *bytes, uint32_t len)
{
    uint32_t blanks = 0, letters = 0;

    for (uint32_t i = 0; i < len; i++) {
        blanks += pnm_is_blank(bytes[i]);
        letters += (bytes[i] | 0x20) >= 'a' && (bytes[i] | 0x20) <= 'z';
        if (!pnm_is_blank(bytes[i]) && (bytes[i] < ' ' || bytes[i] > '~'))
            return false;
    }
    return blanks > 0 && letters > blanks;
}

static struct sig_result pnm_raw(struct sig_input *in, struct pnm_state *state)
{
    const uint64_t size = state->end - state->samples;
    const uint32_t first = size < 256 ? (uint32_t)size : 256;
    const uint32_t step =
        (uint32_t)(state->bits ? 1 : state->depth * (state->maximum > 255 ? 2u : 1u));
    const uint8_t *bytes = sig_bytes(in, state->samples, first);
    enum step seen = STEP_DONE;

    if (bytes == NULL)
        return sig_short(in);
    if (size >= 16 && pnm_is_text(bytes, first))
        return sig_reject("the samples look like text");
    if (pnm_range(in, state, state->end) == STEP_WAIT) {
        if (in->wanted > in->limit)
            sig_valid(in, in->limit);
        return sig_short(in);
    }
    if (!state->bits && state->maximum != 255 && state->maximum != PNM_MAXIMUM &&
        state->at < state->end)
        return sig_breaks(in, "a sample is above the maximum");
    if (step <= RASTER_STEP_MAX)
        seen = raster_check(in, &state->raster, step, state->samples, state->end);
    if (step <= RASTER_STEP_MAX && raster_right(&state->raster) > state->samples + PNM_PIECE)
        sig_valid(in, raster_right(&state->raster));
    if (seen == STEP_WAIT)
        return sig_short(in);
    if (seen == STEP_BAD)
        return sig_breaks(in, "the data here do not look like pixels");
    return sig_believe(in, state->end, "width, height and depth give the length");
}

static struct sig_result pnm_check(struct sig_input *in, void *memory)
{
    struct pnm_state *state = memory;

    if (state->samples == 0) {
        const enum step step = pnm_begin(in, state);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_reject("invalid header of a portable bitmap");
    }
    return state->plain ? pnm_plain(in, state) : pnm_raw(in, state);
}

/* '0' with this mask is '0' to '?': the digits and six others */
#define PNM_HEADER(blank, next, mask) SIG_MASKED("P0" blank next, "\xff\xf8\xff" mask)

const struct sig sig_pnm = {
    .name = "pnm",
    .what = "portable bitmap, graymap, pixmap, arbitrary map (netpbm)",
    .proves = "plain: every sample reads; raw: as long as the header says, and looks like pixels",
    .source = "Netpbm: pbm(5), pgm(5), ppm(5), pam(5)",
    .types = (const struct sig_type[]){ { "pbm", "pbm" },
                                        { "pgm", "pgm" },
                                        { "ppm", "ppm" },
                                        { "pam", "pam" },
                                        { "xv", "xv" },
                                        { 0 } },
    .headers = { PNM_HEADER("\n", "0", "\xf0"), PNM_HEADER("\n", "#", "\xff"),
                 PNM_HEADER(" ", "0", "\xf0"), PNM_HEADER(" ", " ", "\xff"),
                 PNM_HEADER("\r", "\n", "\xff"), PNM_HEADER("\t", "0", "\xf0"),
                 PNM_HEADER(" ", "#", "\xff"), SIG_PATTERN("P7\nWIDTH"), SIG_PATTERN("P7\n#") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 8,
    .size_max = UINT64_C(1) << 36,
    .state_size = sizeof(struct pnm_state),
    .check = pnm_check,
    .facts = pnm_facts,
};
