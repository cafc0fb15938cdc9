/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/blend.c - Blender's scenes, not compressed.
 *
 *   "BLENDER" | '_' or '-' (pointers of 4 or 8 bytes) | 'v' or 'V' (little or big-endian) | 3
 * digits of version | blocks block: 4-letter code | u32 length | old address | u32 number of its
 * structure | u32 count | bytes "BLENDER17-01v" | 4 digits | blocks (from 5.0 on): code | u32
 * structure | u64 old address | u64 length | u64 count | bytes
 *
 * The block "DNA1" describes all structures; the block "ENDB", empty, is the end.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    BLEND_HEAD = 12,
    BLEND_LARGE_HEAD = 17,
    BLEND_LARGE_BLOCK = 32,
    BLEND_STRUCTURES_MAX = 1 << 16,
    BLEND_NAMES = 8, /* "SDNANAME", how the description begins */
};

struct blend_state {
    uint64_t at; /* object offset of the next block; 0: not begun */
    bool described;
};

struct blend_block {
    char code[4];
    uint64_t length, count;
    uint32_t structure;
};

/* Codes are two letters and two zeros, or four letters or digits. */
static bool blend_is_code(const char code[4])
{
    for (int i = 0; i < 4; i++) {
        const bool letter =
            (code[i] >= 'A' && code[i] <= 'Z') || (i > 0 && code[i] >= '0' && code[i] <= '9');

        if (!letter && !(i >= 2 && code[i] == 0 && code[3] == 0))
            return false;
    }
    return true;
}

static void blend_read(const uint8_t *bytes, bool large, bool big, uint32_t pointer,
                       struct blend_block *out)
{
    memcpy(out->code, bytes, 4);
    if (large) {
        out->structure = bytes_u32le(bytes + 4);
        out->length = bytes_u64le(bytes + 16);
        out->count = bytes_u64le(bytes + 24);
        return;
    }
    const uint8_t *rest = bytes + 8 + pointer;
    out->length = big ? bytes_u32be(bytes + 4) : bytes_u32le(bytes + 4);
    out->structure = big ? bytes_u32be(rest) : bytes_u32le(rest);
    out->count = big ? bytes_u32be(rest + 4) : bytes_u32le(rest + 4);
}

static struct sig_result blend_check(struct sig_input *in, void *memory)
{
    struct blend_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, BLEND_LARGE_HEAD);

    if (head == NULL)
        return sig_short(in);
    const bool large = head[7] == '1';
    const uint32_t pointer = head[7] == '_' ? 4 : 8,
                   block_head = large ? BLEND_LARGE_BLOCK : 16 + pointer;
    const bool big = !large && head[8] == 'V';
    const uint32_t from = large ? 13 : 9, to = large ? BLEND_LARGE_HEAD : BLEND_HEAD;
    if (large ? memcmp(head + 7, "17-01v", 6) != 0
              : (head[7] != '_' && head[7] != '-') || (head[8] | 0x20) != 'v')
        return sig_reject("unknown kind of header");
    for (uint32_t i = from; i < to; i++)
        if (head[i] < '0' || head[i] > '9')
            return sig_reject("the version is not a number");
    if (state->at == 0)
        state->at = to;
    for (;;) {
        struct blend_block block;
        const uint8_t *bytes = sig_bytes(in, state->at, block_head);

        if (bytes == NULL)
            return sig_short(in);
        blend_read(bytes, large, big, pointer, &block);
        if (!blend_is_code(block.code) || block.structure >= BLEND_STRUCTURES_MAX ||
            block.length > in->sig->size_max || block.count > block.length)
            return sig_breaks(in, "a valid block must follow here, and none does");
        if (memcmp(block.code, "ENDB", 4) == 0)
            break;
        if (memcmp(block.code, "DNA1", 4) == 0) {
            const uint8_t *names = block.length < BLEND_NAMES
                                       ? NULL
                                       : sig_bytes(in, state->at + block_head, BLEND_NAMES);

            if (names == NULL && block.length >= BLEND_NAMES)
                return sig_short(in);
            if (names == NULL || memcmp(names, "SDNANAME", BLEND_NAMES) != 0)
                return sig_breaks(in, "the block of structures has no valid beginning");
            state->described = true;
        }
        state->at += block_head + block.length;
        sig_valid(in, state->at < in->limit ? state->at : in->limit);
    }
    const uint8_t *length = sig_bytes(in, state->at + (large ? 16 : 4), large ? 8 : 4);
    if (length == NULL)
        return sig_short(in);
    if (!state->described || memcmp(length, "\0\0\0\0\0\0\0", large ? 8 : 4) != 0)
        return sig_breaks(in, "the file ends before the description of its structures");
    return sig_complete(in, state->at + block_head, "the blocks lead to the last one");
}

const struct sig sig_blend = {
    .name = "blend",
    .what = "Blender scene",
    .proves = "blocks lead to the end block; the description of the structures is there",
    .source = "Blender, doc/blender_file_format/mystery_of_the_blend.html; "
              "source/blender/blenloader (BHead, BlenderHeader)",
    .types = (const struct sig_type[]){ { "blend", "blend" }, { 0 } },
    .headers = { SIG_MASKED("BLENDER_V0", "\xff\xff\xff\xff\xff\xff\xff\xff\xdf\xf0"),
                 SIG_MASKED("BLENDER-V0", "\xff\xff\xff\xff\xff\xff\xff\xff\xdf\xf0"),
                 SIG_PATTERN("BLENDER17-01v") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 64,
    .size_max = UINT64_C(1) << 40,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct blend_state),
    .check = blend_check,
};
