/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/bitcode.c - programs as LLVM passes them on (bc).
 *
 *   "BC" c0de | blocks, each up to 4 bytes: 2 bits 01 | 8 bits: kind, as 7 bits and a 0 | 4 bits |
 * up to 4: u32le words of the block | words
 *   kinds: 8 a module, 13 who wrote it, 17 metadata, 23 strings, 24 a summary, 25 symbols
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum { BITCODE_MAGIC = 4, BITCODE_BLOCK = 8, BITCODE_MODULE = 8, BITCODE_KIND_MAX = 26 };

struct bitcode_state {
    uint64_t at; /* the next block; 0: not begun */
    bool module;
};

static struct sig_result bitcode_check(struct sig_input *in, void *memory)
{
    struct bitcode_state *state = memory;

    if (state->at == 0)
        state->at = BITCODE_MAGIC;
    while (state->at < in->limit) {
        const uint8_t *p = sig_bytes(in, state->at, BITCODE_BLOCK);

        if (p == NULL)
            return sig_short(in);
        const uint32_t word = bytes_u32le(p), kind = word >> 2 & 0xff;
        /* a module's abbreviations have 2 to 5 bits; the rest of the word is 0 */
        const uint32_t width = word >> 10 & 0xf;
        if ((word & 3) != 1 || kind < BITCODE_MODULE || kind > BITCODE_KIND_MAX || width < 2 ||
            width > 8 || word >> 14 != 0 || bytes_u32le(p + 4) == 0)
            break;
        const uint64_t next = state->at + BITCODE_BLOCK + 4 * (uint64_t)bytes_u32le(p + 4);
        if (sig_bytes(in, next - 1, 1) == NULL)
            return sig_short(in);
        state->module |= kind == BITCODE_MODULE;
        state->at = next;
        sig_valid(in, next);
    }
    if (!state->module)
        return sig_breaks(in, "there is no module");
    return sig_believe(in, state->at, "blocks follow one another, and no other does");
}

const struct sig sig_bitcode = {
    .name = "bc",
    .what = "program as LLVM passes it on (bitcode)",
    .proves = "blocks follow one another, one is a module; it ends where no other follows",
    .source = "LLVM 14, docs/BitCodeFormat.rst",
    .types = (const struct sig_type[]){ { "bc", "bc" }, { 0 } },
    .headers = { SIG_PATTERN("BC\xc0\xde\x35\x14\0\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = BITCODE_MAGIC + BITCODE_BLOCK,
    .size_max = UINT64_C(1) << 36,
    .state_size = sizeof(struct bitcode_state),
    .check = bitcode_check,
};
