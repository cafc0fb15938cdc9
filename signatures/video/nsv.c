/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/nsv.c - NSV: Nullsoft's video.
 *
 *   "NSVf" | u32le bytes of the head | u32le bytes of the file | u32le milliseconds | u32le bytes
 * of names | u32le entries of the table, entries in use | names | table | "NSVs" ...
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum { NSV_HEAD = 28, NSV_HEAD_MAX = 1 << 20 };

static struct sig_result nsv_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, NSV_HEAD);

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint64_t head = bytes_u32le(p + 4), size = bytes_u32le(p + 8),
                   names = bytes_u32le(p + 16), table = bytes_u32le(p + 20),
                   used = bytes_u32le(p + 24);
    if (head < NSV_HEAD || head > NSV_HEAD_MAX || names > head || used > table ||
        NSV_HEAD + names + 4 * table > head || (size != UINT32_MAX && size <= head))
        return sig_reject("lengths of the head do not agree");
    p = sig_bytes(in, head, 4);
    if (p == NULL)
        return sig_short(in);
    if (memcmp(p, "NSVs", 4) != 0)
        return sig_reject("no frames behind the head");
    sig_valid(in, head + 4);
    if (size == UINT32_MAX)
        return sig_breaks(in, "the length was never filled in");
    return sig_believe(in, size, "the head gives the length");
}

const struct sig sig_nsv = {
    .name = "nsv",
    .what = "NSV, Nullsoft's video",
    .proves = "head, names and table lead to the first frame; the head gives the length",
    .source = "Nullsoft, NSV File and Stream Format; FFmpeg, nsvdec.c",
    .types = (const struct sig_type[]){ { "nsv", "nsv" }, { 0 } },
    .headers = { SIG_PATTERN("NSVf") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = NSV_HEAD + 4,
    .size_max = UINT32_MAX,
    .check = nsv_check,
};
