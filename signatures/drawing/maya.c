/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/maya.c - Maya's binary scenes.
 *
 *   "FOR4" | u32be length | "Maya" | chunks, each: name | u32be length | data | zeros up to 4
 *   "FOR8" | 4 zeros | u64be length | "Maya" | chunks, each: name | 4 zeros | u64be length | data |
 * zeros up to 8
 *
 * The chunks fill the form.
 */
#include "base/bytes.h"
#include "signatures/lib/chars.h"
#include "signatures/sig.h"

enum { MAYA_CHUNKS_MAX = 1 << 24 };
#define MAYA_SIZE_MAX (UINT64_C(1) << 40)

struct maya_state {
    uint64_t at; /* the next chunk; 0: not begun */
    uint32_t chunks;
};

static struct sig_result maya_check(struct sig_input *in, void *memory)
{
    struct maya_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, 24);

    if (p == NULL)
        return sig_short(in);
    const bool wide = p[3] == '8';
    const uint32_t head = wide ? 16 : 8, align = wide ? 8 : 4;
    const uint64_t end = head + (wide ? bytes_u64be(p + 8) : bytes_u32be(p + 4));
    if (end > MAYA_SIZE_MAX || end < head + 4 + head || (wide && bytes_u32be(p + 4) != 0))
        return sig_reject("invalid length");
    if (state->at == 0)
        state->at = head + 4;
    while (state->at < end) {
        p = sig_bytes(in, state->at, head);
        if (p == NULL)
            return sig_short(in);
        const uint64_t len = wide ? bytes_u64be(p + 8) : bytes_u32be(p + 4);
        if (!text_is_printable(p, 4) || (wide && bytes_u32be(p + 4) != 0) ||
            len > end - state->at - head || state->chunks == MAYA_CHUNKS_MAX)
            return state->chunks == 0 ? sig_reject("invalid chunk")
                                      : sig_breaks(in, "invalid chunk");
        state->at += head + (len + align - 1) / align * align;
        state->chunks++;
        sig_valid(in, state->at < in->limit ? state->at : in->limit);
    }
    return sig_believe(in, end, "the chunks end with the form");
}

const struct sig sig_maya = {
    .name = "mb",
    .what = "scene of Maya, binary",
    .proves = "the outermost chunks fill the form",
    .source = "Autodesk, Maya API: MIffFile, MIffTag; M. Ottosson, maya-scenefile-parser",
    .types = (const struct sig_type[]){ { "mb", "mb" }, { 0 } },
    .headers = { SIG_MASKED("FOR4\0\0\0\0Maya", "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("FOR8\0\0\0\0\0\0\0\0\0\0\0\0Maya",
                            "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0"
                            "\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 24,
    .size_max = MAYA_SIZE_MAX,
    .state_size = sizeof(struct maya_state),
    .check = maya_check,
};
