/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/prefetch.c - Windows prefetch files, XP to 8.1, as they are; those of Windows
 * 10 and later are compressed (mam.c).
 *
 *   u32le version | "SCCA" | 0x11 or 0xf | u32le size of the file | name | hash | places of four
 * sections: metrics, chains, names, volumes
 *
 * The file's size is in its header; sections follow each other, and the names are text.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"
#include "signatures/system/system_facts.h"

enum {
    PREFETCH_HEAD = 84,
    PREFETCH_INFO = 36, /* bytes of the sections' places and sizes */
    PREFETCH_NAMES_MAX = 16 << 20,
};

static struct sig_result prefetch_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, PREFETCH_HEAD + PREFETCH_INFO);

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint32_t version = bytes_u32le(p), size = bytes_u32le(p + 12);
    const uint8_t *info = p + PREFETCH_HEAD;
    const uint32_t metrics = bytes_u32le(info), count = bytes_u32le(info + 4),
                   chains = bytes_u32le(info + 8);
    const uint32_t names = bytes_u32le(info + 16), names_size = bytes_u32le(info + 20);
    const uint32_t volumes = bytes_u32le(info + 24), volume_count = bytes_u32le(info + 28);
    const uint32_t volumes_size = bytes_u32le(info + 32);
    if (version != 17 && version != 23 && version != 26 && version != 30 && version != 31)
        return sig_reject("invalid version");
    if (metrics < PREFETCH_HEAD + PREFETCH_INFO ||
        (uint64_t)metrics + (uint64_t)count * (version == 17 ? 20 : 32) > chains ||
        chains > names || (uint64_t)names + names_size > volumes ||
        names_size > PREFETCH_NAMES_MAX || names_size < 4 ||
        (uint64_t)volumes + volumes_size > size || volume_count == 0 ||
        volumes_size < volume_count * 40 || size - volumes - volumes_size > 16)
        return sig_reject("the sections are out of order");
    sig_valid(in, PREFETCH_HEAD + PREFETCH_INFO);
    p = sig_bytes(in, names, 4);
    if (p == NULL)
        return sig_short(in);
    if (p[0] != '\\')
        return sig_breaks(in, "the names do not begin as paths");
    p = sig_bytes(in, (uint64_t)names + names_size - 2, 2);
    if (p == NULL)
        return sig_short(in);
    if (bytes_u16le(p) != 0)
        return sig_breaks(in, "the names have no end");
    p = sig_bytes(in, volumes, 40);
    if (p == NULL)
        return sig_short(in);
    const uint32_t path = bytes_u32le(p), path_len = bytes_u32le(p + 4);
    if (path < 40 || path_len == 0 || (uint64_t)path + path_len * UINT64_C(2) > volumes_size)
        return sig_breaks(in, "invalid volume");
    p = sig_bytes(in, (uint64_t)volumes + path, 4);
    if (p == NULL)
        return sig_short(in);
    if (p[0] != '\\')
        return sig_breaks(in, "a volume has no path");
    return sig_complete(in, size, "the sections, names and volumes are valid");
}

const struct sig sig_prefetch = {
    .name = "pf",
    .what = "Windows prefetch file",
    .proves = "sections follow one another to the end; names and a volume's path are there",
    .source = "libscca documentation, Windows Prefetch File (PF) format, 2-4",
    .types = (const struct sig_type[]){ { "pf", "pf" }, { 0 } },
    .headers = { SIG_MASKED("\x10\0\0\0SCCA\x01\0\0\0",
                            "\xe0\xff\xff\xff\xff\xff\xff\xff\xe1\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = PREFETCH_HEAD + PREFETCH_INFO + 44,
    .size_max = 64 << 20,
    .check = prefetch_check,
    .facts = prefetch_facts,
};
