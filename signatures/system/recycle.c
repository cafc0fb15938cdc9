/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/recycle.c - what Windows writes beside a file in the recycle bin ($I...): where
 * it was, and when it was deleted.
 *
 *   Vista to 8.1: u64le 1 | u64le size | u64le time | 520 bytes of path
 *   10 on: u64le 2 | u64le size | u64le time | u32le characters | path, with its NUL
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    RECYCLE_PATH_1 = 24,
    RECYCLE_LEN_1 = 544,
    RECYCLE_PATH_2 = 28,
    RECYCLE_CHARACTERS_MAX = 32767,
};

static struct sig_result recycle_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, RECYCLE_PATH_2);
    uint32_t from = RECYCLE_PATH_1, size = RECYCLE_LEN_1 - RECYCLE_PATH_1, characters = 0;

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const bool newer = p[0] == 2;
    if (newer) {
        from = RECYCLE_PATH_2;
        if (bytes_u32le(p + 24) < 4 || bytes_u32le(p + 24) > RECYCLE_CHARACTERS_MAX)
            return sig_reject("invalid length of the path");
        size = bytes_u32le(p + 24) * 2;
    }
    if (bytes_u64le(p + 8) >> 48 != 0)
        return sig_reject("invalid size");
    p = sig_bytes(in, from, size);
    if (p == NULL)
        return sig_short(in);
    while (characters < size / 2 && bytes_u16le(p + characters * 2) >= ' ')
        characters++;
    if (characters < 4 || characters == size / 2 || bytes_u16le(p + characters * 2) != 0 ||
        (newer && characters != size / 2 - 1))
        return sig_reject("the path does not end where its length says");
    return sig_complete(in, from + size, "the path and its end are there");
}

const struct sig sig_recycle = {
    .name = "recycle",
    .what = "Windows recycle bin: where a deleted file was",
    .proves = "size, time, drive; the path ends where its length says",
    .source = "libyal, dtformats: Windows Recycle.Bin file formats, 3",
    .types = (const struct sig_type[]){ { "recycle", "recycle" }, { 0 } },
    .headers = { SIG_MASKED("\1\0\0\0\0\0\0\0"
                            "\0\0\0\0\0\0\0\0"
                            "\0\0\0\0\0\0\xc0\1"
                            "\0\0:\0\\\0",
                            "\xff\xff\xff\xff\xff\xff\xff\xff"
                            "\0\0\0\0\0\0\xff\xff"
                            "\0\0\0\0\0\0\xc0\xff"
                            "\0\xff\xff\xff\xff\xff"),
                 SIG_MASKED("\2\0\0\0\0\0\0\0"
                            "\0\0\0\0\0\0\0\0"
                            "\0\0\0\0\0\0\xc0\1"
                            "\0\0\0\0"
                            "\0\0:\0\\\0",
                            "\xff\xff\xff\xff\xff\xff\xff\xff"
                            "\0\0\0\0\0\0\xff\xff"
                            "\0\0\0\0\0\0\xc0\xff"
                            "\0\0\xff\xff"
                            "\0\xff\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = RECYCLE_PATH_2 + 8,
    .size_max = RECYCLE_PATH_2 + 2 * RECYCLE_CHARACTERS_MAX,
    .check = recycle_check,
};
