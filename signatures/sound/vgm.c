/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/vgm.c - VGM: music of game consoles, as commands for their sound chips.
 *
 *   "Vgm " | u32le end of the file, from 4 on | u32le version | ... | at 0x14 u32le place of GD3,
 * from there on, or 0 | GD3: "Gd3 " | 0x100 | u32le bytes of the names behind it
 *
 * GD3 lies behind the commands and ends the file; without it the last command, 0x66, does.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum { VGM_HEAD = 0x40, VGM_GD3_AT = 0x14, VGM_GD3 = 12, VGM_LAST = 0x66 };

static struct sig_result vgm_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, VGM_HEAD);

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint64_t end = (uint64_t)bytes_u32le(p + 4) + 4;
    const uint32_t names = bytes_u32le(p + VGM_GD3_AT);
    const uint64_t gd3 = (uint64_t)names + VGM_GD3_AT;
    if (end <= VGM_HEAD || (p[8] & 0xf) > 9 || (names != 0 && (gd3 <= VGM_HEAD || gd3 >= end)))
        return sig_reject("invalid version, or lengths do not agree");
    if (names != 0) {
        p = sig_bytes(in, gd3, VGM_GD3);
        if (p == NULL)
            return sig_short(in);
        if (memcmp(p, "Gd3 \0\1\0\0", 8) != 0 || gd3 + VGM_GD3 + bytes_u32le(p + 8) != end)
            return sig_reject("the names do not end with the file");
    }
    p = sig_bytes(in, (names != 0 ? gd3 : end) - 1, 1);
    if (p == NULL)
        return sig_short(in);
    if (*p != VGM_LAST)
        return sig_reject("the commands do not end");
    sig_valid(in, VGM_HEAD);
    return sig_believe(in, end, "commands and names lead to the end");
}

const struct sig sig_vgm = {
    .name = "vgm",
    .what = "VGM, music of game consoles",
    .proves =
        "the command that ends the music and the names are where the header says, and end the file",
    .source = "VGM Specification 1.71 (SMS Power); GD3 Specification 1.00",
    .types = (const struct sig_type[]){ { "vgm", "vgm" }, { 0 } },
    .headers = { SIG_MASKED("Vgm \0\0\0\0\0\1\0\0", "\xff\xff\xff\xff\0\0\0\0\x80\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = VGM_HEAD + 1,
    .size_max = 1 << 28,
    .check = vgm_check,
};
