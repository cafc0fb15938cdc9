/* SPDX-License-Identifier: Apache-2.0
 * signatures/key/ecryptfs.c - files encrypted by eCryptfs (Linux).
 *
 *   u64be bytes of the plain file | u32be any | u32be the same xor 0x3c81b7f5 | version 3, 0, 0,
 * flags | u32be bytes of an extent of the head | u16be extents of the head | packets of keys |
 * pages
 *
 * Pages of 4096 bytes hold the file; the last one is filled up.
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum { ECRYPTFS_HEAD = 28, ECRYPTFS_PAGE = 4096 };
#define ECRYPTFS_MARK 0x3c81b7f5u
#define ECRYPTFS_SIZE_MAX (UINT64_C(1) << 42)

static struct sig_result ecryptfs_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, ECRYPTFS_HEAD);

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint64_t plain = bytes_u64be(p),
                   head = (uint64_t)bytes_u32be(p + 20) * bytes_u16be(p + 24);
    if (p[16] != 3 || bytes_u16be(p + 17) != 0 ||
        (bytes_u32be(p + 8) ^ ECRYPTFS_MARK) != bytes_u32be(p + 12) || plain > ECRYPTFS_SIZE_MAX ||
        (p[26] != 0x8c && p[26] != 0xed))
        return sig_reject("wrong mark");
    sig_valid(in, ECRYPTFS_HEAD);
    return sig_believe(in, head + (plain + ECRYPTFS_PAGE - 1) / ECRYPTFS_PAGE * ECRYPTFS_PAGE,
                       "the head gives the length");
}

const struct sig sig_ecryptfs = {
    .name = "ecryptfs",
    .what = "file encrypted by eCryptfs",
    .proves = "the mark of the head, which gives the length; nothing is deciphered",
    .source = "Linux, fs/ecryptfs/crypto.c: ecryptfs_write_headers_virt",
    .types = (const struct sig_type[]){ { "ecryptfs", "ecryptfs" }, { 0 } },
    .headers = { SIG_PATTERN_AT(20, "\0\0\x10\0\0\2") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 2 * ECRYPTFS_PAGE,
    .size_max = ECRYPTFS_SIZE_MAX,
    .check = ecryptfs_check,
};
