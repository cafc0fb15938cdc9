/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/swatch.c - ASE: colours of Adobe's programs.
 *
 *   "ASEF" | u16be 1, 0 | u32be blocks | blocks: u16be kind, 1, c001 or c002 | u32be length | data
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    SWATCH_HEAD = 12,
    SWATCH_BLOCK = 6,
    SWATCH_COLOUR = 1,
    SWATCH_GROUP = 0xc001,
    SWATCH_END = 0xc002
};

struct swatch_state {
    uint64_t at; /* the next block; 0: not begun */
    uint32_t blocks;
};

static struct sig_result swatch_check(struct sig_input *in, void *memory)
{
    struct swatch_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, SWATCH_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint32_t blocks = bytes_u32be(p + 8);
    if (blocks == 0 || blocks > 1 << 20)
        return sig_reject("invalid number of blocks");
    if (state->at == 0)
        state->at = SWATCH_HEAD;
    for (; state->blocks < blocks; state->blocks++) {
        p = sig_bytes(in, state->at, SWATCH_BLOCK);
        if (p == NULL)
            return sig_short(in);
        const uint32_t kind = bytes_u16be(p), len = bytes_u32be(p + 2);
        if ((kind != SWATCH_COLOUR && kind != SWATCH_GROUP && kind != SWATCH_END) ||
            len > UINT16_MAX)
            return sig_breaks(in, "invalid block");
        state->at += SWATCH_BLOCK + len;
        sig_valid(in, state->at < in->limit ? state->at : in->limit);
    }
    return sig_complete(in, state->at, "as many blocks as the head says");
}

const struct sig sig_swatch = {
    .name = "ase",
    .what = "ASE, colours of Adobe's programs",
    .proves = "as many blocks of known kinds as the head says",
    .source = "O. Harrison, Adobe Swatch Exchange file format (selapa.net)",
    .types = (const struct sig_type[]){ { "ase", "ase" }, { 0 } },
    .headers = { SIG_PATTERN("ASEF\0\1\0\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = SWATCH_HEAD + SWATCH_BLOCK,
    .size_max = 1 << 28,
    .state_size = sizeof(struct swatch_state),
    .check = swatch_check,
};
