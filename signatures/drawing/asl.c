/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/asl.c - styles of Photoshop's layers (ASL).
 *
 *   u16be 2 | "8BSL" | u16be 3 | u32be bytes of patterns | patterns | u32be styles | styles: u32be
 * bytes | u32be 16, version of a descriptor | descriptor
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    ASL_HEAD = 12,
    ASL_STYLE = 8,
    ASL_DESCRIPTOR = 16,
    ASL_STYLE_MIN = 4 + 4 + 2 + 4 + 4 + 4, /* version, name, class, items */
    ASL_STYLES_MAX = 1 << 16,
    ASL_SIZE_MAX = 1 << 30,
};

struct asl_state {
    uint64_t at; /* the next style; 0: not begun */
    uint32_t styles;
};

static struct sig_result asl_check(struct sig_input *in, void *memory)
{
    struct asl_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, ASL_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint64_t first = ASL_HEAD + (uint64_t)bytes_u32be(p + 8);
    if (first > ASL_SIZE_MAX)
        return sig_reject("invalid size of the patterns");
    p = sig_bytes(in, first, 4);
    if (p == NULL)
        return sig_short(in);
    const uint32_t styles = bytes_u32be(p);
    if (styles == 0 || styles > ASL_STYLES_MAX)
        return sig_reject("invalid number of styles");
    if (state->at == 0)
        state->at = first + 4;
    for (; state->styles < styles; state->styles++) {
        p = sig_bytes(in, state->at, ASL_STYLE);
        if (p == NULL)
            return sig_short(in);
        const uint32_t len = bytes_u32be(p);
        if (len < ASL_STYLE_MIN || len > ASL_SIZE_MAX || bytes_u32be(p + 4) != ASL_DESCRIPTOR)
            return state->styles == 0 ? sig_reject("invalid style")
                                      : sig_breaks(in, "invalid style");
        const uint64_t next = state->at + 4 + len;
        if (sig_bytes(in, next - 1, 1) == NULL)
            return sig_short(in);
        state->at = next;
        sig_valid(in, next);
    }
    return sig_complete(in, state->at, "as many styles as the head says");
}

const struct sig sig_asl = {
    .name = "asl",
    .what = "styles of layers of Photoshop (asl)",
    .proves = "as many styles as the head says follow one another; they are not read",
    .source = "Adobe, Photoshop File Formats Specification (2019): Styles",
    .types = (const struct sig_type[]){ { "asl", "asl" }, { 0 } },
    .headers = { SIG_PATTERN("\0\2"
                             "8BSL\0\3") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = ASL_HEAD + 4 + 4 + ASL_STYLE_MIN,
    .size_max = ASL_SIZE_MAX,
    .state_size = sizeof(struct asl_state),
    .check = asl_check,
};
