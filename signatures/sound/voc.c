/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/voc.c - Creative Voice.
 *
 *   "Creative Voice File\x1a" | u16le 26 | u16le version | u16le 0x1234 - version - 1 | blocks:
 * type | u24le length | data; type 0, alone, ends the file
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum { VOC_HEAD = 26, VOC_TYPE_MAX = 9, VOC_BLOCKS_MAX = 1 << 20 };

struct voc_state {
    uint64_t at; /* object offset of the next block; 0: not begun */
    uint32_t blocks;
    bool has_sound;
};

/* The least length of a block by its type: what follows is of no use below it. */
static bool voc_block_ok(uint32_t type, uint32_t len)
{
    static const uint8_t least[VOC_TYPE_MAX + 1] = { 0, 2, 1, 3, 2, 1, 2, 0, 4, 12 };

    return type <= VOC_TYPE_MAX && len >= least[type] &&
           ((type != 3 && type != 4 && type != 6 && type != 7 && type != 8) || len == least[type]);
}

static struct sig_result voc_check(struct sig_input *in, void *memory)
{
    struct voc_state *state = memory;

    if (state->at == 0) {
        const uint8_t *head = sig_bytes(in, 0, VOC_HEAD);

        if (head == NULL)
            return sig_short(in);
        const uint32_t version = bytes_u16le(head + 22);
        if (bytes_u16le(head + 24) != ((0x1234u + (~version & 0xffff)) & 0xffff))
            return sig_reject("the checksum of the version is wrong");
        state->at = VOC_HEAD;
    }
    for (;;) {
        const uint8_t *block = sig_bytes(in, state->at, 1);
        const uint32_t type = block == NULL ? 0 : block[0];

        if (block != NULL && type == 0) {
            if (!state->has_sound)
                return sig_reject("the file ends before its sound");
            return sig_complete(in, state->at + 1, "the blocks lead to the one that ends the file");
        }
        if (block != NULL)
            block = sig_bytes(in, state->at, 4);
        if (block == NULL) {
            if (in->wanted > in->limit && state->blocks > 0)
                sig_valid(in, in->limit);
            return sig_short(in);
        }
        const uint32_t len = bytes_u32le(block) >> 8;
        if (!voc_block_ok(type, len) || state->blocks == VOC_BLOCKS_MAX)
            return sig_breaks(in, "invalid block");
        state->has_sound |= type == 1 || type == 9;
        state->at += 4 + (uint64_t)len;
        state->blocks++;
        if (state->blocks > 1)
            sig_valid(in, state->at);
    }
}

const struct sig sig_voc = {
    .name = "voc",
    .what = "Creative Voice sound",
    .proves = "blocks lead to the one that ends the file; samples are not read",
    .source =
        "Creative Labs, Sound Blaster Developer Kit: Creative Voice file format, 1.10 and 1.20",
    .types = (const struct sig_type[]){ { "voc", "voc" }, { 0 } },
    .headers = { SIG_PATTERN("Creative Voice File\x1a\x1a\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = VOC_HEAD + 4 + 2 + 1,
    .size_max = UINT64_C(1) << 32, /* policy: the format has no limit */
    .state_size = sizeof(struct voc_state),
    .check = voc_check,
};
