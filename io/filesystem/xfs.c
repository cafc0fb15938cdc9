/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/xfs.c - see xfs.h. Numbers on the disk are big-endian. */
#include "io/filesystem/xfs.h"

#include <string.h>

#include "base/bytes.h"

enum {
    XFS_SUPER = 512,
    XFS_BLOCK_MIN = 512,
    XFS_BLOCK_MAX = 65536,
    XFS_SECTOR_MAX = 32768,
    XFS_GROUPS_MAX = 1 << 20,
    XFS_LEVELS_MAX = 8, /* of a tree: more than 2^31 blocks need */
    XFS_AGF = 64,       /* bytes read of a group's head */
    XFS_RECORD = 8,     /* of a leaf: first block and count */
    XFS_NONE = -1,
};

struct xfs_walk {
    const struct source *source;
    const struct xfs *xfs;
    bool (*tell)(void *arg, uint64_t at, uint64_t len);
    void *arg;
    uint64_t group;  /* bytes: where it begins */
    uint32_t blocks; /* of it */
    uint64_t next;   /* block behind the last free run: runs ascend and do not touch */
    uint64_t free;   /* blocks so far */
    uint8_t block[XFS_BLOCK_MAX];
};

static bool xfs_is_power(uint32_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

bool xfs_open(const struct source *source, struct xfs *out)
{
    uint8_t super[XFS_SUPER];

    *out = (struct xfs){ 0 };
    if (!source_read(source, 0, super, sizeof super) || memcmp(super, "XFSB", 4) != 0)
        return false;
    *out = (struct xfs){ .block_size = bytes_u32be(super + 4),
                         .sector_size = bytes_u16be(super + 102),
                         .group_blocks = bytes_u32be(super + 84),
                         .group_count = bytes_u32be(super + 88),
                         .blocks = bytes_u64be(super + 8),
                         .has_crc = (bytes_u16be(super + 100) & 0xf) == 5 };
    const uint64_t most = (uint64_t)out->group_count * out->group_blocks;
    return xfs_is_power(out->block_size) && out->block_size >= XFS_BLOCK_MIN &&
           out->block_size <= XFS_BLOCK_MAX && xfs_is_power(out->sector_size) &&
           out->sector_size >= XFS_SUPER && out->sector_size <= XFS_SECTOR_MAX &&
           out->group_count > 0 && out->group_count <= XFS_GROUPS_MAX && out->group_blocks > 0 &&
           out->blocks > most - out->group_blocks && out->blocks <= most &&
           out->blocks <= source->size / out->block_size;
}

static bool xfs_tell(struct xfs_walk *walk, uint64_t block, uint64_t count)
{
    const uint64_t size = walk->xfs->block_size;

    walk->free += count;
    return count == 0 || walk->tell(walk->arg, walk->group + block * size, count * size);
}

/* The leaf in walk->block: its runs lie behind those of the leaf before. */
static bool xfs_leaf(struct xfs_walk *walk, uint32_t head)
{
    const uint32_t count = bytes_u16be(walk->block + 6);

    if (count > (walk->xfs->block_size - head) / XFS_RECORD)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *record = walk->block + head + i * XFS_RECORD;
        const uint64_t start = bytes_u32be(record), len = bytes_u32be(record + 4);

        if (start < walk->next || len == 0 || start + len > walk->blocks)
            return false;
        walk->next = start + len;
        if (!xfs_tell(walk, start, len))
            return false;
    }
    return true;
}

static bool xfs_read_block(struct xfs_walk *walk, uint32_t number, uint32_t level)
{
    const char *magic = walk->xfs->has_crc ? "AB3B" : "ABTB";

    return number < walk->blocks &&
           source_read(walk->source, walk->group + (uint64_t)number * walk->xfs->block_size,
                       walk->block, walk->xfs->block_size) &&
           memcmp(walk->block, magic, 4) == 0 && bytes_u16be(walk->block + 4) == level;
}

/* Down to the first leaf, and then from each to the one on its right. */
static bool xfs_tree(struct xfs_walk *walk, uint32_t root, uint32_t levels)
{
    const uint32_t head = walk->xfs->has_crc ? 56 : 16, size = walk->xfs->block_size;
    uint32_t number = root;

    if (levels == 0 || levels > XFS_LEVELS_MAX)
        return false;
    for (uint32_t level = levels - 1; level > 0; level--) {
        /* Keys come first, for as many as there is room for, and then the blocks beneath. */
        const uint32_t most = (size - head) / (XFS_RECORD + 4);

        if (!xfs_read_block(walk, number, level))
            return false;
        number = bytes_u32be(walk->block + head + most * XFS_RECORD);
    }
    while (number != (uint32_t)XFS_NONE) {
        if (!xfs_read_block(walk, number, 0) || !xfs_leaf(walk, head))
            return false;
        number = bytes_u32be(walk->block + 12);
        /* Runs ascend, so a chain that goes in circles comes to one that it has met; but for leaves
         * without any, of which the root alone may be one. */
        if (number != (uint32_t)XFS_NONE && bytes_u16be(walk->block + 6) == 0)
            return false;
    }
    return true;
}

/* Blocks that the group keeps for its trees: free, and in no tree. */
static bool xfs_spare(struct xfs_walk *walk, const uint8_t *agf)
{
    const uint32_t sector = walk->xfs->sector_size, head = walk->xfs->has_crc ? 36 : 0;
    const uint32_t room = (sector - head) / 4, first = bytes_u32be(agf + 40),
                   count = bytes_u32be(agf + 48);

    if (count == 0)
        return true;
    if (first >= room || count > room ||
        !source_read(walk->source, walk->group + 3 * (uint64_t)sector, walk->block, sector))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t block = bytes_u32be(walk->block + head + (first + i) % room * 4);

        if (block >= walk->blocks || !xfs_tell(walk, block, 1))
            return false;
    }
    return true;
}

static bool xfs_group(struct xfs_walk *walk, uint32_t number)
{
    const struct xfs *xfs = walk->xfs;
    uint8_t agf[XFS_AGF];

    walk->group = (uint64_t)number * xfs->group_blocks * xfs->block_size;
    walk->blocks = number + 1 < xfs->group_count
                       ? xfs->group_blocks
                       : (uint32_t)(xfs->blocks - (uint64_t)number * xfs->group_blocks);
    walk->next = walk->free = 0;
    if (!source_read(walk->source, walk->group + xfs->sector_size, agf, sizeof agf) ||
        memcmp(agf, "XAGF", 4) != 0 || bytes_u32be(agf + 8) != number ||
        bytes_u32be(agf + 12) != walk->blocks)
        return false;
    return xfs_tree(walk, bytes_u32be(agf + 16), bytes_u32be(agf + 28)) &&
           walk->free == bytes_u32be(agf + 52) && xfs_spare(walk, agf);
}

bool xfs_free(const struct source *source, const struct xfs *xfs,
              bool (*tell)(void *arg, uint64_t at, uint64_t len), void *arg)
{
    struct xfs_walk walk = { .source = source, .xfs = xfs, .tell = tell, .arg = arg };

    for (uint32_t i = 0; i < xfs->group_count; i++)
        if (!xfs_group(&walk, i))
            return false;
    return true;
}
