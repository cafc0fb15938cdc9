/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/dv.c - raw DV: frames of 10 (525 lines) or 12 (625 lines) sequences of 150
 * blocks of 80 bytes.
 *
 *   block: section (3 bits: 0 header, 1 subcode, 2 auxiliary, 3 audio, 4 video) … | sequence << 4,
 * 7 | number | 77 bytes sequence: 1 header, 2 subcode, 3 auxiliary, then 9 times 1 audio and 15
 * video
 *
 * Every block's head is known, so that the frames of a file can be told from anything else. It ends
 * behind its last whole frame.
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    DV_BLOCK = 80,
    DV_BLOCKS = 150,
    DV_SEQUENCE = DV_BLOCK * DV_BLOCKS,
    DV_FRAMES_MIN = 1,
};

struct dv_state {
    uint64_t sequences; /* right ones */
};

/* Section of a block by where it stands. */
static uint8_t dv_section(uint32_t block)
{
    return block == 0 ? 0 : block < 3 ? 1 : block < 6 ? 2 : (block - 6) % 16 == 0 ? 3 : 4;
}

static bool dv_sequence_right(const uint8_t *sequence, uint32_t number)
{
    for (uint32_t block = 0; block < DV_BLOCKS; block++, sequence += DV_BLOCK)
        if (sequence[0] >> 5 != dv_section(block) || sequence[1] >> 4 != number ||
            (sequence[1] & 7) != 7)
            return false;
    return true;
}

static struct sig_result dv_check(struct sig_input *in, void *memory)
{
    struct dv_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, 2 * DV_BLOCK);

    if (head == NULL)
        return sig_short(in);
    if (head[DV_BLOCK] >> 5 != 1 || head[DV_BLOCK + 1] >> 4 != 0)
        return sig_reject("there is no subcode behind the header");
    const uint32_t per_frame = (head[3] & 0x80) != 0 ? 12 : 10;
    for (;;) {
        const uint64_t at = state->sequences * DV_SEQUENCE;
        const uint32_t number = (uint32_t)(state->sequences % per_frame);
        const uint8_t *sequence = sig_bytes(in, at, DV_SEQUENCE);

        if (sequence == NULL && in->wanted <= in->limit)
            return sig_short(in);
        if (sequence == NULL && in->limit - at >= DV_BLOCK) {
            const uint8_t *first = sig_bytes(in, at, 2);

            if (first != NULL && first[0] >> 5 == 0 && first[1] >> 4 == number &&
                (first[1] & 7) == 7 && state->sequences >= per_frame) {
                sig_valid(in, in->limit);
                return sig_breaks(in, "the image ends before the file does");
            }
        }
        if (sequence == NULL || !dv_sequence_right(sequence, number))
            break;
        state->sequences++;
        if (state->sequences >= per_frame)
            sig_valid(in, state->sequences * DV_SEQUENCE);
    }
    if (state->sequences < (uint64_t)per_frame * DV_FRAMES_MIN)
        return sig_reject("there is no whole frame");
    return state->sequences % per_frame == 0
               ? sig_complete(in, state->sequences * DV_SEQUENCE, "whole frames follow one another")
               : sig_breaks(in, "the last frame is not whole");
}

const struct sig sig_dv = {
    .name = "dv",
    .what = "Raw DV video",
    .proves = "every block of every frame has its kind and number; sound and picture in them are "
              "not decoded",
    .source = "IEC 61834-2; SMPTE ST 314",
    .types = (const struct sig_type[]){ { "dv", "dv" }, { 0 } },
    .headers = { SIG_MASKED("\x1f\x07\0\x3f", "\xff\xff\xff\x7f") },
    .flags = SIG_SECTOR_ALIGNED | SIG_STREAM,
    .size_min = 10 * DV_SEQUENCE,
    .size_max = UINT64_C(1) << 40,
    .seam = SIG_SEAM_UNIT,
    .state_size = sizeof(struct dv_state),
    .check = dv_check,
};
