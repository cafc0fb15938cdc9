/* SPDX-License-Identifier: Apache-2.0
 * signatures/disk/cramfs.c - cramfs: compressed file systems of firmware.
 *
 *   28cd3d45 | bytes | flags | future | "Compressed ROMFS" | CRC-32 of all, with zeros here |
 * edition | blocks | files | 16 bytes of name | inode of the root; numbers of either byte order
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/crc32.h"
#include "signatures/sig.h"

enum {
    CRAMFS_HEAD = 76,
    CRAMFS_CRC_AT = 32,
    CRAMFS_SUMMED = 1, /* flag: the length and the sum are those of this version */
};

struct cramfs_state {
    uint64_t at; /* summed up to here; 0: not begun */
    uint32_t crc;
};

/* The CRC-32 of the bytes before the sum, and of four zeros. */
static uint32_t cramfs_begin(const uint8_t *head)
{
    uint32_t crc = UINT32_MAX;

    for (uint32_t i = 0; i < CRAMFS_CRC_AT + 4; i++) {
        crc ^= i < CRAMFS_CRC_AT ? head[i] : 0;
        for (uint32_t bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
    }
    return ~crc;
}

static struct sig_result cramfs_check(struct sig_input *in, void *memory)
{
    struct cramfs_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, CRAMFS_HEAD);

    if (p == NULL)
        return sig_short(in);
    const bool big = p[0] == 0x28;
    const uint32_t bytes = big ? bytes_u32be(p + 4) : bytes_u32le(p + 4),
                   flags = big ? bytes_u32be(p + 8) : bytes_u32le(p + 8),
                   told = big ? bytes_u32be(p + CRAMFS_CRC_AT) : bytes_u32le(p + CRAMFS_CRC_AT);
    if ((flags & CRAMFS_SUMMED) == 0)
        return sig_reject("a version without length and sum");
    if (bytes < CRAMFS_HEAD || bytes % 4 != 0)
        return sig_reject("invalid length");
    sig_valid(in, CRAMFS_HEAD);
    if (state->at == 0) {
        state->crc = cramfs_begin(p);
        state->at = CRAMFS_CRC_AT + 4;
    }
    if (crc32_add(in, &state->at, bytes, &state->crc) == STEP_WAIT)
        return sig_short(in);
    if (state->crc != told)
        return sig_breaks(in, "wrong CRC-32");
    return sig_complete(in, bytes, "the CRC-32 of all bytes");
}

const struct sig sig_cramfs = {
    .name = "cramfs",
    .what = "cramfs, a compressed file system of firmware",
    .proves = "the CRC-32 of all bytes",
    .source = "Linux, fs/cramfs/README; include/uapi/linux/cramfs_fs.h",
    .types = (const struct sig_type[]){ { "cramfs", "cramfs" }, { 0 } },
    .headers = { SIG_MASKED("\x45\x3d\xcd\x28????????????Compressed ROMFS",
                            "\xff\xff\xff\xff\0\0\0\0\0\0\0\0\0\0\0\0"
                            "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
                 SIG_MASKED("\x28\xcd\x3d\x45????????????Compressed ROMFS",
                            "\xff\xff\xff\xff\0\0\0\0\0\0\0\0\0\0\0\0"
                            "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = CRAMFS_HEAD,
    .size_max = UINT64_C(1) << 32,
    .seam = SIG_SEAM_EXACT,
    .state_size = sizeof(struct cramfs_state),
    .check = cramfs_check,
};
