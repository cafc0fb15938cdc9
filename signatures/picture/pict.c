/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/pict.c - pictures of the old Macintosh (PICT, version 2).
 *
 *   512 bytes | u16be low half of the length | frame | 0011 02ff 0c00 | 24 bytes | operations:
 * u16be code | what belongs to it, filled up to 2 bytes | 00ff ends the picture
 *
 * Every code tells how much belongs to it, those that are kept for later ones too. Rows of pixels
 * are packed: each has its length before it. They are not unpacked.
 */
#include "base/bytes.h"
#include "signatures/facts/tell.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    PICT_HEAD = 512,
    PICT_FIRST = PICT_HEAD + 10, /* the first operation */
    PICT_END = 0xff,
    PICT_PIXELS = 0x8000, /* in the bytes of a row: pixels have more than one bit */
    PICT_ROW = 0x3fff,
    PICT_MAP = 46,       /* bytes of such a map, with its row and bounds */
    PICT_BITMAP = 10,    /* bytes of a map of single bits */
    PICT_WHERE = 18,     /* from, to, mode */
    PICT_ROW_PLAIN = 8,  /* a row that is shorter is not packed */
    PICT_ROW_LONG = 250, /* a row that is longer has its length in two bytes */
    PICT_SIZE_MAX = 1 << 28,
};

struct pict_state {
    uint64_t at;        /* the next operation, or row; 0: not begun */
    uint32_t rows, row; /* left of a picture that is being walked; bytes of one, unpacked */
    uint32_t operations;
};

/*
 * What belongs to codes below 0x100: 0 to 31 as many bytes; then how it is measured. Those of the
 * last kinds have a length of 2 or 4 bytes, which counts itself (regions) or not.
 */
enum { PICT_REGION = 32, PICT_SHORT, PICT_LONG, PICT_BITS, PICT_TEXT, PICT_COMMENT, PICT_BAD };

static uint32_t pict_kind(uint32_t code)
{
    static const uint8_t first[0x30] = {
        0,         PICT_REGION, 8,          2,          1,          2,         4,
        4,         2,           8,          8,          4,          4,         2,
        4,         4,           8,          2,          PICT_BAD,   PICT_BAD,  PICT_BAD,
        2,         2,           0,          0,          0,          6,         6,
        0,         6,           0,          6,          8,          4,         6,
        2,         PICT_SHORT,  PICT_SHORT, PICT_SHORT, PICT_SHORT, PICT_TEXT, PICT_TEXT,
        PICT_TEXT, PICT_TEXT,   PICT_SHORT, PICT_SHORT, PICT_SHORT, PICT_SHORT
    };
    /* shapes, a row of eight codes each: with their place, and in that of the one before */
    static const uint8_t shapes[6] = { 8, 8, 8, 12, PICT_REGION, PICT_REGION };

    if (code < sizeof first)
        return first[code];
    if (code < 0x90)
        return (code & 8) == 0 ? shapes[(code - 0x30) / 16] : (code & 0xf8) == 0x68 ? 4 : 0;
    if (code == 0x90 || code == 0x91 || (code >= 0x98 && code <= 0x9b))
        return PICT_BITS;
    if (code < 0xa0)
        return PICT_SHORT;
    if (code < 0xb0)
        return code == 0xa0 ? 2 : code == 0xa1 ? PICT_COMMENT : PICT_SHORT;
    return code < 0xd0 ? 0 : code < PICT_END ? PICT_LONG : PICT_BAD;
}

/* The table of colours at *at, of a map of pixels. */
static enum step pict_colours(struct sig_input *in, uint64_t *at)
{
    const uint8_t *p = sig_bytes(in, *at, 8);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t last = bytes_u16be(p + 6);
    *at += 8 + 8 * ((uint64_t)last + 1);
    return last < 256 ? STEP_DONE : STEP_BAD;
}

/* The map of a picture at *at (code 90 to 9b): leaves its rows to be walked. */
static enum step pict_bits(struct sig_input *in, struct pict_state *state, uint32_t code)
{
    const bool direct = code >= 0x9a, region = (code & 1) != 0;
    uint64_t at = state->at + 2 + (direct ? 4 : 0);
    const uint8_t *p = sig_bytes(in, at, PICT_MAP);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t flags = bytes_u16be(p), top = bytes_u16be(p + 2), bottom = bytes_u16be(p + 6);
    const uint32_t pack = bytes_u16be(p + 12), bits = bytes_u16be(p + 28);
    const bool pixels = direct || (flags & PICT_PIXELS) != 0;
    uint32_t row = flags & PICT_ROW, rows = (uint32_t)(uint16_t)(bottom - top);
    if (rows == 0 || rows > INT16_MAX || row == 0 ||
        (pixels && bits != 1 && bits != 2 && bits != 4 && bits != 8 && bits != 16 && bits != 32) ||
        (direct && (bits < 16 || pack > 4)))
        return STEP_BAD;
    at += pixels ? PICT_MAP : PICT_BITMAP;
    enum step step = pixels && !direct ? pict_colours(in, &at) : STEP_DONE;
    if (step != STEP_DONE)
        return step;
    at += PICT_WHERE;
    if (region) {
        p = sig_bytes(in, at, 2);
        if (p == NULL)
            return STEP_WAIT;
        at += bytes_u16be(p);
    }
    if (direct && pack == 2) /* three bytes a pixel, plain */
        row = row / 4 * 3;
    if (code < 0x98 || row < PICT_ROW_PLAIN || (direct && (pack == 1 || pack == 2))) {
        at += (uint64_t)row * rows;
        rows = 0;
    }
    state->row = row;
    state->rows = rows;
    state->at = rows > 0 ? at : (at + 1) / 2 * 2;
    return STEP_DONE;
}

