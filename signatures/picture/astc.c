/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/astc.c - ASTC: pictures for the graphics of phones.
 *
 *   13 ab a1 5c | u8 columns, rows, layers of a block | u24le columns | rows | layers | 16 bytes a
 * block
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum { ASTC_HEAD = 16, ASTC_BLOCK = 16, ASTC_SIDE_MAX = 1 << 16 };

static uint64_t astc_u24(const uint8_t *p)
{
    return (uint64_t)bytes_u16le(p) | (uint64_t)p[2] << 16;
}

static struct sig_result astc_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, ASTC_HEAD);
    uint64_t blocks = 1;

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    for (uint32_t i = 0; i < 3; i++) {
        const uint64_t side = astc_u24(p + 7 + 3 * i), block = p[4 + i];

        if (block < (i < 2 ? 3 : 1) || block > 12 || side == 0 || side > ASTC_SIDE_MAX)
            return sig_reject("invalid sizes");
        blocks *= (side + block - 1) / block;
    }
    sig_valid(in, ASTC_HEAD);
    const uint64_t end = ASTC_HEAD + ASTC_BLOCK * blocks;
    if (sig_bytes(in, end - 1, 1) == NULL)
        return sig_short(in);
    return sig_believe(in, end, "sizes of picture and block give the length");
}

const struct sig sig_astc = {
    .name = "astc",
    .what = "picture for the graphics of phones (ASTC)",
    .proves = "sizes of picture and block give the length; blocks are not decoded",
    .source = "Arm, astc-encoder 4, Docs/FileFormat.md",
    .types = (const struct sig_type[]){ { "astc", "astc" }, { 0 } },
    .headers = { SIG_PATTERN("\x13\xab\xa1\x5c") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = ASTC_HEAD + ASTC_BLOCK,
    .size_max = UINT64_C(1) << 36,
    .check = astc_check,
};
