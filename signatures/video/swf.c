/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/swf.c - Flash animations.
 *
 *   "FWS" | version | u32le length | rectangle | u16le rate | u16le frames | tags (u16le code << 6
 *   | length [, u32le length]) up to End (0)
 *   "CWS" | version | u32le inflated length | zlib data of what follows          "ZWS" … | u32le
 *   LZMA length | 5 bytes | LZMA data
 *
 * Plain tags are walked and must end with End at the length; zlib data is inflated, must be as long
 * as the header says, and its Adler-32 agrees. LZMA data ends where its length says, which only its
 * first bytes speak for.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/inflate.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    SWF_HEAD = 8,
    SWF_LZMA_HEAD = 17,
    SWF_VERSION_MAX = 63,
    SWF_LENGTH_MAX = 1 << 30,
    SWF_PIECE = 4096,         /* so that a file ends before the next header behind it is judged */
    SWF_DOUBTFUL = 256 << 10, /* bytes before an error that may be wrong already */
    SWF_CUT_MIN = 64 << 10,   /* bytes that make a file which the end of the image cuts off */
    SWF_OUT = 64 << 10,       /* bytes inflated at a time */
    SWF_SHOW_FRAME = 1,
    SWF_CODE_MAX = 100,   /* of tags that Flash knows */
    SWF_CODE_OTHER = 253, /* and 254, 255, 700 … 777: of other tools */
    SWF_CODE_OTHER_MAX = 777,
};

struct swf_state {
    uint64_t at; /* the next tag or piece; 0: not begun */
    uint64_t inflated;
    uint32_t frames;
    bool ended;
    struct inflate_state inflate;
};
_Static_assert(sizeof(struct swf_state) <= SIG_STATE_MAX, "the state of ISA-L fits");

static struct sig_result swf_wait(struct sig_input *in, const struct swf_state *state)
{
    if (in->wanted > in->limit && state->at > SWF_CUT_MIN)
        sig_valid(in, state->at);
    return sig_short(in);
}

/* Bytes of the frame's rectangle: five numbers, the first of 5 bits says how wide the other four
 * are. */
static uint32_t swf_rectangle(uint8_t first)
{
    return (5 + 4 * (uint32_t)(first >> 3) + 7) / 8;
}

static struct sig_result swf_plain(struct sig_input *in, struct swf_state *state, uint32_t length)
{
    const uint8_t *head = sig_bytes(in, SWF_HEAD, 1);

    if (head == NULL)
        return sig_short(in);
    const uint32_t tags = SWF_HEAD + swf_rectangle(head[0]) + 4;
    head = sig_bytes(in, tags - 4, 4);
    if (head == NULL)
        return sig_short(in);
    const uint32_t frames = bytes_u16le(head + 2);
    if (state->at == 0)
        state->at = tags;
    while (state->at < length) {
        const uint8_t *tag = sig_bytes(in, state->at, 2);

        if (tag == NULL)
            return swf_wait(in, state);
        const uint32_t code = bytes_u16le(tag) >> 6;
        uint64_t len = bytes_u16le(tag) & 0x3f, end = state->at + 2;
        if (len == 0x3f) {
            tag = sig_bytes(in, end, 4);
            if (tag == NULL)
                return swf_wait(in, state);
            len = bytes_u32le(tag);
            end += 4;
        }
        end += len;
        if (code == 0)
            return len != 0 || end != length ? sig_reject("the tags do not end with the file")
                   : state->frames != frames && state->frames + 1 != frames && frames != 0
                       ? sig_reject("the number of frames differs from the header")
                       : sig_complete(in, length, "the tags lead to the end");
        if (end > length ||
            (code > SWF_CODE_MAX && (code < SWF_CODE_OTHER || code > SWF_CODE_OTHER_MAX)))
            break;
        state->frames += code == SWF_SHOW_FRAME;
        state->at = end;
    }
    if (state->frames > 0)
        sig_valid(in, state->at);
    return sig_breaks(in, "a valid tag must follow here, and none does");
}

/* One piece; *end: where the zlib data's checksum stands, when it was the last. */
static enum step swf_inflate(struct sig_input *in, struct swf_state *state, const uint8_t *bytes,
                             uint32_t len, uint64_t *end)
{
    uint8_t out[SWF_OUT];

    inflate_give(&state->inflate, bytes, len);
    do {
        uint32_t got;

        if (!inflate_take(&state->inflate, out, sig_unpack_room(in, state->at + len, sizeof out),
                          &got))
            return STEP_BAD;
        state->inflated += got;
        if (!sig_unpacked(in, state->at + len, got))
            return STEP_BAD;
    } while (inflate_more(&state->inflate) && state->inflated <= SWF_LENGTH_MAX);
    if (inflate_ended(&state->inflate))
        *end = state->at + len - inflate_unused(&state->inflate);
    return STEP_DONE;
}

