/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/pcd.c - PCD: points of the Point Cloud Library.
 *
 *   "# .PCD v.7 ..." | VERSION | FIELDS | SIZE, TYPE and COUNT of each | WIDTH | HEIGHT | VIEWPOINT
 * | POINTS | DATA ascii, binary or binary_compressed
 *
 * As text each point is a line; else it has as many bytes as its fields. Compressed points begin
 * with their bytes, u32le, and what they unpack to.
 */
#include "base/bytes.h"
#include "signatures/lib/chars.h"
#include "signatures/lib/words.h"
#include "signatures/sig.h"

enum { PCD_FIELDS_MAX = 64, PCD_LINES_MAX = 64 };
#define PCD_POINTS_MAX (UINT64_C(1) << 36)

struct pcd_state {
    struct chars text;
    uint32_t lines, fields;
    uint64_t bytes; /* of a point */
    uint64_t points, width, height, done;
    uint8_t size[PCD_FIELDS_MAX];
    bool ascii, packed, headed;
    uint64_t at; /* behind the header, or the last point */
};

/* A line of the header. False: it does not belong there. */
static bool pcd_header(struct pcd_state *state, const struct chars_line *line)
{
    struct word words[PCD_FIELDS_MAX + 1];
    const uint32_t count = words_split(line, words, PCD_FIELDS_MAX + 1);
    uint64_t value;

    if (count < 2 || line->chars[0] == '#')
        return count >= 2;
    if (word_is(&words[0], "SIZE")) {
        state->fields = count - 1;
        for (uint32_t i = 1; i < count; i++) {
            if (!word_number(&words[i], 8, &value) || value == 0)
                return false;
            state->size[i - 1] = (uint8_t)value;
            state->bytes += value;
        }
        return true;
    }
    if (word_is(&words[0], "COUNT")) {
        state->bytes = 0;
        for (uint32_t i = 1; i < count; i++) {
            if (!word_number(&words[i], 1 << 16, &value) || count - 1 != state->fields)
                return false;
            state->bytes += value * state->size[i - 1];
        }
        return true;
    }
    if (word_is(&words[0], "WIDTH"))
        return word_number(&words[1], PCD_POINTS_MAX, &state->width);
    if (word_is(&words[0], "HEIGHT"))
        return word_number(&words[1], 1 << 24, &state->height);
    if (word_is(&words[0], "POINTS"))
        return word_number(&words[1], PCD_POINTS_MAX, &state->points);
    if (word_is(&words[0], "DATA")) {
        state->headed = true;
        state->ascii = word_is(&words[1], "ascii");
        state->packed = word_is(&words[1], "binary_compressed");
        return state->ascii || state->packed || word_is(&words[1], "binary");
    }
    return word_is(&words[0], "VERSION") || word_is(&words[0], "FIELDS") ||
           word_is(&words[0], "TYPE") || word_is(&words[0], "VIEWPOINT");
}

static struct sig_result pcd_lines(struct sig_input *in, struct pcd_state *state)
{
    for (; state->done < state->points; state->done++) {
        struct chars_line line;

        if (chars_next_line(in, &state->text, &line) == CHARS_WAIT)
            return sig_short(in);
        if (line.all == 0 || line.len == 0 ||
            (!chars_is_digit(line.chars[0]) && line.chars[0] != '-' && line.chars[0] != 'n'))
            return sig_breaks(in, "a line is not a point");
        chars_skip(&state->text, line.all);
        sig_valid(in, state->text.at);
    }
    return sig_believe(in, state->text.at, "as many lines as points");
}

static struct sig_result pcd_check(struct sig_input *in, void *memory)
{
    struct pcd_state *state = memory;

    if (chars_open(in, &state->text) == CHARS_WAIT)
        return sig_short(in);
    while (!state->headed) {
        struct chars_line line;

        if (chars_next_line(in, &state->text, &line) == CHARS_WAIT)
            return sig_short(in);
        if (line.all == line.len || state->lines++ == PCD_LINES_MAX || !pcd_header(state, &line))
            return sig_reject("a line does not belong to the header");
        chars_skip(&state->text, line.all);
        state->at = state->text.at;
    }
    if (state->bytes == 0 || state->points == 0 ||
        (state->height != 0 && state->points / state->height != state->width))
        return sig_reject("points, width and height do not agree");
    sig_valid(in, state->at);
    if (state->ascii)
        return pcd_lines(in, state);
    const uint64_t plain = state->points * state->bytes;
    if (!state->packed)
        return sig_believe(in, state->at + plain, "as many points as the header says");
    const uint8_t *p = sig_bytes(in, state->at, 8);
    if (p == NULL)
        return sig_short(in);
    if (bytes_u32le(p) == 0 || bytes_u32le(p + 4) != plain)
        return sig_breaks(in, "compressed points do not unpack to their number");
    return sig_believe(in, state->at + 8 + bytes_u32le(p), "compressed points tell their length");
}

const struct sig sig_pcd = {
    .name = "pcd",
    .what = "PCD, points of the Point Cloud Library",
    .proves = "fields, width and height agree with the number of points, which gives the length",
    .source = "Point Cloud Library, The PCD (Point Cloud Data) file format, version 0.7",
    .types = (const struct sig_type[]){ { "pcd", "pcd" }, { 0 } },
    .headers = { SIG_PATTERN("# .PCD v"), SIG_PATTERN("VERSION .7\n"),
                 SIG_PATTERN("VERSION 0.7\n") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 64,
    .size_max = UINT64_C(1) << 40,
    .state_size = sizeof(struct pcd_state),
    .check = pcd_check,
};
