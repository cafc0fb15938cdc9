/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/aseprite.c - drawings of Aseprite.
 *
 *   128 bytes: u32le bytes of the file | u16le a5e0 | u16le frames, width, height, bits of a pixel
 * ... | frames: u32le bytes | u16le f1fa | u16le chunks | u16le time | 2 bytes | u32le chunks,
 * where there are more | chunks: u32le bytes | u16le kind | data
 *
 * Chunks fill their frame, frames the file.
 */
#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    ASEPRITE_HEAD = 128,
    ASEPRITE_FRAME = 16,
    ASEPRITE_CHUNK = 6,
    ASEPRITE_FRAME_MAGIC = 0xf1fa
};

struct aseprite_state {
    uint64_t at, frame; /* the next chunk or frame; the end of the frame */
    uint32_t frames;    /* begun so far */
};

static enum step aseprite_part(struct sig_input *in, struct aseprite_state *state, uint64_t size)
{
    const bool chunk = state->at < state->frame;
    const uint8_t *p = sig_bytes(in, state->at, chunk ? ASEPRITE_CHUNK : ASEPRITE_FRAME);

    if (p == NULL)
        return STEP_WAIT;
    const uint64_t len = bytes_u32le(p);
    if (len < (chunk ? ASEPRITE_CHUNK : ASEPRITE_FRAME) ||
        len > (chunk ? state->frame : size) - state->at ||
        (!chunk && bytes_u16le(p + 4) != ASEPRITE_FRAME_MAGIC))
        return STEP_BAD;
    if (!chunk) {
        state->frame = state->at + len;
        state->frames++;
    }
    state->at += chunk ? len : ASEPRITE_FRAME;
    return STEP_DONE;
}

static struct sig_result aseprite_check(struct sig_input *in, void *memory)
{
    struct aseprite_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, ASEPRITE_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint64_t size = bytes_u32le(p);
    const uint32_t frames = bytes_u16le(p + 6), bits = bytes_u16le(p + 12);
    if (frames == 0 || bytes_u16le(p + 8) == 0 || bytes_u16le(p + 10) == 0 ||
        (bits != 8 && bits != 16 && bits != 32) || size < ASEPRITE_HEAD + ASEPRITE_FRAME)
        return sig_reject("invalid size or depth");
    if (state->at == 0)
        state->at = state->frame = ASEPRITE_HEAD;
    while (state->at < size) {
        const enum step step = aseprite_part(in, state, size);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "invalid frame or chunk");
        sig_valid(in, state->at < in->limit ? state->at : in->limit);
    }
    if (state->frames != frames)
        return sig_breaks(in, "there are not as many frames as the head says");
    return sig_believe(in, size, "frames and chunks fill the file");
}

const struct sig sig_aseprite = {
    .name = "aseprite",
    .what = "drawing of Aseprite",
    .proves = "chunks fill their frames, frames the file; pixels are not unpacked",
    .source = "Aseprite, docs/ase-file-specs.md",
    .types = (const struct sig_type[]){ { "aseprite", "aseprite" }, { 0 } },
    .headers = { SIG_MASKED("\0\0\0\0\xe0\xa5\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
                            "\0\0\0\0\xff\xff\0\0\0\0\0\0\xc7\xff\0\0\0\0\0\0"
                            "\xff\xff\xff\xff\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = ASEPRITE_HEAD + ASEPRITE_FRAME,
    .size_max = UINT32_MAX,
    .state_size = sizeof(struct aseprite_state),
    .check = aseprite_check,
};
