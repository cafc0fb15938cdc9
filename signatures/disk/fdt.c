/* SPDX-License-Identifier: Apache-2.0
 * signatures/disk/fdt.c - device trees of embedded systems and phones (dtb), and the images of
 * U-Boot that are such trees (itb).
 *
 *   40 bytes of head, u32be each: d00dfeed | bytes of all | place of the structure | of the strings
 * | of reserved memory | version 16, 17 | 16 | processor | bytes of the strings | of the structure
 *   structure: tokens: 1 name, NUL, up to 4 | 2 end of a node | 3 bytes, place of the name, value,
 * up to 4 | 4 nothing | 9 the end
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    FDT_HEAD = 40,
    FDT_BEGIN = 1,
    FDT_END_NODE,
    FDT_PROPERTY,
    FDT_NOTHING,
    FDT_END = 9,
    FDT_NAME_MAX = 256,
    FDT_DEPTH_MAX = 64,
};

struct fdt_state {
    uint64_t at; /* the next token; 0: not begun */
    uint32_t depth;
    bool ended;
};

struct fdt_head {
    uint64_t total, end; /* bytes; where the structure ends */
    uint32_t strings;
};

/* The name of a node, up to its NUL, and up to the next 4. */
static enum step fdt_name(struct sig_input *in, uint64_t *at)
{
    for (uint32_t i = 0; i < FDT_NAME_MAX; i++) {
        const uint8_t *p = sig_bytes(in, *at + i, 1);

        if (p == NULL)
            return STEP_WAIT;
        if (p[0] == 0) {
            *at = (*at + i + 4) & ~UINT64_C(3);
            return STEP_DONE;
        }
        if (p[0] < ' ' || p[0] > '~')
            return STEP_BAD;
    }
    return STEP_BAD;
}

static enum step fdt_token(struct sig_input *in, struct fdt_state *state,
                           const struct fdt_head *head)
{
    uint64_t at = state->at + 4;
    const uint8_t *p = sig_bytes(in, state->at, 4);
    enum step step = STEP_DONE;

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t token = bytes_u32be(p);
    const bool end = token == FDT_END && state->depth == 0;
    if (token == FDT_BEGIN && state->depth < FDT_DEPTH_MAX) {
        step = fdt_name(in, &at);
        state->depth += step == STEP_DONE;
    } else if (token == FDT_END_NODE && state->depth > 0) {
        state->depth--;
    } else if (token == FDT_PROPERTY && state->depth > 0) {
        p = sig_bytes(in, at, 8);
        if (p == NULL)
            return STEP_WAIT;
        if (bytes_u32be(p + 4) >= head->strings)
            return STEP_BAD;
        at = (at + 8 + bytes_u32be(p) + 3) & ~UINT64_C(3);
    } else if (token != FDT_NOTHING && !end) {
        return STEP_BAD;
    }
    if (step != STEP_DONE || at > head->end)
        return step == STEP_DONE ? STEP_BAD : step;
    state->at = at;
    state->ended = end;
    return STEP_DONE;
}

static struct sig_result fdt_check(struct sig_input *in, void *memory)
{
    struct fdt_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, FDT_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint64_t tree = bytes_u32be(p + 8), strings = bytes_u32be(p + 12);
    const struct fdt_head head = { .total = bytes_u32be(p + 4),
                                   .end = tree + bytes_u32be(p + 36),
                                   .strings = bytes_u32be(p + 32) };
    if (bytes_u32be(p + 24) != 16 || tree < FDT_HEAD || tree % 4 != 0 || head.end > head.total ||
        strings < FDT_HEAD || strings + head.strings > head.total ||
        bytes_u32be(p + 16) > head.total)
        return sig_reject("invalid places in the head");
    if (state->at == 0)
        state->at = tree;
    while (!state->ended) {
        const enum step step = fdt_token(in, state, &head);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "invalid token of the tree");
        sig_valid(in, state->at);
    }
    if (state->at != head.end)
        return sig_breaks(in, "the tree ends before its length");
    if (sig_bytes(in, head.total - 1, 1) == NULL)
        return sig_short(in);
    return sig_complete(in, head.total, "tokens lead to the end of the tree");
}

const struct sig sig_fdt = {
    .name = "dtb",
    .what = "device tree of an embedded system or phone (dtb, itb)",
    .proves =
        "tokens of the tree fill its length, names lie among the strings; values are not read",
    .source = "Devicetree Specification 0.4, 5: Flattened Devicetree (DTB) Format",
    .types = (const struct sig_type[]){ { "dtb", "dtb" }, { 0 } },
    .headers = { SIG_MASKED("\xd0\x0d\xfe\xed\0???\0???\0???\0???\0\0\0\x10\0\0\0\x10",
                            "\xff\xff\xff\xff\xf0\0\0\0\xf0\0\0\0\xf0\0\0\0\xf0\0\0\0\xff\xff\xff"
                            "\xfe\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = FDT_HEAD + 16,
    .size_max = 1 << 28,
    .state_size = sizeof(struct fdt_state),
    .check = fdt_check,
};
