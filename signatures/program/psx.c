/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/psx.c - programs of the PlayStation.
 *
 *   "PS-X EXE" | 8 zeros | 0x10: u32le entry | 0x18: u32le place in memory, bytes, a multiple of
 * 2048 | 0x4c: "Sony Computer Entertainment Inc. for ..." | at 0x800: the program
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum { PSX_HEAD = 0x800, PSX_FIELDS = 0x90, PSX_MEMORY = 2 << 20 };

static struct sig_result psx_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, PSX_FIELDS);

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint32_t entry = bytes_u32le(p + 0x10) & 0x1fffffff,
                   at = bytes_u32le(p + 0x18) & 0x1fffffff, len = bytes_u32le(p + 0x1c);
    if (len == 0 || len % PSX_HEAD != 0 || at >= PSX_MEMORY || len > PSX_MEMORY - at ||
        entry < at || entry - at >= len || entry % 4 != 0 ||
        (p[0x4c] != 0 && memcmp(p + 0x4c, "Sony", 4) != 0))
        return sig_reject("place, entry and length do not agree");
    sig_valid(in, PSX_FIELDS);
    return sig_believe(in, PSX_HEAD + (uint64_t)len, "the header gives the length");
}

const struct sig sig_psx = {
    .name = "psx",
    .what = "program of the PlayStation",
    .proves = "the program lies in the memory of the machine and begins inside; code is not read",
    .source = "M. Korth, psx-spx: CDROM File Formats, PS-X EXE",
    .types = (const struct sig_type[]){ { "psx", "exe" }, { 0 } },
    .headers = { SIG_PATTERN("PS-X EXE\0\0\0\0\0\0\0\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 2 * PSX_HEAD,
    .size_max = PSX_HEAD + PSX_MEMORY,
    .check = psx_check,
};
