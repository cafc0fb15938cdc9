/* SPDX-License-Identifier: Apache-2.0
 * signatures/font/xfont.c - fonts and their measures as text: BDF of X11, AFM of PostScript.
 *
 *   "STARTFONT 2.x" up to "ENDFONT" | "StartFontMetrics x.x" up to "EndFontMetrics"; every line
 * begins with a word
 */
#include "signatures/lib/lines.h"

enum { XFONT_BROKEN_MIN = 8 };

static enum lines_word xfont_line(const struct chars_line *line, const char *mark, uint32_t *last)
{
    if (lines_mark(line, mark, last))
        return LINES_LAST;
    for (uint32_t i = 0; i < line->len; i++) /* names and remarks may have any letters */
        if (line->chars[i] < ' ' && line->chars[i] != '\t')
            return LINES_WRONG;
    return LINES_ON;
}

static enum lines_word bdf_line(void *state, const struct chars_line *line, uint64_t count,
                                uint32_t *last)
{
    (void)state;
    (void)count;
    return xfont_line(line, "ENDFONT", last);
}

static enum lines_word afm_line(void *state, const struct chars_line *line, uint64_t count,
                                uint32_t *last)
{
    (void)state;
    (void)count;
    return xfont_line(line, "EndFontMetrics", last);
}

static struct sig_result bdf_check(struct sig_input *in, void *memory)
{
    static const struct lines_format format = { bdf_line, XFONT_BROKEN_MIN,
                                                "the lines lead to ENDFONT",
                                                "there is no ENDFONT" };

    return lines_check(in, memory, &format, NULL);
}

static struct sig_result afm_check(struct sig_input *in, void *memory)
{
    static const struct lines_format format = { afm_line, XFONT_BROKEN_MIN,
                                                "the lines lead to EndFontMetrics",
                                                "there is no EndFontMetrics" };

    return lines_check(in, memory, &format, NULL);
}

const struct sig sig_bdf = {
    .name = "bdf",
    .what = "font of X11 as text (BDF)",
    .proves = "printable lines up to ENDFONT",
    .source = "Adobe, Glyph Bitmap Distribution Format (BDF) Specification 2.2",
    .types = (const struct sig_type[]){ { "bdf", "bdf" }, { 0 } },
    .headers = { SIG_PATTERN("STARTFONT 2.") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 32,
    .size_max = 1 << 28,
    .state_size = sizeof(struct lines),
    .check = bdf_check,
};

const struct sig sig_afm = {
    .name = "afm",
    .what = "measures of a PostScript font (AFM)",
    .proves = "printable lines up to EndFontMetrics",
    .source = "Adobe, Font Metrics File Format Specification 4.1",
    .types = (const struct sig_type[]){ { "afm", "afm" }, { 0 } },
    .headers = { SIG_PATTERN("StartFontMetrics ") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 32,
    .size_max = 1 << 26,
    .state_size = sizeof(struct lines),
    .check = afm_check,
};
