/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/gzip.c - gzip: members, each inflated, its CRC-32 and length compared.
 *
 *   1f 8b | 8 | flags | u32le time | 2 bytes | [extra] [name 0] [comment 0] [crc16] | deflate |
 * u32le crc | u32le length
 *
 * A member that begins right behind another one and is whole belongs to the same file (RFC
 * 1952, 2.2). Bytes are inflated in pieces whose sizes follow from where they lie in the member's
 * data, so that nothing depends on how they arrive. Other data behind a true beginning inflates
 * without error until it happens upon the code for the end of a block, which can be as rare as one
 * code in 2^15: a file that breaks is held right up to 256 KiB before the piece with the error, and
 * refused when nothing is left then. Zeros, as holes of an image have them, may never have an
 * error.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/uninitialized.h"
#include "signatures/archive/gzip_flow.h"
#include "signatures/lib/crc32.h"
#include "signatures/lib/inflate.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    GZIP_HEAD = 10,
    GZIP_TRAILER = 8,
    GZIP_PIECE = 4096, /* of a small file, which is to end before a header behind it is judged */
    GZIP_PIECE_MAX = SIG_BYTES_MAX,
    GZIP_PIECE_SHARE = 32, /* a piece is twice as long when so many of them have been read */
    GZIP_DOUBTFUL =
        64, /* times GZIP_PIECE bytes before the piece with the error that may be wrong already */
    GZIP_OUT = 128 << 10, /* bytes inflated at a time */
    GZIP_TEXT_MAX = 4096, /* bytes of the name or the comment */
    GZIP_CUT_MIN = 1024,  /* bytes of data that make a file which the end of the image cuts off */
    GZIP_HEADER_CRC = 1 << 1,
    GZIP_EXTRA = 1 << 2,
    GZIP_NAME = 1 << 3,
    GZIP_COMMENT = 1 << 4,
    GZIP_RESERVED = 0xe0,
};
#define GZIP_OUT_MAX                                                                               \
    (UINT64_C(16) << 30) /* bytes inflated from one file: nobody stores more, but bombs do */

enum gzip_phase { GZIP_IN_HEADER, GZIP_IN_DATA, GZIP_IN_TRAILER };

struct gzip_state {
    enum gzip_phase phase;
    uint64_t member;   /* object offset of the member being read */
    uint64_t data;     /* object offset of its deflate data */
    uint64_t at;       /* object offset of the next piece */
    uint64_t whole;    /* end of the last whole member; 0: none yet */
    uint64_t inflated; /* bytes, of all members */
    uint32_t zeros;    /* see inflate_zeros */
    struct inflate_state inflate;
};
_Static_assert(sizeof(struct gzip_state) <= SIG_STATE_MAX, "the state of ISA-L fits");

static uint32_t gzip_live(const void *memory)
{
    const struct gzip_state *state = memory;

    return (uint32_t)offsetof(struct gzip_state, inflate) +
           (state->phase == GZIP_IN_HEADER ? 0 : inflate_live(&state->inflate));
}

/* A member that cannot be read ends the file behind the one before it. */
static struct sig_result gzip_break(struct sig_input *in, const struct gzip_state *state,
                                    const char *why)
{
    if (state->whole > 0)
        return sig_complete(in, state->whole, "the CRC of every member is right");
    const uint64_t pieces =
        state->phase == GZIP_IN_HEADER ? 0 : (state->at - state->data) / GZIP_PIECE;
    if (pieces > GZIP_DOUBTFUL)
        sig_valid(in, state->data + (pieces - GZIP_DOUBTFUL) * GZIP_PIECE);
    return sig_breaks(in, why);
}

static struct sig_result gzip_wait(struct sig_input *in, const struct gzip_state *state)
{
    if (in->wanted <= in->limit)
        return sig_short(in);
    if (state->whole == 0 && state->phase != GZIP_IN_HEADER &&
        in->limit >= state->data + GZIP_CUT_MIN)
        sig_valid(in, in->limit);
    return gzip_break(in, state, sig_short(in).why);
}

/* Steps *at over a text and its NUL. */
static enum step gzip_text(struct sig_input *in, uint64_t *at)
{
    for (uint32_t i = 0; i < GZIP_TEXT_MAX; i++) {
        const uint8_t *byte = sig_bytes(in, *at, 1);

        if (byte == NULL)
            return STEP_WAIT;
        ++*at;
        if (byte[0] == 0)
            return STEP_DONE;
    }
    return STEP_BAD;
}

/* The CRC-16 of a member's header is the lower half of its CRC-32. */
static enum step gzip_header_crc(struct sig_input *in, uint64_t from, uint64_t to)
{
    uint32_t crc = 0;

    if (crc32_add(in, &from, to, &crc) == STEP_WAIT)
        return STEP_WAIT;
    const uint8_t *stored = sig_bytes(in, to, 2);
    if (stored == NULL)
        return STEP_WAIT;
    return bytes_u16le(stored) == (crc & 0xffff) ? STEP_DONE : STEP_BAD;
}

static enum step gzip_header(struct sig_input *in, struct gzip_state *state)
{
    const uint8_t *head = sig_bytes(in, state->member, GZIP_HEAD);
    enum step step = STEP_DONE;

