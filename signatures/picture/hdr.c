/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/hdr.c - Radiance pictures (RGBE).
 *
 *   "#?RADIANCE" or "#?RGBE", lines of text, an empty line | "-Y height +X width" | rows
 *   row: 02 02 u16be width, then each of four planes in codes: 128 + count, byte, or count, bytes;
 * or pixels of four bytes
 *
 * Every row is followed; codes have to fill it exactly. Rows of the old kind of run-length code are
 * not read.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/raster.h"
#include "signatures/lib/step.h"
#include "signatures/picture/picture_facts.h"
#include "signatures/sig.h"

enum {
    HDR_TEXT_MAX = 1 << 16, /* bytes of header; policy */
    HDR_LINE_MAX = 4096,
    HDR_LINE_KEPT = 64, /* bytes of a line that matter, and a NUL */
    HDR_SIDE_MAX = 1 << 20,
    HDR_CODED_MIN = 8, /* narrower and wider pictures are not coded */
    HDR_CODED_MAX = 32767,
    HDR_PLANES = 4,
};

struct hdr_state {
    struct raster raster;
    uint64_t at;     /* object offset of what is read next */
    uint64_t pixels; /* where the rows begin; 0: the header is not read yet */
    uint32_t width, height, row, plane, fill;
    bool in_row, lines_read, has_format;
};

/*
 * Reads the line at state->at, without its end, and goes behind it. line: cut off where it is
 * longer.
 */
static enum step hdr_line(struct sig_input *in, struct hdr_state *state, char line[HDR_LINE_KEPT])
{
    uint32_t len = 0, have;

    while (len < HDR_LINE_MAX) {
        const uint8_t *text = sig_span(in, state->at + len, &have);

        if (text == NULL)
            return STEP_WAIT;
        have = have < HDR_LINE_MAX - len ? have : HDR_LINE_MAX - len;
        const uint8_t *end = memchr(text, '\n', have);
        const uint32_t some = end != NULL ? (uint32_t)(end - text) : have;

        if (memchr(text, 0, some) != NULL)
            return STEP_BAD;
        for (uint32_t i = 0; i < some && len + i < HDR_LINE_KEPT - 1; i++)
            line[len + i] = (char)text[i];
        len += some;
        if (end != NULL) {
            line[len < HDR_LINE_KEPT - 1 ? len : HDR_LINE_KEPT - 1] = '\0';
            state->at += len + 1;
            return STEP_DONE;
        }
    }
    return STEP_BAD;
}

static bool hdr_number(const char **text, uint32_t *value)
{
    const char *start = *text;

    for (*value = 0; **text >= '0' && **text <= '9' && *value <= HDR_SIDE_MAX; ++*text)
        *value = *value * 10 + (uint32_t)(**text - '0');
    return *text > start && *value > 0 && *value <= HDR_SIDE_MAX;
}

/* "-Y 20 +X 30": rows from the top down; the other seven orders are as good. */
static bool hdr_size(const char *line, struct hdr_state *state)
{
    uint32_t numbers[2];
    char axes[2];

    for (int i = 0; i < 2; i++) {
        if ((line[0] != '-' && line[0] != '+') || (line[1] != 'X' && line[1] != 'Y') ||
            line[2] != ' ')
            return false;
        axes[i] = line[1];
        line += 3;
        if (!hdr_number(&line, &numbers[i]) || *line != (i == 0 ? ' ' : '\0'))
            return false;
        line += i == 0;
    }
    state->height = numbers[0];
    state->width = numbers[1];
    return axes[0] != axes[1];
}

/* Goes on with the header where the call before had to stop. */
static enum step hdr_header(struct sig_input *in, struct hdr_state *state)
{
    char line[HDR_LINE_KEPT];

    while (!state->lines_read) {
        const enum step step = state->at >= HDR_TEXT_MAX ? STEP_BAD : hdr_line(in, state, line);

        if (step != STEP_DONE)
            return step;
        state->has_format |= strncmp(line, "FORMAT=32-bit_rle_", 18) == 0;
        state->lines_read = line[0] == '\0';
    }
    if (!state->has_format)
        return STEP_BAD;
    const enum step step = hdr_line(in, state, line);
    if (step != STEP_DONE)
        return step;
    if (!hdr_size(line, state))
        return STEP_BAD;
    state->pixels = state->at;
    return STEP_DONE;
}

/* One row's head, or codes of it. */
static enum step hdr_row(struct sig_input *in, struct hdr_state *state)
{
    if (!state->in_row) {
        const uint8_t *head = sig_bytes(in, state->at, 4);

        if (head == NULL)
            return STEP_WAIT;
        if (head[0] != 2 || head[1] != 2 || bytes_u16be(head + 2) != state->width)
            return STEP_BAD;
        state->at += 4;
        state->plane = state->fill = 0;
        state->in_row = true;
    }
    while (state->plane < HDR_PLANES) {
        uint32_t len, i = 0;
        const uint8_t *codes = sig_span(in, state->at, &len);

        if (codes == NULL)
            return STEP_WAIT;
        while (i < len && state->plane < HDR_PLANES) {
            const uint32_t count = codes[i] > 128 ? codes[i] - 128u : codes[i];

            if (count == 0 || count > state->width - state->fill)
                return STEP_BAD;
            i += codes[i] > 128 ? 2 : 1 + count;
            state->fill += count;
            if (state->fill == state->width) {
                state->fill = 0;
                state->plane++;
            }
        }
        state->at += i;
    }
    state->in_row = false;
    state->row++;
    return STEP_DONE;
}

static struct sig_result hdr_plain(struct sig_input *in, struct hdr_state *state)
{
    const uint64_t end = state->pixels + 4 * (uint64_t)state->width * state->height;

    switch (raster_check(in, &state->raster, 4, state->pixels, end)) {
    case STEP_WAIT:
        return sig_short(in);
    case STEP_BAD:
        if (raster_right(&state->raster) > state->pixels + HDR_LINE_MAX)
            sig_valid(in, raster_right(&state->raster));
        return sig_breaks(in, "the data here do not look like pixels");
    default:
        return sig_believe(in, end, "width and height give the length");
    }
}

static struct sig_result hdr_check(struct sig_input *in, void *memory)
{
    struct hdr_state *state = memory;

    if (state->pixels == 0) {
        const enum step step = hdr_header(in, state);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_reject("invalid header of a Radiance picture");
    }
    const uint8_t *first = sig_bytes(in, state->pixels, 4);
    if (first == NULL)
        return sig_short(in);
    if (state->width < HDR_CODED_MIN || state->width > HDR_CODED_MAX || first[0] != 2 ||
        first[1] != 2 || first[2] >= 128)
        return hdr_plain(in, state);
    while (state->row < state->height) {
        const enum step step = hdr_row(in, state);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "the codes do not fill a row");
        if (state->at <= in->limit)
            sig_valid(in, state->at);
    }
    return sig_complete(in, state->at, "the codes fill every row");
}

const struct sig sig_hdr = {
    .name = "hdr",
    .what = "Radiance picture (RGBE)",
    .proves = "lines and size read; codes fill each plane of each row, or the data are as long "
              "as the picture and look like pixels",
    .source = "Radiance, File Formats (Greg Ward, 1997): picture file format (.hdr)",
    .types = (const struct sig_type[]){ { "hdr", "hdr" }, { 0 } },
    .headers = { SIG_PATTERN("#?RADIANCE\n"), SIG_PATTERN("#?RGBE\n") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 48,
    .size_max = UINT64_C(1) << 36,
    .state_size = sizeof(struct hdr_state),
    .check = hdr_check,
    .facts = hdr_facts,
};
