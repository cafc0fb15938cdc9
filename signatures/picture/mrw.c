/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/mrw.c - MRW, raw pictures of Minolta.
 *
 *   "\0MRM" | u32be bytes of the blocks | blocks: name | u32be length | data; "\0PRD" comes first |
 * the sensor's pixels
 *
 * PRD tells the size of the sensor and the bits that a pixel takes, so it tells where the file
 * ends.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    MRW_HEAD = 8,
    MRW_BLOCK = 8,
    MRW_PRD = 24, /* bytes of PRD */
    MRW_FIRST = MRW_HEAD + MRW_BLOCK + MRW_PRD,
    MRW_BLOCKS_MAX = 16,
    MRW_SIDE_MAX = 1 << 14,
};

static bool mrw_name(const uint8_t *name)
{
    for (uint32_t i = 1; i < 4; i++)
        if (name[i] < 'A' || name[i] > 'Z')
            return false;
    return name[0] == 0;
}

static struct sig_result mrw_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, MRW_FIRST);
    uint64_t at = MRW_FIRST;

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint64_t pixels_at = (uint64_t)bytes_u32be(p + 4) + MRW_HEAD;
    const uint8_t *prd = p + MRW_HEAD + MRW_BLOCK;
    const uint32_t height = bytes_u16be(prd + 8), width = bytes_u16be(prd + 10), bits = prd[16],
                   depth = prd[17];
    if (height < 16 || width < 16 || height > MRW_SIDE_MAX || width > MRW_SIDE_MAX ||
        bytes_u16be(prd + 12) > height || bytes_u16be(prd + 14) > width ||
        bytes_u16be(prd + 12) == 0 || bytes_u16be(prd + 14) == 0)
        return sig_reject("invalid size of the picture");
    if ((bits != 12 && bits != 16) || depth != 12 || (prd[18] != 0x52 && prd[18] != 0x59) ||
        width % 2 != 0)
        return sig_reject("invalid bits of a pixel");
    for (uint32_t i = 0; at < pixels_at; i++) {
        p = sig_bytes(in, at, MRW_BLOCK);
        if (p == NULL)
            return sig_short(in);
        const uint64_t length = bytes_u32be(p + 4);
        if (i == MRW_BLOCKS_MAX || !mrw_name(p) || length > pixels_at - at - MRW_BLOCK)
            return sig_reject("invalid block");
        at += MRW_BLOCK + length;
    }
    if (at != pixels_at)
        return sig_reject("the blocks do not lead to the pixels");
    sig_valid(in, at < in->limit ? at : in->limit);
    return sig_believe(in, at + (uint64_t)height * width * bits / 8,
                       "the blocks lead to the pixels, whose number is told");
}

const struct sig sig_mrw = {
    .name = "mrw",
    .what = "MRW, raw picture of Minolta",
    .proves =
        "blocks lead to the pixels; these have the size and bits that are told, and are not read",
    .source = "D. Knop, MRW File Format (2004); ExifTool, MinoltaRaw tags; LibRaw, minolta.cpp",
    .types = (const struct sig_type[]){ { "mrw", "mrw" }, { 0 } },
    .headers = { SIG_MASKED("\0MRM\0\0\0\0\0PRD\0\0\0\x18",
                            "\xff\xff\xff\xff\xff\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff") },
    .size_min = MRW_FIRST + 16 * 16 * 3 / 2,
    .size_max = UINT64_C(1) << 30,
    .check = mrw_check,
};