static enum step pict_rows(struct sig_input *in, struct pict_state *state)
{
    const uint32_t wide = state->row > PICT_ROW_LONG ? 2 : 1;

    for (; state->rows > 0; state->rows--) {
        const uint8_t *p = sig_bytes(in, state->at, wide);

        if (p == NULL)
            return STEP_WAIT;
        const uint32_t len = wide == 2 ? bytes_u16be(p) : p[0];
        if (len < 2 || len > state->row + state->row / 64 + 8)
            return STEP_BAD;
        state->at += wide + (uint64_t)len;
    }
    state->at = (state->at + 1) / 2 * 2;
    return STEP_DONE;
}

/* How much belongs to an operation that has its length. */
static enum step pict_measured(struct sig_input *in, uint64_t at, uint32_t code, uint32_t kind,
                               uint64_t *len)
{
    static const uint8_t before[4] = { 4, 1, 1, 2 }; /* of texts: bytes before their length */
    const uint32_t skip = kind == PICT_TEXT ? before[code - 0x28] : kind == PICT_COMMENT ? 2 : 0;
    const uint8_t *p = sig_bytes(in, at + skip, 4);

    if (p == NULL)
        return STEP_WAIT;
    switch (kind) {
    case PICT_REGION:
        *len = bytes_u16be(p);
        return *len < 10 ? STEP_BAD : STEP_DONE;
    case PICT_TEXT:
        *len = skip + 1 + (uint64_t)p[0];
        return STEP_DONE;
    case PICT_LONG:
        *len = 4 + (uint64_t)bytes_u32be(p);
        return STEP_DONE;
    default:
        *len = skip + 2 + (uint64_t)bytes_u16be(p);
        return STEP_DONE;
    }
}

/* The operation at state->at. */
static enum step pict_operation(struct sig_input *in, struct pict_state *state, bool *end)
{
    const uint8_t *p = sig_bytes(in, state->at, 2);
    enum step step = STEP_DONE;

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t code = bytes_u16be(p);
    uint64_t len = 0;
    *end = code == PICT_END;
    if (*end) {
        state->at += 2;
        return STEP_DONE;
    }
    if (code >= 0x100) {
        const bool measured = code >= 0x8100;

        if (measured)
            step = pict_measured(in, state->at + 2, code, PICT_LONG, &len);
        else
            len = code < 0x8000 ? (uint64_t)(code >> 8) * 2 : 0;
    } else {
        const uint32_t kind = pict_kind(code);

        if (kind == PICT_BITS)
            return pict_bits(in, state, code);
        if (kind < PICT_REGION)
            len = kind;
        else
            step = kind == PICT_BAD ? STEP_BAD : pict_measured(in, state->at + 2, code, kind, &len);
    }
    if (step != STEP_DONE)
        return step;
    state->at += 2 + (len + 1) / 2 * 2;
    return state->at < PICT_SIZE_MAX ? STEP_DONE : STEP_BAD;
}

static struct sig_result pict_check(struct sig_input *in, void *memory)
{
    struct pict_state *state = memory;
    const uint8_t *p = sig_bytes(in, PICT_HEAD, 2);
    bool end = false;

    if (p == NULL)
        return sig_short(in);
    const uint32_t told = bytes_u16be(p);
    if (state->at == 0)
        state->at = PICT_FIRST;
    while (!end) {
        const enum step step =
            state->rows > 0 ? pict_rows(in, state) : pict_operation(in, state, &end);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return state->operations <= 2 ? sig_reject("invalid operation")
                                          : sig_breaks(in, "invalid operation");
        state->operations++;
        if (state->at <= in->limit && state->operations > 2)
            sig_valid(in, state->at);
    }
    if (state->operations <= 2)
        return sig_reject("nothing is drawn");
    if (((state->at - PICT_HEAD) & UINT16_MAX) != told)
        return sig_believe(in, state->at, "operations lead to the one that ends the picture");
    return sig_complete(in, state->at,
                        "operations lead to the last one; the head tells the length");
}

static void pict_facts(struct sig_facts *facts)
{
    const uint8_t *p = tell_bytes(facts, PICT_HEAD + 2, 8);

    if (p != NULL)
        tell_size(facts, (uint16_t)(bytes_u16be(p + 6) - bytes_u16be(p + 2)),
                  (uint16_t)(bytes_u16be(p + 4) - bytes_u16be(p)));
}

const struct sig sig_pict = {
    .name = "pct",
    .what = "picture of the old Macintosh (PICT 2)",
    .proves = "operations lead to the one that ends the picture; pixels are not unpacked",
    .source = "Apple, Inside Macintosh: Imaging With QuickDraw, appendix A",
    .types = (const struct sig_type[]){ { "pct", "pct" }, { 0 } },
    .headers = { SIG_PATTERN_AT(PICT_FIRST, "\0\x11\2\xff\x0c\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = PICT_FIRST + 6 + 24 + 2,
    .size_max = PICT_SIZE_MAX,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct pict_state),
    .check = pict_check,
    .facts = pict_facts,
};
