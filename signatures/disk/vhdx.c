/* SPDX-License-Identifier: Apache-2.0
 * signatures/disk/vhdx.c - virtual disks of Hyper-V from 2012 on.
 *
 *   64 KiB: "vhdxfile" | 2 x 64 KiB: "head", CRC-32C | 2 x 64 KiB: "regi", CRC-32C: places of the
 * block table and of the metadata log, table, metadata and blocks, all at multiples of 1 MiB
 *
 * The length is the largest end of all that these point to.
 */
#include <isa-l/crc.h>
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    VHDX_UNIT = 1 << 20,
    VHDX_HEAD_AT = 64 << 10,
    VHDX_HEAD = 4096,
    VHDX_REGION_AT = 192 << 10,
    VHDX_REGION = 64 << 10,
    VHDX_REGIONS_MAX = 2047,
    VHDX_METADATA_MAX = 2047,
    VHDX_AT_ONCE = 1024,
    VHDX_FULL = 6,
    VHDX_PARTLY = 7,
};
#define VHDX_ENTRIES_MAX (UINT64_C(1) << 28)

struct vhdx_state {
    uint64_t entry, end; /* next one of the block table; end of what was seen */
};

struct vhdx_layout {
    uint64_t log_end, table, table_size, metadata, metadata_end;
    uint64_t block, disk;
    uint32_t sector;
    bool parent;
};

static bool vhdx_crc_ok(const uint8_t *p, uint32_t len)
{
    static const uint8_t zeros[4];
    uint32_t crc = crc32_iscsi((uint8_t *)(uintptr_t)p, 4, UINT32_MAX); /* ISA-L only reads it */

    crc = crc32_iscsi((uint8_t *)(uintptr_t)zeros, 4, crc);
    crc = crc32_iscsi((uint8_t *)(uintptr_t)p + 8, (int)len - 8, crc);
    return ~crc == bytes_u32le(p + 4);
}

/* The newer of the two headers whose CRC is right: the log. */
static enum step vhdx_head(struct sig_input *in, struct vhdx_layout *layout)
{
    uint64_t newest = 0;
    bool found = false;

    for (uint32_t i = 0; i < 2; i++) {
        const uint8_t *p = sig_bytes(in, (uint64_t)(1 + i) * VHDX_HEAD_AT, VHDX_HEAD);

        if (p == NULL)
            return STEP_WAIT;
        if (memcmp(p, "head", 4) != 0 || !vhdx_crc_ok(p, VHDX_HEAD) ||
            (found && bytes_u64le(p + 8) < newest))
            continue;
        found = true;
        newest = bytes_u64le(p + 8);
        layout->log_end = sig_add(bytes_u64le(p + 72), bytes_u32le(p + 68));
    }
    return found ? STEP_DONE : STEP_BAD;
}

/* The first table of regions whose CRC is right. */
static enum step vhdx_regions(struct sig_input *in, struct vhdx_layout *layout)
{
    static const uint8_t table[] =
        "\x66\x77\xc2\x2d\x23\xf6\x00\x42\x9d\x64\x11\x5e\x9b\xfd\x4a\x08";
    static const uint8_t metadata[] =
        "\x06\xa2\x7c\x8b\x90\x47\x9a\x4b\xb8\xfe\x57\x5f\x05\x0f\x88\x6e";

    for (uint32_t i = 0; i < 2; i++) {
        const uint8_t *p = sig_bytes(in, VHDX_REGION_AT + (uint64_t)i * VHDX_REGION, VHDX_REGION);

        if (p == NULL)
            return STEP_WAIT;
        const uint32_t count = bytes_u32le(p + 8);
        if (memcmp(p, "regi", 4) != 0 || count > VHDX_REGIONS_MAX || !vhdx_crc_ok(p, VHDX_REGION))
            continue;
        for (uint32_t k = 0; k < count; k++) {
            const uint8_t *entry = p + 16 + k * 32;
            const uint64_t at = bytes_u64le(entry + 16), size = bytes_u32le(entry + 24);

            if (memcmp(entry, table, 16) == 0) {
                layout->table = at;
                layout->table_size = size;
            } else if (memcmp(entry, metadata, 16) == 0) {
                layout->metadata = at;
                layout->metadata_end = sig_add(at, size);
            }
        }
        return layout->table >= VHDX_UNIT && layout->table % VHDX_UNIT == 0 &&
                       layout->metadata >= VHDX_UNIT && layout->metadata % VHDX_UNIT == 0
                   ? STEP_DONE
                   : STEP_BAD;
    }
    return STEP_BAD;
}

