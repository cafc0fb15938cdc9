/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/psp.c - pictures of Paint Shop Pro, from version 6 on.
 *
 *   "Paint Shop Pro Image File" LF 1a, 5 zeros | u16le version, minor version | blocks: "~BK" 0 |
 * u16le kind | u32le length | data
 *
 * The first block tells the picture's attributes. The file ends where no block follows.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum { PSP_HEAD = 36, PSP_BLOCK = 10, PSP_KINDS = 64, PSP_VERSION_MIN = 4, PSP_VERSION_MAX = 64 };

struct psp_state {
    uint64_t at; /* the next block; 0: not begun */
    uint32_t blocks;
};

static struct sig_result psp_check(struct sig_input *in, void *memory)
{
    struct psp_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, PSP_HEAD);

    if (p == NULL)
        return sig_short(in);
    if (bytes_u16le(p + 32) < PSP_VERSION_MIN || bytes_u16le(p + 32) > PSP_VERSION_MAX)
        return sig_reject("an unknown version");
    if (state->at == 0)
        state->at = PSP_HEAD;
    for (;;) {
        p = sig_bytes(in, state->at, PSP_BLOCK);
        if (p == NULL && (state->blocks == 0 || in->wanted <= in->limit))
            return sig_short(in);
        if (p == NULL || memcmp(p, "~BK", 4) != 0 || bytes_u16le(p + 4) > PSP_KINDS)
            break;
        const uint64_t end = state->at + PSP_BLOCK + bytes_u32le(p + 6);
        if (state->blocks == 0 && bytes_u16le(p + 4) != 0)
            return sig_reject("no attributes");
        p = sig_bytes(in, end - 1, 1);
        if (p == NULL && in->wanted > in->limit)
            sig_valid(in, state->at + PSP_BLOCK);
        if (p == NULL)
            return sig_short(in);
        state->at = end;
        state->blocks++;
        sig_valid(in, end);
    }
    if (state->blocks < 2)
        return sig_breaks(in, "there is no picture");
    return sig_believe(in, state->at, "blocks follow one another");
}

const struct sig sig_psp = {
    .name = "psp",
    .what = "picture of Paint Shop Pro",
    .proves = "blocks follow one another; nothing marks the last one, pixels are not read",
    .source = "Jasc Software, PSP File Format Specification 7.00 (2001)",
    .types = (const struct sig_type[]){ { "psp", "psp" }, { 0 } },
    .headers = { SIG_PATTERN("Paint Shop Pro Image File\n\x1a\0\0\0\0\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = PSP_HEAD + 2 * PSP_BLOCK,
    .size_max = UINT64_C(1) << 34,
    .state_size = sizeof(struct psp_state),
    .check = psp_check,
};