    if (head == NULL)
        return STEP_WAIT;
    const uint8_t flags = head[3];
    if (memcmp(head, "\x1f\x8b\x08", 3) != 0 || (flags & GZIP_RESERVED) != 0)
        return STEP_BAD;
    if (state->member > 0)
        sig_claim(in, state->member);
    uint64_t at = state->member + GZIP_HEAD;
    if (flags & GZIP_EXTRA) {
        const uint8_t *len = sig_bytes(in, at, 2);
        if (len == NULL)
            return STEP_WAIT;
        at += 2 + bytes_u16le(len);
    }
    if (flags & GZIP_NAME)
        step = gzip_text(in, &at);
    if (step == STEP_DONE && flags & GZIP_COMMENT)
        step = gzip_text(in, &at);
    if (step == STEP_DONE && flags & GZIP_HEADER_CRC) {
        step = gzip_header_crc(in, state->member, at);
        at += 2;
    }
    if (step != STEP_DONE)
        return step;
    if ((flags & GZIP_HEADER_CRC) == 0)
        sig_open_field(in, state->member + GZIP_HEAD, at);
    isal_inflate_init(&state->inflate);
    state->inflate.crc_flag = ISAL_GZIP_NO_HDR;
    state->zeros = 0;
    state->data = at;
    state->at = at;
    state->phase = GZIP_IN_DATA;
    return STEP_DONE;
}

/* Inflates one piece, all of whose bytes are at hand. */
static enum step gzip_piece(struct sig_input *in, struct gzip_state *state, const uint8_t *bytes,
                            uint32_t len, const char **why)
{
    struct inflate_state *inflate = &state->inflate;
    uint8_t out[GZIP_OUT] UNINITIALIZED;

    if (!inflate_zeros(&state->zeros, bytes, len)) {
        *why = "zeros stand where the data should go on";
        return STEP_BAD;
    }
    inflate_give(inflate, bytes, len);
    do {
        uint32_t got;

        if (!inflate_take(inflate, out, sig_unpack_room(in, state->at + len, sizeof out), &got)) {
            *why = "the data cannot be inflated";
            return STEP_BAD;
        }
        state->inflated += got;
        if (!sig_unpacked(in, state->at + len, got))
            return STEP_BAD; /* the owner says why */
        if (state->inflated > GZIP_OUT_MAX) {
            *why = "the data inflate to more than the limit";
            return STEP_BAD;
        }
    } while (inflate_more(inflate));
    if (inflate_ended(inflate)) {
        state->at += len - inflate_unused(inflate);
        state->phase = GZIP_IN_TRAILER;
    } else {
        state->at += len;
    }
    return STEP_DONE;
}

/* Bytes of the piece behind so many bytes of a member's data. Longer ones are quicker. */
static uint32_t gzip_piece_len(uint64_t done)
{
    uint32_t len = GZIP_PIECE;

    while (len < GZIP_PIECE_MAX && done / GZIP_PIECE_SHARE >= len)
        len *= 2;
    return len;
}

static enum step gzip_data(struct sig_input *in, struct gzip_state *state, const char **why)
{
    while (state->phase == GZIP_IN_DATA) {
        const uint64_t rest = state->at < in->limit ? in->limit - state->at : 1;
        const uint32_t piece = gzip_piece_len(state->at - state->data);
        const uint32_t len = rest < piece ? (uint32_t)rest : piece;
        const uint8_t *bytes = sig_bytes(in, state->at, len);

        if (bytes == NULL)
            return STEP_WAIT;
        const enum step step = gzip_piece(in, state, bytes, len, why);
        if (step != STEP_DONE)
            return step;
    }
    return STEP_DONE;
}

static enum step gzip_trailer(struct sig_input *in, struct gzip_state *state, const char **why)
{
    const uint8_t *trailer = sig_bytes(in, state->at, GZIP_TRAILER);

    if (trailer == NULL)
        return STEP_WAIT;
    if (bytes_u32le(trailer) != state->inflate.crc ||
        bytes_u32le(trailer + 4) != state->inflate.total_out) {
        *why = "wrong CRC or length of the inflated data";
        return STEP_BAD;
    }
    state->whole = state->at + GZIP_TRAILER;
    sig_sure(in, state->whole);
    state->member = state->whole;
    state->phase = GZIP_IN_HEADER;
    return STEP_DONE;
}

static struct sig_result gzip_check(struct sig_input *in, void *memory)
{
    struct gzip_state *state = memory;

    for (;;) {
        const char *why = "invalid header";
        enum step step;

        switch (state->phase) {
        case GZIP_IN_HEADER:
            if (sig_claims_full(in))
                return sig_again(in);
            step = gzip_header(in, state);
            break;
        case GZIP_IN_DATA:
            step = gzip_data(in, state, &why);
            break;
        default:
            step = gzip_trailer(in, state, &why);
            break;
        }
        if (step == STEP_WAIT)
            return gzip_wait(in, state);
        if (step == STEP_BAD)
            return gzip_break(in, state, why);
    }
}

const struct sig sig_gzip = {
    .name = "gz",
    .what = "gzip file",
    .proves = "every member inflates and has its CRC-32 and length",
    .source = "RFC 1952, RFC 1951",
    .types = (const struct sig_type[]){ { "gz", "gz" }, { 0 } },
    .headers = { SIG_MASKED("\x1f\x8b\x08\0", "\xff\xff\xff\xe0") },
    .flags = SIG_CLAIMS | SIG_UNPACKS,
    .size_min = GZIP_HEAD + 2 + GZIP_TRAILER,
    .size_max = UINT64_C(1) << 36,
    .seam = SIG_SEAM_EXACT,
    .state_size = sizeof(struct gzip_state),
    .state_clean = offsetof(struct gzip_state, inflate),
    .state_live = gzip_live,
    .flow = &gzip_flow,
    .check = gzip_check,
};
