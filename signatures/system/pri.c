/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/pri.c - PRI: indexes of texts and pictures of Windows' own programs.
 *
 *   "mrm_pri0" to 3 or "mrm_prif" | u16le 0 | 1 | u32le bytes of all | place of the contents | of
 * the sections | u16le sections | ffff | u32le 0
 *   at the end: defffade | u32le bytes of all | the first 8 bytes again
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum { PRI_HEAD = 32, PRI_TAIL = 16 };

static struct sig_result pri_check(struct sig_input *in, void *memory)
{
    uint8_t magic[8];
    const uint8_t *p = sig_bytes(in, 0, PRI_HEAD);

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint32_t bytes = bytes_u32le(p + 12);
    if (bytes < PRI_HEAD + PRI_TAIL || bytes_u32le(p + 16) < PRI_HEAD ||
        bytes_u32le(p + 20) < bytes_u32le(p + 16) || bytes_u32le(p + 20) > bytes ||
        bytes_u16le(p + 24) == 0 || bytes_u16le(p + 26) != 0xffff)
        return sig_reject("invalid places in the head");
    memcpy(magic, p, sizeof magic);
    sig_valid(in, PRI_HEAD);
    p = sig_bytes(in, bytes - PRI_TAIL, PRI_TAIL);
    if (p == NULL)
        return sig_short(in);
    if (bytes_u32le(p) != 0xdefffade || bytes_u32le(p + 4) != bytes ||
        memcmp(p + 8, magic, sizeof magic) != 0)
        return sig_breaks(in, "the end does not repeat the length");
    return sig_complete(in, bytes, "the end repeats magic and length");
}

const struct sig sig_pri = {
    .name = "pri",
    .what = "index of texts and pictures of Windows' own programs (PRI)",
    .proves = "the end repeats magic and length; sections are not read",
    .source = "chausner, PriTools: PRI file format",
    .types = (const struct sig_type[]){ { "pri", "pri" }, { 0 } },
    .headers = { SIG_PATTERN("mrm_pri0"), SIG_PATTERN("mrm_pri1"), SIG_PATTERN("mrm_pri2"),
                 SIG_PATTERN("mrm_pri3"), SIG_PATTERN("mrm_prif") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = PRI_HEAD + PRI_TAIL,
    .size_max = UINT64_C(1) << 32,
    .check = pri_check,
};
