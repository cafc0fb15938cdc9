/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/board.c - electronic boards: KiCad's drawings, Gerber's layers.
 *
 *   KiCad: "(kicad_pcb", "(kicad_sch", "(kicad_symbol_lib", "(footprint", "(module" ... ")"
 *   Gerber: "G04 ...*" or "%FSLAX...*%" | commands, each ended by "*" | "M02*"; in older files
 * "M00*" alone, or before it
 */
#include <string.h>

#include "signatures/lib/lines.h"

enum { BOARD_BROKEN_MIN = 16, BOARD_DEPTH_MAX = 256 };

struct board_state {
    struct lines lines;
    uint32_t depth;
    bool in_string, escaped;
    bool format;  /* Gerber: how numbers are written was told */
    bool stopped; /* Gerber: by M00, the last line but for M02 */
};

static enum lines_word kicad_line(void *memory, const struct chars_line *line, uint64_t count,
                                  uint32_t *last)
{
    struct board_state *state = memory;

    (void)count;
    for (uint32_t i = 0; i < line->len; i++) {
        const uint8_t c = line->chars[i];

        if (state->in_string) {
            state->in_string = c != '"' || state->escaped;
            state->escaped = c == '\\' && !state->escaped;
        } else if (c == '"') {
            state->in_string = true;
        } else if (c == '(') {
            if (++state->depth > BOARD_DEPTH_MAX)
                return LINES_WRONG;
        } else if (c == ')') {
            *last = i + 1;
            if (state->depth == 0 || --state->depth == 0)
                return LINES_LAST;
        }
    }
    return LINES_ON;
}

static struct sig_result kicad_check(struct sig_input *in, void *memory)
{
    static const struct lines_format format = { kicad_line, BOARD_BROKEN_MIN,
                                                "brackets close up to the first one",
                                                "the brackets do not close" };
    struct board_state *state = memory;

    return lines_check(in, &state->lines, &format, state);
}

static enum lines_word gerber_line(void *memory, const struct chars_line *line, uint64_t count,
                                   uint32_t *last)
{
    struct board_state *state = memory;

    (void)count;
    state->format |= lines_begins(line, "%FS");
    if (state->format && lines_has(line, "M02*", last))
        return LINES_LAST;
    if (state->stopped)
        return line->len == 0 ? LINES_MAY_END : LINES_WRONG;
    state->stopped = state->format && lines_ends(line, "M00*");
    if (state->stopped)
        return LINES_MAY_END;
    if (!text_is_printable(line->chars, line->len) && !lines_begins(line, "G04"))
        return LINES_WRONG;
    return line->len == 0 || lines_ends(line, "*") || lines_ends(line, "%") ? LINES_ON
                                                                            : LINES_WRONG;
}

static struct sig_result gerber_check(struct sig_input *in, void *memory)
{
    static const struct lines_format format = { gerber_line, BOARD_BROKEN_MIN,
                                                "commands lead to M02", "there is no M02" };
    struct board_state *state = memory;

    return lines_check(in, &state->lines, &format, state);
}

const struct sig sig_kicad = {
    .name = "kicad",
    .what = "board or circuit of KiCad",
    .proves = "brackets and strings close, up to the first one",
    .source = "KiCad 6, File Formats: S-expression Format",
    .types = (const struct sig_type[]){ { "kicad", "kicad" }, { 0 } },
    .headers = { SIG_PATTERN("(kicad_pcb"), SIG_PATTERN("(kicad_sch"), SIG_PATTERN("(kicad_sym"),
                 SIG_PATTERN("(footprint "), SIG_PATTERN("(module "), SIG_PATTERN("(export (ver") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 32,
    .size_max = 1 << 28,
    .state_size = sizeof(struct board_state),
    .check = kicad_check,
};

const struct sig sig_gerber = {
    .name = "gerber",
    .what = "layer of an electronic board (Gerber)",
    .proves = "every command ends as one, up to M02",
    .source = "Ucamco, The Gerber Layer Format Specification 2022.02",
    .types = (const struct sig_type[]){ { "gerber", "gbr" }, { 0 } },
    .headers = { SIG_PATTERN("%FSLAX"), SIG_PATTERN("G04 "), SIG_PATTERN("%TF."),
                 SIG_PATTERN("%FSTAX") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 32,
    .size_max = 1 << 28,
    .state_size = sizeof(struct board_state),
    .check = gerber_check,
};
