/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/bigalloc.c - see bigalloc.h. Numbers on the disk are little-endian. */
#include "io/filesystem/bigalloc.h"

#include <string.h>

#include "base/bytes.h"

enum {
    BIG_SUPER = 1024, /* bytes, at byte 1024 */
    BIG_AT_BLOCKS = 4,
    BIG_AT_FIRST = 20,
    BIG_AT_BLOCK = 24,   /* log2 of a block's KiB */
    BIG_AT_CLUSTER = 28, /* log2 of a cluster's KiB */
    BIG_AT_GROUP_BLOCKS = 32,
    BIG_AT_GROUP_CLUSTERS = 36,
    BIG_AT_MAGIC = 56,
    BIG_AT_INCOMPATIBLE = 96,
    BIG_AT_READ_ONLY = 100,
    BIG_AT_DESCRIPTOR = 254, /* u16, bytes; with 64-bit numbers */
    BIG_AT_BLOCKS_HIGH = 336,
    BIG_MAGIC = 0xef53,
    BIG_META_GROUPS = 0x10, /* incompatible: descriptors lie in another order */
    BIG_WIDE = 0x80,        /* incompatible: 64-bit numbers */
    BIG_CLUSTERS = 0x200,   /* read-only: bigalloc */
    BIG_FLAGS = 0x410,      /* read-only: sums of descriptors, of either kind */
    BIG_SHIFT_MAX = 6,
    BIG_CLUSTER_SHIFT_MAX = 20,
    BIG_GROUP_MIN = 256,      /* clusters: fewer would be groups without number */
    BIG_BLOCK_MAX = 64 << 10, /* bytes */
    BIG_NARROW_LEN = 32,      /* bytes of a descriptor */
    BIG_DESCRIPTOR_MAX = 64,  /* bytes of one that are read */
    BIG_AT_FREE = 12,         /* of a descriptor: free clusters, u16 */
    BIG_AT_FLAGS = 18,
    BIG_AT_BITMAP_HIGH = 32,
    BIG_AT_FREE_HIGH = 44,
    BIG_UNWRITTEN = 2, /* flag of a descriptor: the bitmap was never written */
};

struct bigalloc_walk {
    const struct source *source;
    const struct bigalloc *fs;
    bool (*tell)(void *arg, uint64_t at, uint64_t len);
    void *arg;
    uint8_t bits[BIG_BLOCK_MAX];
};

static bool bigalloc_descriptors(const uint8_t *super, struct bigalloc *out)
{
    const bool wide = (bytes_u32le(super + BIG_AT_INCOMPATIBLE) & BIG_WIDE) != 0;

    out->descriptor_len = wide ? bytes_u16le(super + BIG_AT_DESCRIPTOR) : BIG_NARROW_LEN;
    if (wide)
        out->blocks |= (uint64_t)bytes_u32le(super + BIG_AT_BLOCKS_HIGH) << 32;
    return out->descriptor_len == BIG_NARROW_LEN ||
           (wide && out->descriptor_len >= BIG_DESCRIPTOR_MAX && out->descriptor_len <= BIG_SUPER &&
            (out->descriptor_len & (out->descriptor_len - 1)) == 0);
}

bool bigalloc_open(const struct source *source, struct bigalloc *out)
{
    uint8_t super[BIG_SUPER];

    *out = (struct bigalloc){ 0 };
    if (!source_read(source, BIG_SUPER, super, sizeof super) ||
        bytes_u16le(super + BIG_AT_MAGIC) != BIG_MAGIC ||
        (bytes_u32le(super + BIG_AT_READ_ONLY) & BIG_CLUSTERS) == 0 ||
        (bytes_u32le(super + BIG_AT_INCOMPATIBLE) & BIG_META_GROUPS) != 0)
        return false;
    const uint32_t block = bytes_u32le(super + BIG_AT_BLOCK),
                   cluster = bytes_u32le(super + BIG_AT_CLUSTER);
    if (block > BIG_SHIFT_MAX || cluster < block || cluster > BIG_CLUSTER_SHIFT_MAX)
        return false;
    out->block_size = UINT32_C(1024) << block;
    out->cluster_blocks = UINT32_C(1) << (cluster - block);
    out->group_clusters = bytes_u32le(super + BIG_AT_GROUP_CLUSTERS);
    out->first = bytes_u32le(super + BIG_AT_FIRST);
    out->blocks = bytes_u32le(super + BIG_AT_BLOCKS);
    out->has_flags = (bytes_u32le(super + BIG_AT_READ_ONLY) & BIG_FLAGS) != 0;
    return bigalloc_descriptors(super, out) && out->group_clusters >= BIG_GROUP_MIN &&
           out->group_clusters % 8 == 0 && out->group_clusters / 8 <= out->block_size &&
           bytes_u32le(super + BIG_AT_GROUP_BLOCKS) ==
               (uint64_t)out->group_clusters * out->cluster_blocks &&
           out->first <= 1 && out->blocks > out->first &&
           out->blocks <= source->size / out->block_size;
}

