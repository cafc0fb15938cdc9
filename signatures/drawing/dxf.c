/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/dxf.c - AutoCAD's drawing interchange files, as text and binary: dxf.
 *
 *   text: pairs of lines: a number that says what the value is, then the value; from "0", "SECTION"
 * to "0", "EOF" binary: "AutoCAD Binary DXF" CR LF 1A 00 | u8 or u16le number | value of a length
 * that the number tells
 *
 * Every number must be one of those defined and every value text, up to the pair that ends the
 * file; it belongs to the file with its line end.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "signatures/sig.h"

enum {
    DXF_LINE_MAX = 4096,
    DXF_CODE_MAX = 1071,
    DXF_PAIRS_MIN = 4,
    DXF_BINARY_HEAD = 22,
};

struct dxf_state {
    uint64_t at; /* next pair */
    uint32_t pairs;
    bool is_binary, wide, begun; /* wide: numbers of two bytes, since release 13 */
};

/* As enum step, and: the pair that ends the file was read. */
enum dxf_step { DXF_DONE, DXF_END, DXF_WAIT, DXF_BAD };

/* One line at object offset at: its length with the line end, and a copy of its first bytes
 * without. */
static enum dxf_step dxf_line(struct sig_input *in, uint64_t at, uint32_t *len, char *text,
                              uint32_t room)
{
    uint32_t have;
    const uint8_t *bytes = sig_span(in, at, &have);
    const uint8_t *end = bytes == NULL ? NULL : memchr(bytes, '\n', have);

    while (end == NULL) {
        const uint32_t want = have + 1;

        if (bytes == NULL)
            return DXF_WAIT;
        if (want > DXF_LINE_MAX)
            return DXF_BAD;
        bytes = sig_bytes(in, at, want);
        if (bytes == NULL)
            return DXF_WAIT;
        have = want;
        end = memchr(bytes, '\n', have);
    }
    uint32_t shown = (uint32_t)(end - bytes);
    *len = shown + 1;
    if (shown > 0 && bytes[shown - 1] == '\r')
        shown--;
    for (uint32_t i = 0; i < shown; i++)
        if (bytes[i] < ' ' && bytes[i] != '\t' && bytes[i] != 0x1b)
            return DXF_BAD;
    while (shown > 0 && bytes[0] == ' ') {
        bytes++;
        shown--;
    }
    if (shown >= room)
        shown = room - 1;
    memcpy(text, bytes, shown);
    text[shown] = '\0';
    return DXF_DONE;
}

/* A number from -5 on; DXF_CODE_MAX + 1 when it is none. */
static int32_t dxf_code(const char *text)
{
    const bool minus = text[0] == '-';
    int32_t code = 0;
    const char *c = text + minus;

    if (*c < '0' || *c > '9')
        return DXF_CODE_MAX + 1;
    for (; *c >= '0' && *c <= '9' && code <= DXF_CODE_MAX; c++)
        code = code * 10 + (*c - '0');
    while (*c == ' ')
        c++;
    if (*c != '\0' || (minus && code > 5))
        return DXF_CODE_MAX + 1;
    return minus ? -code : code;
}

static enum dxf_step dxf_text_pair(struct sig_input *in, struct dxf_state *state)
{
    char code[16], value[16];
    uint32_t code_len, value_len;
    enum dxf_step step = dxf_line(in, state->at, &code_len, code, sizeof code);

    if (step != DXF_DONE)
        return step;
    const int32_t number = dxf_code(code);
    if (number > DXF_CODE_MAX)
        return DXF_BAD;
    step = dxf_line(in, state->at + code_len, &value_len, value, sizeof value);
    if (step != DXF_DONE)
        return step;
    if (state->pairs == 0 && number != 999 && (number != 0 || strcmp(value, "SECTION") != 0))
        return DXF_BAD;
    const bool ends = number == 0 && strcmp(value, "EOF") == 0;
    state->at += code_len + (uint64_t)value_len;
    state->pairs++;
    return ends ? DXF_END : DXF_DONE;
}

/* Bytes of a value in a binary file; 0: a string, 1000: a length of one byte before it. */
static int32_t dxf_value_len(uint32_t code)
{
    if ((code >= 10 && code <= 59) || (code >= 110 && code <= 149) ||
        (code >= 210 && code <= 239) || (code >= 460 && code <= 469) ||
        (code >= 1010 && code <= 1059))
        return 8;
    if ((code >= 60 && code <= 79) || (code >= 170 && code <= 179) ||
        (code >= 270 && code <= 289) || (code >= 370 && code <= 389) ||
        (code >= 400 && code <= 409) || (code >= 1060 && code <= 1070))
        return 2;
    if ((code >= 90 && code <= 99) || (code >= 420 && code <= 429) ||
        (code >= 440 && code <= 459) || code == 1071)
        return 4;
    if (code >= 160 && code <= 169)
        return 8;
    if (code >= 290 && code <= 299)
        return 1;
    if ((code >= 310 && code <= 319) || code == 1004)
        return 1000;
    return code <= DXF_CODE_MAX ? 0 : -1;
}

