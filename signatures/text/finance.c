/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/finance.c - statements of banks: OFX, QIF.
 *
 *   OFX: "OFXHEADER:100" | "NAME:value" | empty | SGML, from <OFX> to </OFX>
 *   QIF: "!Type:..." | lines, a letter and its value; "^" ends an entry | further "!" lines
 */
#include <string.h>

#include "signatures/lib/lines.h"

enum { FINANCE_BROKEN_MIN = 8, QIF_ENTRY_MAX = 512 };

struct finance_state {
    struct lines lines;
    bool begun;     /* OFX: <OFX> was met */
    uint32_t field; /* QIF: of the entry */
};

static enum lines_word ofx_line(void *memory, const struct chars_line *line, uint64_t count,
                                uint32_t *last)
{
    struct finance_state *state = memory;

    (void)count;
    if (!state->begun && memmem(line->chars, line->len, "<OFX>", 5) != NULL)
        state->begun = true;
    if (state->begun)
        return lines_has(line, "</OFX>", last) ? LINES_LAST : LINES_ON;
    return line->len == 0 || memchr(line->chars, ':', line->len) != NULL ? LINES_ON : LINES_WRONG;
}

static struct sig_result ofx_check(struct sig_input *in, void *memory)
{
    static const struct lines_format format = { ofx_line, FINANCE_BROKEN_MIN,
                                                "the lines lead to </OFX>", "there is no </OFX>" };
    struct finance_state *state = memory;

    return lines_check(in, &state->lines, &format, state);
}

static enum lines_word qif_line(void *memory, const struct chars_line *line, uint64_t count,
                                uint32_t *last)
{
    struct finance_state *state = memory;

    (void)last;
    if (count == 0 || line->len == 0)
        return line->len > 0 ? LINES_ON : LINES_WRONG;
    if (line->chars[0] == '^') {
        const bool any = state->field > 0 && line->len == 1;

        state->field = 0;
        return any ? LINES_MAY_END : LINES_WRONG;
    }
    if (line->chars[0] == '!')
        return state->field == 0 ? LINES_ON : LINES_WRONG;
    if (++state->field > QIF_ENTRY_MAX)
        return LINES_WRONG;
    return strchr("DTUCNPMALSE$%YIQO@BXRVFKWG1234567", line->chars[0]) != NULL ? LINES_ON
                                                                               : LINES_WRONG;
}

static struct sig_result qif_check(struct sig_input *in, void *memory)
{
    static const struct lines_format format = { qif_line, FINANCE_BROKEN_MIN,
                                                "entries follow one another, and no other does",
                                                "no entry ends" };
    struct finance_state *state = memory;

    return lines_check(in, &state->lines, &format, state);
}

const struct sig sig_ofx = {
    .name = "ofx",
    .what = "statement of a bank (OFX, QFX)",
    .proves = "lines of the head, and text up to </OFX>",
    .source = "Open Financial Exchange 1.0.3, 2",
    .types = (const struct sig_type[]){ { "ofx", "ofx" }, { 0 } },
    .headers = { SIG_PATTERN("OFXHEADER:100") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 64,
    .size_max = 1 << 28,
    .state_size = sizeof(struct finance_state),
    .check = ofx_check,
};

const struct sig sig_qif = {
    .name = "qif",
    .what = "statement of a bank, for Quicken (QIF)",
    .proves = "entries of known fields follow one another; it ends where no other follows",
    .source = "Intuit, Quicken Interchange Format (QIF) files",
    .types = (const struct sig_type[]){ { "qif", "qif" }, { 0 } },
    .headers = { SIG_PATTERN("!Type:Bank"), SIG_PATTERN("!Type:CCard"), SIG_PATTERN("!Type:Cash"),
                 SIG_PATTERN("!Type:Invst"), SIG_PATTERN("!Type:Oth "), SIG_PATTERN("!Account"),
                 SIG_PATTERN("!Option:") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 16,
    .size_max = 1 << 28,
    .state_size = sizeof(struct finance_state),
    .check = qif_check,
};
