/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/uuencode.c - files as text: uuencode, BinHex 4.
 *
 *   "begin 644 name" | lines: a letter, 32 more than the bytes of the line; 4 letters for 3 bytes |
 * a line of none | "end"; "begin-base64 644 name" | base64 | "===="
 *   "(This file must be converted with BinHex 4.0)" | ":" | lines of 64 letters of an alphabet |
 * ":"
 */
#include <string.h>

#include "signatures/lib/lines.h"

enum { UU_BROKEN_MIN = 4, UU_LINE_MAX = 45 + 18, BINHEX_LINE_MAX = 80 };

struct uu_state {
    struct lines lines;
    bool base64, none, begun; /* the line of none, the first colon was met */
};

static enum lines_word uu_line(void *memory, const struct chars_line *line, uint64_t count,
                               uint32_t *last)
{
    struct uu_state *state = memory;

    if (count == 0) {
        state->base64 = lines_begins(line, "begin-");
        return line->len > 10 ? LINES_ON : LINES_WRONG;
    }
    if (state->base64) {
        if (lines_mark(line, "====", last))
            return LINES_LAST;
        for (uint32_t i = 0; i < line->len; i++)
            if (line->chars[i] != '=' && chars_base64(line->chars[i]) == 0xff)
                return LINES_WRONG;
        return line->len > 0 && line->len % 4 == 0 ? LINES_ON : LINES_WRONG;
    }
    if (state->none)
        return lines_mark(line, "end", last) ? LINES_LAST : LINES_WRONG;
    if (line->len == 0)
        return LINES_WRONG;
    const uint32_t bytes = (uint32_t)(line->chars[0] - ' ') & 63, letters = (bytes + 2) / 3 * 4;
    for (uint32_t i = 0; i < line->len; i++)
        if (line->chars[i] < ' ' || line->chars[i] > '`')
            return LINES_WRONG;
    state->none = bytes == 0;
    return bytes <= UU_LINE_MAX && line->len >= 1 + letters && line->len <= 2 + letters + 1
               ? LINES_ON
               : LINES_WRONG;
}

static struct sig_result uu_check(struct sig_input *in, void *memory)
{
    static const struct lines_format format = { uu_line, UU_BROKEN_MIN,
                                                "lines of the lengths that they say, up to the end",
                                                "a line has another length than it says" };
    struct uu_state *state = memory;

    return lines_check(in, &state->lines, &format, state);
}

static enum lines_word binhex_line(void *memory, const struct chars_line *line, uint64_t count,
                                   uint32_t *last)
{
    static const char letters[] =
        "!\"#$%&'()*+,-012345689@ABCDEFGHIJKLMNPQRSTUVXYZ[`abcdefhijklmpqr";
    struct uu_state *state = memory;
    uint32_t at = 0;

    if (count == 0 || (line->len == 0 && !state->begun))
        return LINES_ON;
    if (!state->begun && line->chars[at++] != ':')
        return LINES_WRONG;
    state->begun = true;
    for (; at < line->len && line->chars[at] != 0 && strchr(letters, line->chars[at]) != NULL; at++)
        ;
    if (at < line->len && line->chars[at] == ':') {
        *last = at + 1;
        return LINES_LAST;
    }
    return at == line->len && at > 0 && at <= BINHEX_LINE_MAX ? LINES_ON : LINES_WRONG;
}

static struct sig_result binhex_check(struct sig_input *in, void *memory)
{
    static const struct lines_format format = { binhex_line, UU_BROKEN_MIN,
                                                "letters of the alphabet between two colons",
                                                "a line has other letters" };
    struct uu_state *state = memory;

    return lines_check(in, &state->lines, &format, state);
}

const struct sig sig_uuencode = {
    .name = "uu",
    .what = "file as text (uuencode)",
    .proves = "every line is as long as it says, up to the end",
    .source = "IEEE Std 1003.1-2017, uuencode",
    .types = (const struct sig_type[]){ { "uu", "uu" }, { 0 } },
    .headers = { SIG_MASKED("begin 000 ", "\xff\xff\xff\xff\xff\xff\xf8\xf8\xf8\xff"),
                 SIG_PATTERN("begin-base64 ") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 20,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct uu_state),
    .check = uu_check,
};

const struct sig sig_binhex = {
    .name = "hqx",
    .what = "file of a Macintosh as text (BinHex 4)",
    .proves = "letters of the alphabet between two colons; the CRCs are not looked at",
    .source = "RFC 1741, appendix A",
    .types = (const struct sig_type[]){ { "hqx", "hqx" }, { 0 } },
    .headers = { SIG_PATTERN("(This file must be converted with BinHex 4.0)") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 50,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct uu_state),
    .check = binhex_check,
};
