/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/vdex.c - VDEX: what Android 12 and later keep of programs that they have
 * verified.
 *
 *   "vdex" | "027\0" | u32le sections, 4 | sections: u32le kind, counted from 0 | place | bytes
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum { VDEX_HEAD = 12, VDEX_SECTION = 12, VDEX_SECTIONS = 4 };

static struct sig_result vdex_check(struct sig_input *in, void *memory)
{
    uint64_t end = VDEX_HEAD + VDEX_SECTIONS * VDEX_SECTION;
    const uint8_t *p = sig_bytes(in, 0, (uint32_t)end);

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    p += VDEX_HEAD;
    if (bytes_u32le(p + 8) == 0 || bytes_u32le(p + 8) % 4 != 0)
        return sig_reject("no sums of programs");
    for (uint32_t i = 0; i < VDEX_SECTIONS; i++, p += VDEX_SECTION) {
        const uint64_t at = bytes_u32le(p + 4), bytes = bytes_u32le(p + 8);

        if (bytes_u32le(p) != i || (bytes > 0 && (at < end || at > end + 4)))
            return sig_reject("sections do not follow one another");
        end = bytes > 0 ? at + bytes : end;
    }
    sig_valid(in, VDEX_HEAD + VDEX_SECTIONS * VDEX_SECTION);
    if (sig_bytes(in, end - 1, 1) == NULL)
        return sig_short(in);
    return sig_believe(in, end, "sections follow one another");
}

const struct sig sig_vdex = {
    .name = "vdex",
    .what = "verified programs of Android (VDEX)",
    .proves = "sections follow one another, in their order; they are not read",
    .source = "Android 12, art/runtime/vdex_file.h: VdexFileHeader, VdexSectionHeader",
    .types = (const struct sig_type[]){ { "vdex", "vdex" }, { 0 } },
    .headers = { SIG_PATTERN("vdex027\0\4\0\0\0\0\0\0\0") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = VDEX_HEAD + VDEX_SECTIONS * VDEX_SECTION,
    .size_max = UINT64_C(1) << 32,
    .check = vdex_check,
};
