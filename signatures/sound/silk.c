/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/silk.c - SILK: voice messages of WeChat, QQ and Skype.
 *
 *   [02, in those of WeChat and QQ] "#!SILK_V3" | frames: u16le bytes | data | [ffff]
 *
 * WeChat writes no ffff: the file ends where no frame follows.
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    SILK_MAGIC = 9,
    SILK_FRAME_MAX = 1275, /* bytes, see RFC 6716 3.2.1 */
    SILK_FRAMES_MIN = 3,
    SILK_END = 0xffff,
};

struct silk_state {
    uint64_t at; /* the next frame; 0: not begun */
    uint32_t frames;
};

static struct sig_result silk_check(struct sig_input *in, void *memory)
{
    struct silk_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, SILK_MAGIC + 1);

    if (p == NULL)
        return sig_short(in);
    if (state->at == 0)
        state->at = SILK_MAGIC + (p[0] == 2);
    while (state->at < in->limit) {
        p = sig_bytes(in, state->at, 2);
        if (p == NULL)
            return sig_short(in);
        const uint32_t bytes = bytes_u16le(p);
        if (bytes == SILK_END && state->frames >= SILK_FRAMES_MIN)
            return sig_complete(in, state->at + 2, "frames lead to the end mark");
        if (bytes == 0 || bytes > SILK_FRAME_MAX)
            break;
        if (sig_bytes(in, state->at + 2 + bytes - 1, 1) == NULL)
            return sig_short(in);
        state->at += 2 + bytes;
        if (++state->frames >= SILK_FRAMES_MIN)
            sig_valid(in, state->at);
    }
    if (state->frames < SILK_FRAMES_MIN)
        return sig_reject("there are too few frames");
    return sig_believe(in, state->at, "frames follow one another, and no other does");
}

const struct sig sig_silk = {
    .name = "silk",
    .what = "voice message of WeChat, QQ or Skype (SILK)",
    .proves = "frames follow one another to the end mark, or to where no other does",
    .source = "Skype, SILK Speech Codec, draft-vos-silk-02, and its test program Encoder.c",
    .types = (const struct sig_type[]){ { "silk", "silk" }, { 0 } },
    .headers = { SIG_PATTERN("\2#!SILK_V3"), SIG_PATTERN("#!SILK_V3") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = SILK_MAGIC + 3 * SILK_FRAMES_MIN,
    .size_max = 1 << 28,
    .state_size = sizeof(struct silk_state),
    .check = silk_check,
};
