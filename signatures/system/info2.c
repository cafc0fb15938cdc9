/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/info2.c - INFO2: what lies in the recycle bin of Windows 95 to XP.
 *
 *   u32le version 4, 5 | 8 bytes | u32le bytes of a record, 280 or 800 | bytes in all
 *   records: 260 bytes of path, its first letter 0 where it was taken out | u32le number | drive |
 * u64le time | bytes | with 800: the path in UTF-16
 *
 * The file ends where no record follows.
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum { INFO2_HEAD = 20, INFO2_PATH = 260, INFO2_DRIVES = 26, INFO2_YEAR = 0x01 };

struct info2_state {
    uint64_t at; /* the next record; 0: not begun */
};

static bool info2_is_record(const uint8_t *p)
{
    return (p[0] == 0 || (uint8_t)((p[0] | 0x20) - 'a') < 26) && p[1] == ':' && p[2] == '\\' &&
           bytes_u32le(p + INFO2_PATH + 4) < INFO2_DRIVES &&
           bytes_u64le(p + INFO2_PATH + 8) >> 56 == INFO2_YEAR;
}

static struct sig_result info2_check(struct sig_input *in, void *memory)
{
    struct info2_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, INFO2_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint32_t size = bytes_u32le(p + 12);
    if (size != 280 && size != 800)
        return sig_reject("unknown record");
    if (state->at == 0)
        state->at = INFO2_HEAD;
    while (state->at < in->limit) {
        p = sig_bytes(in, state->at, size);
        if (p == NULL)
            return sig_short(in);
        if (!info2_is_record(p))
            break;
        state->at += size;
        sig_valid(in, state->at);
    }
    if (state->at == INFO2_HEAD)
        return sig_reject("there is no record");
    return sig_believe(in, state->at, "records follow one another, and no other does");
}

const struct sig sig_info2 = {
    .name = "info2",
    .what = "what lies in the recycle bin of Windows 95 to XP (INFO2)",
    .proves = "records have a path, a drive and a time; it ends where no other follows",
    .source = "K. Jones, Forensic Analysis of Microsoft Windows Recycle Bin Records, 2003",
    .types = (const struct sig_type[]){ { "info2", "info2" }, { 0 } },
    .headers = { SIG_MASKED("\4\0\0\0????????\x20\3\0\0",
                            "\xfe\xff\xff\xff\0\0\0\0\0\0\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("\4\0\0\0????????\x18\1\0\0",
                            "\xfe\xff\xff\xff\0\0\0\0\0\0\0\0\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = INFO2_HEAD + 280,
    .size_max = 1 << 28,
    .state_size = sizeof(struct info2_state),
    .check = info2_check,
};