static struct sig_result swf_zlib(struct sig_input *in, struct swf_state *state, uint32_t length)
{
    if (state->at == 0) {
        const uint8_t *head = sig_bytes(in, SWF_HEAD, 2);

        if (head == NULL)
            return sig_short(in);
        if ((head[0] & 0x8f) != 8 || bytes_u16be(head) % 31 != 0 || (head[1] & 0x20) != 0)
            return sig_reject("there are no zlib data");
        isal_inflate_init(&state->inflate);
        state->inflate.crc_flag = ISAL_ZLIB_NO_HDR;
        state->at = SWF_HEAD + 2;
    }
    while (!state->ended) {
        const uint64_t left = in->limit - state->at;
        const uint32_t len = left < SWF_PIECE ? (uint32_t)left : SWF_PIECE;
        const uint8_t *bytes = len == 0 ? NULL : sig_bytes(in, state->at, len);
        uint64_t end = 0;

        if (bytes == NULL && len == 0) {
            sig_valid(in, state->at > SWF_CUT_MIN ? in->limit : 0);
            return sig_breaks(in, "the image ends before the file does");
        }
        if (bytes == NULL)
            return swf_wait(in, state);
        if (swf_inflate(in, state, bytes, len, &end) == STEP_BAD ||
            state->inflated > length - SWF_HEAD) {
            sig_valid(in, state->at > SWF_DOUBTFUL ? state->at - SWF_DOUBTFUL : 0);
            return sig_breaks(in, "the data inflate to another length than the header says");
        }
        state->ended = end != 0;
        state->at = state->ended ? end : state->at + len;
    }
    const uint8_t *sum = sig_bytes(in, state->at, 4);
    if (sum == NULL)
        return swf_wait(in, state);
    if (state->inflated != length - SWF_HEAD || bytes_u32be(sum) != state->inflate.crc)
        return sig_breaks(in, "wrong checksum or length");
    return sig_complete(in, state->at + 4, "the checksum is right");
}

static struct sig_result swf_lzma(struct sig_input *in, uint32_t length)
{
    const uint8_t *head = sig_bytes(in, 0, SWF_LZMA_HEAD + 1);

    if (head == NULL)
        return sig_short(in);
    const uint32_t packed = bytes_u32le(head + 8);
    if (head[12] != 0x5d || head[SWF_LZMA_HEAD] != 0 || packed < 8 || packed > length)
        return sig_reject("there are no LZMA data");
    return sig_believe(in, SWF_LZMA_HEAD + (uint64_t)packed, "the LZMA data give the length");
}

static struct sig_result swf_check(struct sig_input *in, void *memory)
{
    struct swf_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, SWF_HEAD);

    if (head == NULL)
        return sig_short(in);
    const uint8_t kind = head[0], version = head[3];
    const uint32_t length = bytes_u32le(head + 4);
    if (version == 0 || version > SWF_VERSION_MAX || length < SWF_HEAD + 8 ||
        length > SWF_LENGTH_MAX)
        return sig_reject("invalid version or length");
    return kind == 'F'   ? swf_plain(in, state, length)
           : kind == 'C' ? swf_zlib(in, state, length)
                         : swf_lzma(in, length);
}

const struct sig sig_swf = {
    .name = "swf",
    .what = "Flash animation (SWF), plain or compressed",
    .proves = "plain: tags up to End; zlib: inflates, with its Adler-32; LZMA: only the length",
    .source = "Adobe, SWF File Format Specification 19, chapters 2 and 3",
    .types = (const struct sig_type[]){ { "swf", "swf" }, { 0 } },
    .headers = { SIG_MASKED("FWS\0???\0", "\xff\xff\xff\xc0\0\0\0\xff"),
                 SIG_MASKED("CWS\0????x", "\xff\xff\xff\xc0\0\0\0\0\xff"),
                 SIG_MASKED("ZWS\0????????\x5d\0\0",
                            "\xff\xff\xff\xc0\0\0\0\0\0\0\0\0\xff\xff\xff") },
    .flags = SIG_UNPACKS,
    .size_min = SWF_HEAD + 8,
    .size_max = SWF_LENGTH_MAX,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct swf_state),
    .state_clean = offsetof(struct swf_state, inflate),
    .check = swf_check,
};
