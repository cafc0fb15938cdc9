/* SPDX-License-Identifier: Apache-2.0
 * signatures/key/axcrypt.c - files encrypted by AxCrypt.
 *
 *   16 bytes of magic | blocks: u32le bytes, with these 5 | kind | data. The first has the kind 2;
 * the last, of kind 63, has u64le bytes of encrypted data, which follow it and end the file.
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    AXCRYPT_MAGIC = 16,
    AXCRYPT_BLOCK = 5,
    AXCRYPT_BLOCK_MAX = 1 << 20,
    AXCRYPT_FIRST = 2,
    AXCRYPT_DATA = 63,
    AXCRYPT_BLOCKS_MAX = 1024,
};

static struct sig_result axcrypt_check(struct sig_input *in, void *memory)
{
    uint64_t at = AXCRYPT_MAGIC;

    (void)memory;
    for (uint32_t i = 0; i < AXCRYPT_BLOCKS_MAX; i++) {
        const uint8_t *p = sig_bytes(in, at, AXCRYPT_BLOCK);

        if (p == NULL)
            return sig_short(in);
        const uint32_t len = bytes_u32le(p);
        const uint8_t kind = p[4];
        if (len < AXCRYPT_BLOCK || len > AXCRYPT_BLOCK_MAX || kind > 127 ||
            (i == 0) != (kind == AXCRYPT_FIRST))
            return sig_breaks(in, "invalid block");
        if (kind == AXCRYPT_DATA) {
            if (len != AXCRYPT_BLOCK + 8)
                return sig_breaks(in, "the block of the data has not its length");
            p = sig_bytes(in, at + AXCRYPT_BLOCK, 8);
            if (p == NULL)
                return sig_short(in);
            const uint64_t data = bytes_u64le(p);
            return sig_believe(in, sig_add(at + len, data), "blocks lead to the data");
        }
        at += len;
        if (i > 1)
            sig_valid(in, at < in->limit ? at : in->limit);
    }
    return sig_breaks(in, "too many blocks");
}

const struct sig sig_axcrypt = {
    .name = "axx",
    .what = "file encrypted by AxCrypt",
    .proves = "blocks lead to the last one, which tells the bytes of the data",
    .source = "AxCrypt 1.7, AxCrypt.h: SAxCryptHeader, THeaderSection",
    .types = (const struct sig_type[]){ { "axx", "axx" }, { 0 } },
    .headers = { SIG_PATTERN("\xc0\xb9\x07\x2e\x4f\x93\xf1\x46\xa0\x15\x79\x2c\xa1\xd9\xe8\x21") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = AXCRYPT_MAGIC + 2 * AXCRYPT_BLOCK + 8,
    .size_max = UINT64_C(1) << 42,
    .check = axcrypt_check,
};
