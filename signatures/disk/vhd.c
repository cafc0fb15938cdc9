/* SPDX-License-Identifier: Apache-2.0
 * signatures/disk/vhd.c - virtual disks of Virtual PC and Hyper-V that grow, and differences to
 * them.
 *
 *   copy of the footer | "cxsparse" header | table of blocks | blocks, each with a bitmap in front
 * | footer "conectix"
 *
 * Both have checksums. The footer is expected behind the last block. A disk of fixed size has a
 * footer alone: it begins like any disk, and is not found.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    VHD_FOOTER = 512,
    VHD_HEAD = 1024,
    VHD_SECTOR = 512, /* the format's own unit, whatever the disk's */
    VHD_FIXED = 2,
    VHD_DIFFERENCE = 4,
    VHD_LOCATORS = 8,
    VHD_LOCATOR = 24,
    VHD_BLOCKS_MAX = 1 << 24,
    VHD_BEHIND = 4 << 20, /* how far behind the last block the footer may stand */
};

struct vhd_state {
    uint64_t block; /* next entry of the table */
    uint64_t end;   /* of what was seen; 0: not begun */
};

/* The complement of the sum of all bytes but the checksum's own. */
static bool vhd_sum_ok(const uint8_t *p, uint32_t len, uint32_t at)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < len; i++)
        if (i < at || i >= at + 4)
            sum += p[i];
    return ~sum == bytes_u32be(p + at);
}

static enum step vhd_blocks(struct sig_input *in, struct vhd_state *state, uint64_t table,
                            uint32_t count, uint64_t block_size)
{
    for (; state->block < count; state->block++) {
        const uint8_t *p = sig_bytes(in, table + state->block * 4, 4);

        if (p == NULL)
            return STEP_WAIT;
        const uint64_t at = (uint64_t)bytes_u32be(p) * VHD_SECTOR;
        if (bytes_u32be(p) == UINT32_MAX)
            continue;
        if (at < table + (uint64_t)count * 4)
            return STEP_BAD;
        if (at + block_size > state->end)
            state->end = at + block_size;
    }
    return STEP_DONE;
}

/* The footer must be the copy at the start again, but for what changes while the disk is in use. */
static struct sig_result vhd_footer(struct sig_input *in, const struct vhd_state *state)
{
    uint64_t at;
    const enum sig_found found =
        sig_find(in, state->end, state->end + VHD_BEHIND, "conectix", 8, &at);

    if (found == SIG_FIND_WAIT)
        return sig_short(in);
    if (found == SIG_FIND_NONE)
        return sig_breaks(in, "there is no footer behind the last block");
    const uint8_t *p = sig_bytes(in, at, VHD_FOOTER);
    if (p == NULL)
        return sig_short(in);
    if (at % VHD_SECTOR != 0 || !vhd_sum_ok(p, VHD_FOOTER, 64))
        return sig_breaks(in, "wrong checksum or place of the footer");
    return sig_complete(in, at + VHD_FOOTER, "the footer follows the last block");
}

static struct sig_result vhd_check(struct sig_input *in, void *memory)
{
    struct vhd_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, VHD_FOOTER);

    if (p == NULL)
        return sig_short(in);
    const uint64_t head = bytes_u64be(p + 16);
    const uint32_t kind = bytes_u32be(p + 60);
    if (kind <= VHD_FIXED || kind > VHD_DIFFERENCE || head < VHD_FOOTER || head > 1 << 20 ||
        !vhd_sum_ok(p, VHD_FOOTER, 64))
        return sig_reject("invalid footer, or its checksum is wrong");
    p = sig_bytes(in, head, VHD_HEAD);
    if (p == NULL)
        return sig_short(in);
    const uint64_t table = bytes_u64be(p + 16);
    const uint32_t count = bytes_u32be(p + 28), block = bytes_u32be(p + 32);
    if (memcmp(p, "cxsparse", 8) != 0 || !vhd_sum_ok(p, VHD_HEAD, 36) || count == 0 ||
        count > VHD_BLOCKS_MAX || block < VHD_SECTOR || (block & (block - 1)) != 0 ||
        block > 1 << 28 || table < VHD_FOOTER || table > UINT64_C(1) << 40)
        return sig_reject("invalid header of a growing disk, or its checksum is wrong");
    sig_valid(in, head + VHD_HEAD);
    if (state->end == 0) {
        state->end = (table + (uint64_t)count * 4 + VHD_SECTOR - 1) / VHD_SECTOR * VHD_SECTOR;
        for (uint32_t i = 0; i < VHD_LOCATORS; i++) {
            const uint8_t *locator = p + 576 + i * VHD_LOCATOR;
            const uint64_t end = sig_add(bytes_u64be(locator + 16), bytes_u32be(locator + 8));

            if (bytes_u32be(locator) != 0 && end < UINT64_C(1) << 40 && end > state->end)
                state->end = (end + VHD_SECTOR - 1) / VHD_SECTOR * VHD_SECTOR;
        }
    }
    const uint64_t bitmap = (block / VHD_SECTOR / 8 + VHD_SECTOR - 1) / VHD_SECTOR * VHD_SECTOR;
    const enum step step = vhd_blocks(in, state, table, count, bitmap + block);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, "invalid place of a block");
    return vhd_footer(in, state);
}

const struct sig sig_vhd = {
    .name = "vhd",
    .what = "virtual disk of Virtual PC or Hyper-V, growing",
    .proves =
        "header and footer have their checksums; blocks lie between; the footer ends the file",
    .source = "Microsoft, Virtual Hard Disk Image Format Specification 1.0, 2006",
    .types = (const struct sig_type[]){ { "vhd", "vhd" }, { 0 } },
    .headers = { SIG_MASKED("conectix\0\0\0\0\0\1\0\0",
                            "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = 2 * VHD_FOOTER + VHD_HEAD,
    .size_max = UINT64_C(1) << 42,
    .state_size = sizeof(struct vhd_state),
    .check = vhd_check,
};