static enum dxf_step dxf_binary_pair(struct sig_input *in, struct dxf_state *state)
{
    const uint8_t *bytes = sig_bytes(in, state->at, 3);
    uint32_t head = state->wide ? 2 : 1;

    if (bytes == NULL)
        return DXF_WAIT;
    uint32_t code = state->wide ? bytes_u16le(bytes) : bytes[0];
    if (!state->wide && code == 255) {
        code = bytes_u16le(bytes + 1);
        head = 3;
    }
    int32_t len = dxf_value_len(code);
    if (len < 0)
        return DXF_BAD;
    if (len == 1000) {
        bytes = sig_bytes(in, state->at + head, 1);
        if (bytes == NULL)
            return DXF_WAIT;
        len = 1 + bytes[0];
    }
    bool ends = false;
    if (len == 0) {
        uint64_t at;

        in->find_at = 0;
        switch (sig_find(in, state->at + head, state->at + head + DXF_LINE_MAX, "", 1, &at)) {
        case SIG_FIND_WAIT:
            return DXF_WAIT;
        case SIG_FIND_NONE:
            in->wanted = UINT64_MAX;
            return in->limit - state->at < DXF_LINE_MAX ? DXF_WAIT : DXF_BAD;
        default:
            break;
        }
        len = (int32_t)(at + 1 - state->at - head);
        bytes = sig_bytes(in, state->at + head, (uint32_t)len);
        if (bytes == NULL)
            return DXF_WAIT;
        ends = code == 0 && len == 4 && memcmp(bytes, "EOF", 4) == 0;
        if (state->pairs == 0 && (code != 0 || len != 8 || memcmp(bytes, "SECTION", 8) != 0))
            return DXF_BAD;
    }
    state->at += head + (uint64_t)len;
    state->pairs++;
    return ends ? DXF_END : DXF_DONE;
}

static struct sig_result dxf_check(struct sig_input *in, void *memory)
{
    struct dxf_state *state = memory;
    enum dxf_step step;

    if (!state->begun) {
        const uint8_t *head = sig_bytes(in, 0, DXF_BINARY_HEAD + 2);

        if (head == NULL)
            return sig_short(in);
        state->is_binary = memcmp(head, "AutoCAD Binary DXF\r\n\x1a", DXF_BINARY_HEAD) == 0;
        state->at = state->is_binary ? DXF_BINARY_HEAD : 0;
        state->wide = head[DXF_BINARY_HEAD + 1] == 0;
        state->begun = true;
    }
    do {
        step = state->is_binary ? dxf_binary_pair(in, state) : dxf_text_pair(in, state);
        if (state->pairs >= DXF_PAIRS_MIN && state->at > LIMIT_SECTOR)
            sig_valid(in, state->at < in->limit ? state->at : in->limit);
    } while (step == DXF_DONE);
    if (step == DXF_WAIT)
        return sig_short(in);
    if (step == DXF_BAD || state->pairs < DXF_PAIRS_MIN)
        return sig_breaks(in, "invalid pair of group code and value, or too few pairs");
    return sig_complete(in, state->at, "the pairs lead to the one that ends the file");
}

const struct sig sig_dxf = {
    .name = "dxf",
    .what = "AutoCAD drawing interchange file, text or binary",
    .proves = "every group code is valid and its value of its kind, up to EOF",
    .source = "Autodesk, DXF Reference: ASCII DXF files, binary DXF files, group codes",
    .types = (const struct sig_type[]){ { "dxf", "dxf" }, { 0 } },
    .headers = { SIG_PATTERN("  0\r\nSECTION\r\n"), SIG_PATTERN("  0\nSECTION\n"),
                 SIG_PATTERN(" 0\r\nSECTION\r\n"), SIG_PATTERN(" 0\nSECTION\n"),
                 SIG_PATTERN("0\r\nSECTION\r\n"), SIG_PATTERN("0\nSECTION\n"),
                 SIG_PATTERN("999\r\n"), SIG_PATTERN("999\n"), SIG_PATTERN("  999\n"),
                 SIG_PATTERN("  999\r\n"), SIG_PATTERN("AutoCAD Binary DXF\r\n\x1a\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 32,
    .size_max = UINT64_C(1) << 33,
    .state_size = sizeof(struct dxf_state),
    .check = dxf_check,
};
