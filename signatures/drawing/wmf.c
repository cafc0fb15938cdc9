/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/wmf.c - Windows Metafiles, with and without the placeable header.
 *
 *   [d7 cd c6 9a | 0 0 | 4 x i16le rectangle | u16le units | 4 zeros | u16le exclusive-or of the
 *   ten words before]
 *   u16le kind 1 or 2 | u16le 9 | u16le version | u32le length in words | u16le objects | u32le
 *   longest record | 0 0
 *   record: u32le length in words | u16le function | ...      the last: 3, 0
 *
 * All records are walked. Some writers count the placeable header too.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    WMF_PLACEABLE = 22,
    WMF_HEAD = 18,
    WMF_RECORD = 6,
    WMF_SLACK = 2, /* words by which the longest record may be given wrong */
};

struct wmf_state {
    uint64_t at; /* object offset of the next record; 0: not begun */
    uint32_t count;
};

/* Every function of [MS-WMF] 2.1.1.1: its low byte says which. */
static bool wmf_is_function(uint32_t function)
{
    static const uint16_t known[] = {
        0x0000, 0x001e, 0x0035, 0x00f7, 0x0102, 0x0103, 0x0104, 0x0105, 0x0106, 0x0107, 0x0108,
        0x0127, 0x012a, 0x012b, 0x012c, 0x012d, 0x012e, 0x0139, 0x0142, 0x0149, 0x01f0, 0x01f9,
        0x0201, 0x0209, 0x020a, 0x020b, 0x020c, 0x020d, 0x020e, 0x020f, 0x0211, 0x0213, 0x0214,
        0x0220, 0x0228, 0x0231, 0x0234, 0x02fa, 0x02fb, 0x02fc, 0x0324, 0x0325, 0x0410, 0x0412,
        0x0415, 0x0416, 0x0418, 0x0419, 0x041b, 0x041f, 0x0429, 0x0436, 0x0521, 0x0538, 0x0548,
        0x0551, 0x0600, 0x061c, 0x061d, 0x0626, 0x062f, 0x06ff, 0x0817, 0x081a, 0x0830, 0x0922,
        0x0940, 0x0a32, 0x0b23, 0x0b41, 0x0d33, 0x0f43
    };

    for (uint32_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if ((known[i] & 0xff) ==
            (function & 0xff)) /* the upper byte, a number of words, is often wrong */
            return true;
    return false;
}

static bool wmf_placeable_right(const uint8_t *head)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < 20; i += 2)
        sum ^= bytes_u16le(head + i);
    return bytes_u32le(head + 16) == 0 && bytes_u16le(head + 4) == 0 &&
           sum == bytes_u16le(head + 20);
}

static struct sig_result wmf_check(struct sig_input *in, void *memory)
{
    struct wmf_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, WMF_PLACEABLE + WMF_HEAD);

    if (head == NULL)
        return sig_short(in);
    const uint32_t from = head[0] == 0xd7 ? WMF_PLACEABLE : 0;
    if (from > 0 && !wmf_placeable_right(head))
        return sig_reject("the checksum of the placeable header is wrong");
    head += from;
    const uint32_t version = bytes_u16le(head + 4), words = bytes_u32le(head + 6),
                   longest = bytes_u32le(head + 12);
    if ((bytes_u16le(head) != 1 && bytes_u16le(head) != 2) ||
        bytes_u16le(head + 2) != WMF_HEAD / 2 || (version != 0x100 && version != 0x300) ||
        bytes_u16le(head + 16) != 0)
        return sig_reject("invalid header of a Windows Metafile");
    if (words < (WMF_HEAD + WMF_RECORD) / 2 || longest < 3 || longest > words)
        return sig_reject("the lengths contradict each other");
    const uint64_t most = from + 2 * (uint64_t)words;
    if (state->at == 0)
        state->at = from + WMF_HEAD;
    for (;;) {
        const uint8_t *record = sig_bytes(in, state->at, WMF_RECORD);

        if (record == NULL)
            return sig_short(in);
        const uint32_t len = bytes_u32le(record), function = bytes_u16le(record + 4);
        if (len < 3 || len > longest + WMF_SLACK || 2 * (uint64_t)len > most - state->at ||
            !wmf_is_function(function))
            return sig_breaks(in, "a valid record must follow here, and none does");
        state->at += 2 * (uint64_t)len;
        state->count++;
        if (function == 0 && len == 3)
            break;
        if (state->count > 1)
            sig_valid(in, state->at < in->limit ? state->at : in->limit);
    }
    if (state->count < 2 || (state->at != most && state->at + from != most))
        return sig_breaks(in, "the length of all records differs from the header");
    return sig_complete(in, state->at, "the records lead to the last one");
}

const struct sig sig_wmf = {
    .name = "wmf",
    .what = "Windows Metafile",
    .proves = "records lead to the last one, where the length in the header says; the placeable "
              "header has its sum",
    .source = "Microsoft, [MS-WMF]: 2.1.1.1, 2.3.2.1, 2.3.2.2, 2.3.2.3",
    .types = (const struct sig_type[]){ { "wmf", "wmf" }, { 0 } },
    .headers = { SIG_PATTERN("\xd7\xcd\xc6\x9a\0\0"),
                 SIG_MASKED("\0\0\x09\0\0\1", "\xfc\xff\xff\xff\xff\xfd") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = WMF_HEAD + 2 * WMF_RECORD,
    .size_max = UINT64_C(1) << 32,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct wmf_state),
    .check = wmf_check,
};
