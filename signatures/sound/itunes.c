/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/itunes.c - what an iPod holds (iTunesDB), by the program iTunes.
 *
 *   "mhbd" | u32le bytes of the head | u32le bytes of the file | ... | at 20: u32le lists | lists:
 * "mhsd" | u32le bytes of the head | u32le bytes of the list ...
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum { ITUNES_HEAD = 24, ITUNES_HEAD_MAX = 4096, ITUNES_LIST = 12, ITUNES_LISTS_MAX = 64 };

static struct sig_result itunes_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, ITUNES_HEAD);

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint64_t size = bytes_u32le(p + 8);
    const uint32_t lists = bytes_u32le(p + 20);
    uint64_t at = bytes_u32le(p + 4);
    if (at < ITUNES_HEAD || at > ITUNES_HEAD_MAX || lists == 0 || lists > ITUNES_LISTS_MAX)
        return sig_reject("invalid head");
    for (uint32_t i = 0; i < lists; i++) {
        p = sig_bytes(in, at, ITUNES_LIST);
        if (p == NULL)
            return sig_short(in);
        const uint64_t len = bytes_u32le(p + 8);
        if (memcmp(p, "mhsd", 4) != 0 || len < ITUNES_LIST || at > size || len > size - at)
            return i == 0 ? sig_reject("there is no list") : sig_breaks(in, "invalid list");
        at += len;
        sig_valid(in, at < in->limit ? at : in->limit);
    }
    if (at != size)
        return sig_breaks(in, "lists do not end with the file");
    return sig_complete(in, size, "lists end with the file");
}

const struct sig sig_itunes = {
    .name = "itunesdb",
    .what = "iTunesDB, what an iPod holds",
    .proves = "as many lists as the head says end with the file",
    .source = "iPodLinux Wiki, ITunesDB; libgpod, itdb_itunesdb.c",
    .types = (const struct sig_type[]){ { "itunesdb", "itunesdb" }, { 0 } },
    .headers = { SIG_MASKED("mhbd\0\0\0\0", "\xff\xff\xff\xff\0\xf0\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = ITUNES_HEAD + ITUNES_LIST,
    .size_max = UINT32_MAX,
    .check = itunes_check,
};