/* Clusters from the first one on, of the group that begins in this block. */
static bool bigalloc_tell(struct bigalloc_walk *walk, uint64_t group, uint64_t first,
                          uint64_t count)
{
    const struct bigalloc *fs = walk->fs;
    const uint64_t begin = group + first * fs->cluster_blocks;
    const uint64_t end = begin + count * fs->cluster_blocks;

    return count == 0 ||
           walk->tell(walk->arg, begin * fs->block_size,
                      ((end < fs->blocks ? end : fs->blocks) - begin) * fs->block_size);
}

/* The runs of bits that are not set, of so many, in the group that begins in this block. */
static bool bigalloc_bits(struct bigalloc_walk *walk, uint64_t group, uint64_t clusters,
                          uint32_t free)
{
    uint64_t run = 0, all = 0;

    for (uint64_t i = 0; i <= clusters; i++) {
        const bool is_free = i < clusters && (walk->bits[i / 8] >> i % 8 & 1) == 0;

        all += is_free;
        if (is_free)
            run++;
        else if (!bigalloc_tell(walk, group, i - run, run))
            return false;
        else
            run = 0;
    }
    return all == free;
}

static bool bigalloc_group(struct bigalloc_walk *walk, uint64_t number, uint64_t group)
{
    const struct bigalloc *fs = walk->fs;
    const uint64_t left = (fs->blocks - group - 1) / fs->cluster_blocks + 1;
    const uint64_t clusters = left < fs->group_clusters ? left : fs->group_clusters;
    /* They lie in the block behind that of the superblock. */
    const uint64_t table = fs->block_size == BIG_SUPER ? 2 : 1;
    const uint64_t at = table * fs->block_size + number * fs->descriptor_len;
    const bool wide = fs->descriptor_len > BIG_NARROW_LEN;
    uint8_t descriptor[BIG_DESCRIPTOR_MAX] = { 0 };

    if (!source_read(walk->source, at, descriptor,
                     wide ? BIG_DESCRIPTOR_MAX : (uint32_t)BIG_NARROW_LEN))
        return false;
    if (fs->has_flags && (bytes_u16le(descriptor + BIG_AT_FLAGS) & BIG_UNWRITTEN) != 0)
        return bigalloc_tell(walk, group, 0, clusters);
    const uint64_t bitmap =
        bytes_u32le(descriptor) | (uint64_t)bytes_u32le(descriptor + BIG_AT_BITMAP_HIGH) << 32;
    const uint32_t free = bytes_u16le(descriptor + BIG_AT_FREE) |
                          (uint32_t)bytes_u16le(descriptor + BIG_AT_FREE_HIGH) << 16;
    return bitmap > 0 && bitmap < fs->blocks &&
           source_read(walk->source, bitmap * fs->block_size, walk->bits, fs->group_clusters / 8) &&
           bigalloc_bits(walk, group, clusters, free);
}

bool bigalloc_free(const struct source *source, const struct bigalloc *fs,
                   bool (*tell)(void *arg, uint64_t at, uint64_t len), void *arg)
{
    struct bigalloc_walk walk = { .source = source, .fs = fs, .tell = tell, .arg = arg };
    const uint64_t each = (uint64_t)fs->group_clusters * fs->cluster_blocks;
    uint64_t number = 0;

    for (uint64_t group = fs->first; group < fs->blocks; group += each, number++)
        if (!bigalloc_group(&walk, number, group))
            return false;
    return true;
}
