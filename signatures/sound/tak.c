/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/tak.c - TAK: Tom's lossless sound.
 *
 *   "tBaK" | blocks: kind | u24le bytes | data | u24 CRC of the data. Kind 1 describes the sound, 7
 * tells u40le place, u24le bytes of the last frame, counted from behind the block of kind 0, which
 * is the last. Frames follow, then tags.
 */
#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"
#include "signatures/sound/audio_tag.h"

enum {
    TAK_MAGIC = 4,
    TAK_BLOCK = 4,
    TAK_CRC = 3,
    TAK_BLOCK_MAX = 1 << 14,
    TAK_BLOCKS_MAX = 64,
    TAK_END = 0,
    TAK_SOUND = 1,
    TAK_PADDING = 5,
    TAK_LAST = 7,
    TAK_LAST_BYTES = 11,
};

/* The CRC-24 of OpenPGP, see RFC 4880 6.1. */
static uint32_t tak_crc(const uint8_t *p, uint32_t len)
{
    uint32_t crc = 0xb704ce;

    for (uint32_t i = 0; i < len; i++) {
        crc ^= (uint32_t)p[i] << 16;
        for (uint32_t bit = 0; bit < 8; bit++)
            crc = crc << 1 ^ ((crc & 0x800000) != 0 ? 0x1864cfb : 0);
    }
    return crc & 0xffffff;
}

static uint32_t tak_u24(const uint8_t *p)
{
    return (uint32_t)bytes_u16le(p) | (uint32_t)p[2] << 16;
}

struct tak_head {
    uint64_t frames, last; /* where frames begin; bytes of all, 0: not told */
    bool sound;
};

/* The block at *at, which moves behind it; *kind. */
static enum step tak_block(struct sig_input *in, uint64_t *at, struct tak_head *head,
                           uint32_t *kind)
{
    const uint8_t *p = sig_bytes(in, *at, TAK_BLOCK);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t len = tak_u24(p + 1);
    *kind = p[0] & 0x7fu;
    if (*kind == TAK_END || *kind == TAK_PADDING) {
        *at += TAK_BLOCK + len;
        return STEP_DONE;
    }
    if (len <= TAK_CRC || len > TAK_BLOCK_MAX)
        return STEP_BAD;
    p = sig_bytes(in, *at + TAK_BLOCK, len);
    if (p == NULL)
        return STEP_WAIT;
    const uint8_t *told = p + len - TAK_CRC;
    if (tak_crc(p, len - TAK_CRC) != ((uint32_t)told[0] << 16 | (uint32_t)told[1] << 8 | told[2]))
        return STEP_BAD;
    head->sound |= *kind == TAK_SOUND;
    if (*kind == TAK_LAST && len == TAK_LAST_BYTES)
        head->last = ((uint64_t)p[4] << 32 | bytes_u32le(p)) + tak_u24(p + 5);
    *at += TAK_BLOCK + len;
    return STEP_DONE;
}

static struct sig_result tak_check(struct sig_input *in, void *memory)
{
    struct tak_head head = { 0 };
    uint64_t at = TAK_MAGIC;
    uint32_t kind = TAK_SOUND;

    (void)memory;
    for (uint32_t i = 0; i < TAK_BLOCKS_MAX && kind != TAK_END; i++) {
        const enum step step = tak_block(in, &at, &head, &kind);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "wrong CRC of a block");
        if (head.sound)
            sig_valid(in, at < in->limit ? at : in->limit);
    }
    if (kind != TAK_END || !head.sound)
        return sig_reject("the head does not describe sound");
    if (head.last == 0)
        return sig_breaks(in, "the place of the last frame is not told");
    uint64_t end = at + head.last;
    const uint8_t *p = sig_bytes(in, at, 2);
    if (p == NULL)
        return sig_short(in);
    if (p[0] != 0xa0 || p[1] != 0xff)
        return sig_breaks(in, "frames do not begin behind the head");
    if (sig_bytes(in, end - 1, 1) == NULL || audio_tag_behind(in, &end) == STEP_WAIT)
        return sig_short(in);
    return sig_believe(in, end, "the head tells where the last frame ends");
}

const struct sig sig_tak = {
    .name = "tak",
    .what = "TAK, Tom's lossless sound",
    .proves =
        "the CRC-24 of every block of the head, which leads to the last frame; frames are not read",
    .source = "FFmpeg, libavformat/takdec.c, libavcodec/tak.h",
    .types = (const struct sig_type[]){ { "tak", "tak" }, { 0 } },
    .headers = { SIG_PATTERN("tBaK\1") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 24,
    .size_max = UINT64_C(1) << 36,
    .check = tak_check,
};
