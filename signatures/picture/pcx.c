/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/pcx.c - ZSoft PCX pictures, and DCX files of several of them.
 *
 *   0a | version 0, 2..5 | 1: run-length codes | bits | u16le rectangle | dpi | 48 bytes of colours
 * | 0 | planes | u16le bytes of a row | ... | codes: c0 + count, byte, or the byte itself |
 * (version 5, 256 colours) 0c and 768 bytes of colours DCX: b1 68 de 3a | up to 1023 x u32le offset
 * of a picture, then 0
 *
 * Ten bits of magic prove nothing, but the codes do: rows have to be filled exactly, each plane of
 * each.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/picture/picture_facts.h"
#include "signatures/sig.h"

enum {
    PCX_HEAD = 128,
    PCX_COLOURS = 769,
    PCX_COLOURS_MARK = 0x0c,
    PCX_ROW_MAX = 1 << 16,
    PCX_ROW_SLACK = 64, /* bytes that a row may have more than its pixels need */
    PCX_VALID_MIN = 4096,
    DCX_PAGES_MAX = 1023,
    DCX_GAP_MAX = 4096, /* bytes between two pages */
};

/* Where the reading of one picture is. */
struct pcx_walk {
    uint64_t at;   /* object offset of the next code; 0: not begun */
    uint64_t rows; /* planes' rows that are filled */
    uint32_t fill; /* bytes of the row that is being filled */
};

struct dcx_state {
    struct pcx_walk walk;
    uint32_t page;
    uint64_t end; /* of the page before */
};

/* The codes in len bytes, up to the last row. False: the one at walk->at does not fill its row
 * exactly. */
static bool pcx_codes(struct pcx_walk *walk, const uint8_t *bytes, uint32_t len, uint64_t rows,
                      uint32_t row)
{
    uint32_t i = 0;
    bool right = true;

    while (right && i < len && walk->rows < rows) {
        const uint32_t count = bytes[i] >= 0xc0 ? bytes[i] & 0x3f : 1,
                       size = bytes[i] >= 0xc0 ? 2 : 1;

        if (size > len - i)
            break;
        right = count <= row - walk->fill;
        if (right) {
            walk->fill += count;
            i += size;
        }
        if (walk->fill == row) {
            walk->fill = 0;
            walk->rows++;
        }
    }
    walk->at += i;
    return right;
}

/* Reads the picture at object offset base. STEP_DONE: walk->at is its end. */
static enum step pcx_read(struct sig_input *in, struct pcx_walk *walk, uint64_t base)
{
    const uint8_t *head = sig_bytes(in, base, PCX_HEAD);

    if (head == NULL)
        return STEP_WAIT;
    const uint32_t version = head[1], bits = head[3], planes = head[65],
                   row = bytes_u16le(head + 66);
    const uint32_t left = bytes_u16le(head + 4), top = bytes_u16le(head + 6),
                   right = bytes_u16le(head + 8), bottom = bytes_u16le(head + 10);
    if (head[0] != 10 || version > 5 || version == 1 || head[2] != 1 || head[64] != 0)
        return STEP_BAD;
    if ((bits != 1 && bits != 2 && bits != 4 && bits != 8) || planes == 0 || planes > 4 ||
        right < left || bottom < top)
        return STEP_BAD;
    const uint32_t least = ((right - left + 1) * bits + 7) / 8;
    if (row < least || row > least + PCX_ROW_SLACK)
        return STEP_BAD;
    const uint64_t rows = (uint64_t)(bottom - top + 1) * planes;
    if (walk->at == 0)
        walk->at = base + PCX_HEAD;
    while (walk->rows < rows) {
        uint32_t len;
        const uint8_t *bytes = sig_span(in, walk->at, &len);

        if (bytes != NULL && len == 1)
            bytes = *bytes >= 0xc0 ? sig_bytes(in, walk->at, len = 2) : bytes;
        if (bytes == NULL)
            return STEP_WAIT;
        const bool filled = pcx_codes(walk, bytes, len, rows, row);
        if (walk->at > base + PCX_VALID_MIN)
            sig_valid(in, walk->at);
        if (!filled)
            return STEP_BAD;
    }
    if (version != 5 || bits != 8)
        return STEP_DONE;
    /* 256 colours follow; some writers add them to pictures that do not need any. */
    const uint8_t *mark = sig_bytes(in, walk->at, PCX_COLOURS);
    if (mark == NULL && (planes == 1 || in->wanted <= in->limit))
        return STEP_WAIT;
    if (mark != NULL && *mark == PCX_COLOURS_MARK)
        walk->at += PCX_COLOURS;
    else if (planes == 1)
        return STEP_BAD;
    return STEP_DONE;
}

static struct sig_result pcx_check(struct sig_input *in, void *memory)
{
    struct pcx_walk *walk = memory;

    switch (pcx_read(in, walk, 0)) {
    case STEP_WAIT:
        return sig_short(in);
    case STEP_BAD:
        return sig_breaks(in, "the codes do not fill the rows");
    default:
        return sig_complete(in, walk->at, "the codes fill every row");
    }
}

static struct sig_result dcx_check(struct sig_input *in, void *memory)
{
    struct dcx_state *state = memory;
    bool ended = false;

    for (; !ended && state->page <= DCX_PAGES_MAX; state->page++) {
        const uint8_t *entry = sig_bytes(in, 4 + 4 * (uint64_t)state->page, 4);

        if (entry == NULL)
            return sig_short(in);
        const uint32_t at = bytes_u32le(entry);
        if (at == 0) {
            ended = true;
            break;
        }
        const uint64_t least = state->end == 0 ? 4 + 8 : state->end;
        if (at < least || at - least > (state->end == 0 ? 4 * (DCX_PAGES_MAX + 2) : DCX_GAP_MAX))
            return sig_breaks(in, "invalid place of a page");
        const enum step step = pcx_read(in, &state->walk, at);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "the codes do not fill the rows");
        state->end = state->walk.at;
        state->walk = (struct pcx_walk){ 0 };
        sig_valid(in, state->end);
    }
    if (!ended || state->page == 0)
        return sig_breaks(in, "there are no pages, or too many");
    return sig_complete(in, state->end, "the codes fill every row of every page");
}

#define PCX_ANY_20 "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define PCX_ANY_60 PCX_ANY_20 PCX_ANY_20 PCX_ANY_20

const struct sig sig_pcx = {
    .name = "pcx",
    .what = "ZSoft Paintbrush picture",
    .proves = "run-length codes fill each plane of each row exactly; the colours follow",
    .source = "ZSoft PCX File Format Technical Reference Manual, revision 5",
    .types = (const struct sig_type[]){ { "pcx", "pcx" }, { 0 } },
    .headers = { { .bytes = "\x0a\0\1\0" PCX_ANY_60 "\0\0",
                   .mask = "\xff\xf8\xff\xf0" PCX_ANY_60 "\xff\xf8",
                   .len = 66 } },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = PCX_HEAD + 1,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct pcx_walk),
    .check = pcx_check,
    .facts = pcx_facts,
};

const struct sig sig_dcx = {
    .name = "dcx",
    .what = "ZSoft Paintbrush pictures, several in a file",
    .proves = "pages follow one another; run-length codes fill each plane of each row exactly",
    .source = "ZSoft PCX File Format Technical Reference Manual, revision 5; Intel, DCX",
    .types = (const struct sig_type[]){ { "dcx", "dcx" }, { 0 } },
    .headers = { SIG_PATTERN("\xb1\x68\xde\x3a") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 12 + PCX_HEAD,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct dcx_state),
    .check = dcx_check,
};
