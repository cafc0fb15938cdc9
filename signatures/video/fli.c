/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/fli.c - Autodesk Animator: FLI and FLC animations.
 *
 *   u32le length | af 11 or af 12 | u16le frames | width | height | u16le 8 | u16le 3 or 0 … (128
 * bytes) frames: u32le size | f1 fa | u16le chunks | 8 zero bytes | (u32le size | u16le kind |
 * data)*
 *
 * Frames are walked, and the chunks in them: one frame more than the header says (the way back to
 * the first), up to the length.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    FLI_HEAD = 128,
    FLI_CHUNK = 6,
    FLI_FRAME = 16,
    FLI_FRAME_KIND = 0xf1fa,
    FLI_PREFIX_KIND = 0xf100,
    FLI_CHUNK_KIND_MAX = 44,
};

struct fli_state {
    uint64_t at;             /* the next frame, or chunk of one */
    uint64_t frame_end;      /* 0: between frames */
    uint32_t frames, chunks; /* whole frames; chunks that this frame still has */
};

static const struct sig_type fli_types[] = { { "fli", "fli" }, { "flc", "flc" }, { 0 } };

static struct sig_result fli_check(struct sig_input *in, void *memory)
{
    struct fli_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, FLI_HEAD);

    if (head == NULL)
        return sig_short(in);
    const uint32_t length = bytes_u32le(head), frames = bytes_u16le(head + 6);
    if (length < FLI_HEAD + FLI_FRAME || frames == 0 || bytes_u16le(head + 8) == 0 ||
        bytes_u16le(head + 10) == 0 || bytes_u16le(head + 12) != 8)
        return sig_reject("invalid header");
    in->type = &fli_types[head[4] == 0x12];
    if (state->at == 0)
        state->at = FLI_HEAD;
    while (state->at < length) {
        const bool between = state->frame_end == 0;
        const uint8_t *chunk = sig_bytes(in, state->at, between ? FLI_FRAME : FLI_CHUNK);

        if (chunk == NULL) {
            if (in->wanted > in->limit && state->frames > 0)
                sig_valid(in, in->limit);
            return sig_short(in);
        }
        const uint32_t size = bytes_u32le(chunk), kind = bytes_u16le(chunk + 4);
        const uint64_t end = (between ? length : state->frame_end) - state->at;
        if (size < FLI_CHUNK || size > end ||
            (between ? kind != FLI_FRAME_KIND && kind != FLI_PREFIX_KIND
                     : kind > FLI_CHUNK_KIND_MAX))
            return sig_breaks(in, "a valid frame or chunk must follow here, and none does");
        if (between && kind == FLI_FRAME_KIND && size >= FLI_FRAME && bytes_u16le(chunk + 6) > 0) {
            state->chunks = bytes_u16le(chunk + 6);
            state->frame_end = state->at + size;
            state->at += FLI_FRAME;
            continue;
        }
        state->at += size;
        state->frames += between && kind == FLI_FRAME_KIND;
        if (!between && --state->chunks == 0) {
            if (state->frame_end - state->at > 1) /* chunks are padded to an even size */
                return sig_breaks(in, "the chunks do not fill their frame");
            state->at = state->frame_end;
            state->frame_end = 0;
            state->frames++;
        }
        if (state->frames > 0 && state->frame_end == 0)
            sig_valid(in, state->at);
    }
    if (state->frame_end != 0 || (state->frames != frames && state->frames != frames + 1))
        return sig_breaks(in, "the number of frames differs from the header");
    return sig_complete(in, length, "the frames end at the length in the header");
}

const struct sig sig_fli = {
    .name = "fli",
    .what = "Autodesk Animator: FLI and FLC animation",
    .proves = "frames and their chunks fill the length, as many as the header says; pictures are "
              "not decoded",
    .source = "J. Kent, The Flic File Format; Autodesk Animator Pro file formats",
    .types = fli_types,
    .headers = { SIG_MASKED("????\x11\xaf??????\x08\0\3\0",
                            "\0\0\0\0\xff\xff\0\0\0\0\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("????\x11\xaf??????\x08\0\0\0",
                            "\0\0\0\0\xff\xff\0\0\0\0\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("????\x12\xaf??????\x08\0\3\0",
                            "\0\0\0\0\xff\xff\0\0\0\0\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("????\x12\xaf??????\x08\0\0\0",
                            "\0\0\0\0\xff\xff\0\0\0\0\0\0\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = FLI_HEAD + FLI_FRAME,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct fli_state),
    .check = fli_check,
};
