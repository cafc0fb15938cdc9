/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/lzfse.c - LZFSE: what Apple's systems pack with.
 *
 *   blocks: "bvx-" | u32le bytes | plain bytes; "bvxn" | u32le bytes unpacked | bytes packed |
 * data; "bvx2" | u32le bytes unpacked | three u64le: bits 20 to 39 of the first: bytes of literals;
 * 40 to 59 of the second: bytes of matches; the low half of the third: bytes of the head | data;
 * "bvx1" | u32le bytes unpacked | packed | ... 772 bytes of head | data; "bvx$" is the end
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    LZFSE_HEAD_MAX = 32,
    LZFSE_OLD_HEAD = 772,
    LZFSE_NEW_HEAD_MAX = 1024,
    LZFSE_FIELD = 0xfffff,
};

struct lzfse_state {
    uint64_t at; /* the next block */
    uint32_t blocks;
};

/* Bytes of the block whose head is at p; 0: it is none. */
static uint64_t lzfse_bytes(const uint8_t *p)
{
    const uint32_t gives = bytes_u32le(p + 4), packed = bytes_u32le(p + 8);

    if (gives == 0)
        return 0;
    if (p[3] == '-')
        return 8 + (uint64_t)gives;
    if (p[3] == 'n')
        return packed > 0 && packed <= gives + 64 ? 12 + (uint64_t)packed : 0;
    if (p[3] == '1')
        return packed > 0 ? LZFSE_OLD_HEAD + (uint64_t)packed : 0;
    const uint64_t literals = bytes_u64le(p + 8) >> 20 & LZFSE_FIELD,
                   matches = bytes_u64le(p + 16) >> 40 & LZFSE_FIELD, head = bytes_u32le(p + 24);
    return head >= LZFSE_HEAD_MAX && head <= LZFSE_NEW_HEAD_MAX && literals + matches > 0
               ? head + literals + matches
               : 0;
}

static struct sig_result lzfse_check(struct sig_input *in, void *memory)
{
    struct lzfse_state *state = memory;

    for (;;) {
        const uint8_t *p = sig_bytes(in, state->at, 4);

        if (p == NULL)
            return sig_short(in);
        if (bytes_u32be(p) == 0x62767824) /* bvx$ */
            return sig_complete(in, state->at + 4, "blocks lead to the end mark");
        const bool known = bytes_u32be(p) >> 8 == 0x627678 &&
                           (p[3] == '-' || p[3] == 'n' || p[3] == '1' || p[3] == '2');
        p = known ? sig_bytes(in, state->at, LZFSE_HEAD_MAX) : p;
        if (p == NULL)
            return sig_short(in);
        const uint64_t bytes = known ? lzfse_bytes(p) : 0;
        if (bytes == 0)
            return sig_breaks(in, "invalid block");
        if (sig_bytes(in, state->at + bytes - 1, 1) == NULL)
            return sig_short(in);
        state->at += bytes;
        if (++state->blocks > 1)
            sig_valid(in, state->at);
    }
}

const struct sig sig_lzfse = {
    .name = "lzfse",
    .what = "LZFSE, what Apple's systems pack with",
    .proves = "blocks follow one another to the end mark; they are not unpacked",
    .source = "Apple, lzfse 1.0, src/lzfse_internal.h",
    .types = (const struct sig_type[]){ { "lzfse", "lzfse" }, { 0 } },
    .headers = { SIG_MASKED("bvx2???\0", "\xff\xff\xff\xff\0\0\0\xff"),
                 SIG_MASKED("bvxn???\0", "\xff\xff\xff\xff\0\0\0\xff"),
                 SIG_MASKED("bvx-???\0", "\xff\xff\xff\xff\0\0\0\xff"),
                 SIG_MASKED("bvx1???\0", "\xff\xff\xff\xff\0\0\0\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 12 + 1 + 4,
    .size_max = UINT64_C(1) << 40,
    .state_size = sizeof(struct lzfse_state),
    .check = lzfse_check,
};