/* Sizes of the disk, its blocks and its sectors. */
static enum step vhdx_metadata(struct sig_input *in, struct vhdx_layout *layout)
{
    static const uint8_t file[] =
        "\x37\x67\xa1\xca\x36\xfa\x43\x4d\xb3\xb6\x33\xf0\xaa\x44\xe7\x6b";
    static const uint8_t disk[] =
        "\x24\x42\xa5\x2f\x1b\xcd\x76\x48\xb2\x11\x5d\xbe\xd8\x3b\xf4\xb8";
    static const uint8_t sector[] =
        "\x1d\xbf\x41\x81\x6f\xa9\x09\x47\xba\x47\xf2\x33\xa8\xfa\xab\x5f";
    const uint8_t *p = sig_bytes(in, layout->metadata, 32);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t count = bytes_u16le(p + 10);
    if (memcmp(p, "metadata", 8) != 0 || count > VHDX_METADATA_MAX)
        return STEP_BAD;
    for (uint32_t i = 0; i < count; i++) {
        p = sig_bytes(in, layout->metadata + 32 + i * 32, 32);
        if (p == NULL)
            return STEP_WAIT;
        const uint32_t at = bytes_u32le(p + 16);
        const bool is_file = memcmp(p, file, 16) == 0, is_disk = memcmp(p, disk, 16) == 0;
        if (!is_file && !is_disk && memcmp(p, sector, 16) != 0)
            continue;
        p = sig_bytes(in, layout->metadata + at, is_disk || is_file ? 8 : 4);
        if (p == NULL)
            return STEP_WAIT;
        if (is_file) {
            layout->block = bytes_u32le(p);
            layout->parent = (bytes_u32le(p + 4) & 2) != 0;
        } else if (is_disk) {
            layout->disk = bytes_u64le(p);
        } else {
            layout->sector = bytes_u32le(p);
        }
    }
    return (layout->sector == 512 || layout->sector == 4096) && layout->block >= VHDX_UNIT &&
                   layout->block <= 256 * VHDX_UNIT && (layout->block & (layout->block - 1)) == 0 &&
                   layout->disk > 0 && layout->disk <= UINT64_C(1) << 46
               ? STEP_DONE
               : STEP_BAD;
}

/* Every entry: after as many blocks as a bitmap covers, one of a bitmap. */
static enum step vhdx_blocks(struct sig_input *in, const struct vhdx_layout *layout,
                             struct vhdx_state *state)
{
    const uint64_t ratio = (UINT64_C(1) << 23) * layout->sector / layout->block;
    const uint64_t blocks = (layout->disk + layout->block - 1) / layout->block;
    const uint64_t all = layout->parent ? ((blocks + ratio - 1) / ratio) * (ratio + 1)
                                        : blocks + (blocks - 1) / ratio;

    if (all > VHDX_ENTRIES_MAX || all * 8 > layout->table_size)
        return STEP_BAD;
    while (state->entry < all) {
        const uint32_t some =
            all - state->entry < VHDX_AT_ONCE ? (uint32_t)(all - state->entry) : VHDX_AT_ONCE;
        const uint8_t *p = sig_bytes(in, layout->table + state->entry * 8, some * 8);

        if (p == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < some; i++) {
            const uint64_t entry = bytes_u64le(p + i * 8), at = entry & ~(uint64_t)(VHDX_UNIT - 1);
            const uint32_t kind = (uint32_t)entry & 7;
            const bool bitmap = (state->entry + i) % (ratio + 1) == ratio;

            if ((entry & (VHDX_UNIT - 1)) >> 3 != 0 || kind == 4 || kind == 5)
                return STEP_BAD;
            if (kind != VHDX_FULL && kind != VHDX_PARTLY)
                continue;
            if (at < VHDX_UNIT)
                return STEP_BAD;
            const uint64_t end = sig_add(at, bitmap ? VHDX_UNIT : layout->block);
            if (end > state->end)
                state->end = end;
        }
        state->entry += some;
    }
    return STEP_DONE;
}

static struct sig_result vhdx_check(struct sig_input *in, void *memory)
{
    struct vhdx_state *state = memory;
    struct vhdx_layout layout = { 0 };
    enum step step = vhdx_head(in, &layout);

    if (step == STEP_DONE)
        step = vhdx_regions(in, &layout);
    if (step == STEP_BAD)
        return sig_reject("invalid headers or regions, or their CRC is wrong");
    if (step == STEP_DONE) {
        sig_valid(in, VHDX_UNIT);
        step = vhdx_metadata(in, &layout);
    }
    if (step == STEP_DONE)
        step = vhdx_blocks(in, &layout, state);
    if (step == STEP_WAIT && in->wanted > in->limit && in->valid > 0)
        sig_valid(in, in->limit);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, "invalid metadata or table of blocks");
    const uint64_t ends[] = { state->end, layout.log_end, sig_add(layout.table, layout.table_size),
                              layout.metadata_end, VHDX_UNIT };
    uint64_t end = 0;
    for (uint32_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        end = ends[i] > end ? ends[i] : end;
    return sig_believe(in, end, "the CRCs of headers and regions are right, every block is there");
}

const struct sig sig_vhdx = {
    .name = "vhdx",
    .what = "virtual disk of Hyper-V",
    .proves = "headers and regions have their CRC-32Cs; every block of the table has a valid place",
    .source = "Microsoft, MS-VHDX, 2-3",
    .types = (const struct sig_type[]){ { "vhdx", "vhdx" }, { 0 } },
    .headers = { SIG_PATTERN("vhdxfile") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = 2 * VHDX_UNIT,
    .size_max = UINT64_C(1) << 46,
    .state_size = sizeof(struct vhdx_state),
    .check = vhdx_check,
};
