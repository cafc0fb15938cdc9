/* SPDX-License-Identifier: Apache-2.0
 * signatures/disk/erofs.c - EROFS: file systems of Android's own programs, and of containers.
 *
 *   1024 bytes of anything | e0f5e1e2 | u32le CRC-32C of the rest of the first block | features |
 * u8 bits of a block's size, further heads | u16le inode of the root | u64le inodes | time |
 * u32le blocks | place of the inodes | ... | 16 bytes of UUID | 16 of name | features that a reader
 * has to know
 */
#include <isa-l/crc.h>
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    EROFS_AT = 1024,
    EROFS_HEAD = 128,
    EROFS_BITS_MIN = 9,
    EROFS_BITS_MAX = 16,
    EROFS_SUMMED = 1,      /* the feature of a sum */
    EROFS_PLAIN_INODE = 5, /* bits of an inode: 0, 1 tell its length; behind, how its data lie */
};

/* The CRC-32C of the block behind the first 1024 bytes, with zeros where it stands itself. */
static uint32_t erofs_crc(const uint8_t *p, uint32_t len)
{
    static const uint8_t zeros[4];
    uint32_t crc = crc32_iscsi((uint8_t *)(uintptr_t)p, 4, UINT32_MAX); /* ISA-L only reads it */

    crc = crc32_iscsi((uint8_t *)(uintptr_t)zeros, 4, crc);
    return crc32_iscsi((uint8_t *)(uintptr_t)(p + 8), (int)(len - 8), crc);
}

static struct sig_result erofs_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, EROFS_AT, EROFS_HEAD);

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint32_t bits = p[12], told = bytes_u32le(p + 4), features = bytes_u32le(p + 8);
    if (bits < EROFS_BITS_MIN || bits > EROFS_BITS_MAX || bytes_u64le(p + 16) == 0)
        return sig_reject("invalid size of blocks, or no inode");
    const uint64_t end = (uint64_t)bytes_u32le(p + 36) << bits,
                   root = ((uint64_t)bytes_u32le(p + 40) << bits) + 32u * bytes_u16le(p + 14);
    if (end <= EROFS_AT || root >= end || bytes_u64le(p + 16) > end / 32)
        return sig_reject("the root lies behind the end");
    const uint32_t size = UINT32_C(1) << bits;
    if ((features & EROFS_SUMMED) != 0 && size > EROFS_AT + EROFS_HEAD) {
        const uint32_t len = size - EROFS_AT;

        p = sig_bytes(in, EROFS_AT, len);
        if (p == NULL)
            return sig_short(in);
        if (erofs_crc(p, len) != told)
            return sig_reject("wrong CRC-32C of the head");
    }
    sig_valid(in, EROFS_AT + EROFS_HEAD);
    p = sig_bytes(in, root, 6);
    if (p == NULL)
        return sig_short(in);
    if (bytes_u16le(p) >> EROFS_PLAIN_INODE != 0 || (bytes_u16le(p + 4) & 0xf000) != 0x4000)
        return sig_breaks(in, "the root is no directory");
    if (sig_bytes(in, end - 1, 1) == NULL)
        return sig_short(in);
    return sig_believe(in, end, "the sum of the head, which counts the blocks; the root");
}

const struct sig sig_erofs = {
    .name = "erofs",
    .what = "EROFS, a file system of Android's own programs",
    .proves = "the CRC-32C of the head, which counts the blocks; the root is a directory",
    .source = "Linux, fs/erofs/erofs_fs.h",
    .types = (const struct sig_type[]){ { "erofs", "erofs" }, { 0 } },
    .headers = { SIG_PATTERN_AT(EROFS_AT, "\xe2\xe1\xf5\xe0") },
    .flags = SIG_CONTAINER,
    .size_min = EROFS_AT + EROFS_HEAD,
    .size_max = UINT64_C(1) << 40,
    .check = erofs_check,
};
