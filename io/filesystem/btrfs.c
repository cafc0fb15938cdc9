/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/btrfs.c - see btrfs.h. */
#include "io/filesystem/btrfs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "io/filesystem/btrfs_chunks.h"
#include "io/filesystem/btrfs_tree.h"
#include "io/filesystem/ranges.h"

enum {
    BTRFS_SUPER = 65536, /* where it lies, */
    BTRFS_SUPER_LEN = 4096,
    BTRFS_SECTOR_MIN = 4096,
    BTRFS_SYSTEM_AT = 0x32b, /* the chunks that the tree of chunks lies in */
    BTRFS_SYSTEM_LEN = 2048,
    BTRFS_KEY = 17,
    BTRFS_EXTENT_TREE = 2, /* numbers of trees */
    BTRFS_GROUP_TREE = 11,
    BTRFS_ROOT_ITEM = 132, /* types of items */
    BTRFS_EXTENT_ITEM = 168,
    BTRFS_METADATA_ITEM = 169,
    BTRFS_GROUP_ITEM = 192,
    BTRFS_CHUNK_ITEM = 228,
    BTRFS_ROOT_LEN = 239,   /* bytes of a ROOT_ITEM that are read */
    BTRFS_OTHER_ID = 0x400, /* of incompatible features: nodes have another number of the disk */
    BTRFS_KNOWN = 0x10fff,  /* all but zones, several trees of extents, and a tree of stripes */
    BTRFS_TREE_BLOCK = 2,   /* of an extent */
};

struct btrfs {
    struct btrfs_trees trees;
    struct btrfs_device device;
    struct btrfs_chunks system, chunks;
    uint64_t size; /* bytes of the device */
    uint32_t sector_size;
    struct btrfs_root root, chunk_root, extents, groups; /* at 0: there is none */
    bool (*tell)(void *arg, enum io_area_kind kind, uint64_t at, uint64_t len);
    void *arg;
    uint32_t chunk; /* what comes is told of: this one, */
    uint64_t next;  /* from this byte of the space on */
};

static bool btrfs_is_power(uint32_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

static enum err_code btrfs_super(struct btrfs *fs, uint8_t *super, struct err *err)
{
    const struct source *source = fs->trees.source;

    if (!source_read(source, BTRFS_SUPER, super, BTRFS_SUPER_LEN) ||
        memcmp(super + 0x40, "_BHRfS_M", 8) != 0 || bytes_u64le(super + 0x30) != BTRFS_SUPER)
        return ERR_RAISE(err, ERR_INPUT, "its superblock is damaged");
    if (bytes_u16le(super + 0xc4) != 0)
        return ERR_RAISE(err, ERR_INPUT, "no reader here for its checksums (only for crc32c)");
    if (bytes_u32le(super) != btrfs_sum(super, BTRFS_SUPER_LEN))
        return ERR_RAISE(err, ERR_INPUT, "its superblock is damaged");
    const uint64_t features = bytes_u64le(super + 0xbc);
    if ((features & ~(uint64_t)BTRFS_KNOWN) != 0)
        return ERR_RAISE(err, ERR_INPUT, "no reader here for its features (0x%" PRIx64 ")",
                         features);
    fs->sector_size = bytes_u32le(super + 0x90);
    fs->trees.node_size = bytes_u32le(super + 0x94);
    fs->size = bytes_u64le(super + 0xc9 + 8);
    fs->device.id = bytes_u64le(super + 0xc9);
    memcpy(fs->device.uuid, super + 0xc9 + 66, BTRFS_UUID);
    memcpy(fs->trees.id, super + ((features & BTRFS_OTHER_ID) != 0 ? 0x23b : 0x20), BTRFS_UUID);
    fs->root =
        (struct btrfs_root){ bytes_u64le(super + 0x50), bytes_u64le(super + 0x48), super[0xc6] };
    fs->chunk_root =
        (struct btrfs_root){ bytes_u64le(super + 0x58), bytes_u64le(super + 0xa4), super[0xc7] };
    return btrfs_is_power(fs->sector_size) && fs->sector_size >= BTRFS_SECTOR_MIN &&
                   fs->sector_size <= BTRFS_NODE_MAX && btrfs_is_power(fs->trees.node_size) &&
                   fs->trees.node_size >= fs->sector_size &&
                   fs->trees.node_size <= BTRFS_NODE_MAX && fs->size <= source->size
               ? ERR_OK
               : ERR_RAISE(err, ERR_INPUT, "its superblock makes no sense");
}

/* The superblock names the chunks that the tree of chunks lies in. */
static enum err_code btrfs_system(struct btrfs *fs, const uint8_t *super, struct err *err)
{
    const uint32_t have = bytes_u32le(super + 0xa0);
    const uint8_t *list = super + BTRFS_SYSTEM_AT;
    enum err_code rc = ERR_OK;
    uint32_t at = 0;

    if (have > BTRFS_SYSTEM_LEN)
        return ERR_RAISE(err, ERR_INPUT, "its superblock makes no sense");
    while (rc == ERR_OK && have - at > BTRFS_KEY) {
        const uint8_t *item = list + at + BTRFS_KEY;
        uint32_t taken = 0;

        rc = btrfs_chunks_add(&fs->system, &fs->device, bytes_u64le(list + at + 9), item,
                              have - at - BTRFS_KEY, &taken, err);
        at += BTRFS_KEY + taken;
    }
    return rc;
}

static enum err_code btrfs_chunk(void *arg, const struct btrfs_item *item, struct err *err)
{
    struct btrfs *fs = arg;
    uint32_t taken = 0;

    if (item->key.type != BTRFS_CHUNK_ITEM)
        return ERR_OK;
    return btrfs_chunks_add(&fs->chunks, &fs->device, item->key.offset, item->bytes, item->len,
                            &taken, err);
}

/* What a chunk has of this device lies on it, and where its bytes tell. */
static enum err_code btrfs_check_chunk(const struct btrfs *fs, const struct btrfs_chunk *chunk,
                                       struct err *err)
{
    if (chunk->parity && chunk->count > 0)
        return ERR_RAISE(err, ERR_INPUT, "no reader here for RAID5 and RAID6 of Btrfs");
    for (uint32_t i = 0; i < chunk->count; i++) {
        const struct btrfs_stripe *stripe = &fs->chunks.stripes[chunk->first + i];
        uint64_t at = 0, len = 0;

        btrfs_stripe_run(chunk, stripe, 0, chunk->len, &at, &len);
        if (stripe->at > fs->size || len > fs->size - stripe->at)
            return ERR_RAISE(err, ERR_INPUT, "a chunk of it lies outside of the device");
    }
    return ERR_OK;
}

static enum err_code btrfs_read_chunks(struct btrfs *fs, struct err *err)
{
    fs->trees.chunks = &fs->system;
    enum err_code rc = btrfs_tree_walk(&fs->trees, &fs->chunk_root, btrfs_chunk, fs, err);

    for (uint32_t i = 0; rc == ERR_OK && i < fs->chunks.count; i++)
        rc = btrfs_check_chunk(fs, &fs->chunks.items[i], err);
    fs->trees.chunks = &fs->chunks;
    return rc;
}

static enum err_code btrfs_root(void *arg, const struct btrfs_item *item, struct err *err)
{
    struct btrfs *fs = arg;
    struct btrfs_root *root = item->key.object == BTRFS_EXTENT_TREE  ? &fs->extents
                              : item->key.object == BTRFS_GROUP_TREE ? &fs->groups
                                                                     : NULL;

    if (item->key.type != BTRFS_ROOT_ITEM || root == NULL)
        return ERR_OK;
    if (item->len < BTRFS_ROOT_LEN || root->at != 0)
        return ERR_RAISE(err, ERR_INPUT, "its tree of trees is damaged");
    *root = (struct btrfs_root){ bytes_u64le(item->bytes + 176), bytes_u64le(item->bytes + 160),
                                 item->bytes[238] };
    return ERR_OK;
}

static enum err_code btrfs_tell(struct btrfs *fs, const struct btrfs_chunk *chunk,
                                enum io_area_kind kind, uint64_t from, uint64_t to, struct err *err)
{
    for (uint32_t i = 0; from < to && i < chunk->count; i++) {
        uint64_t at = 0, len = 0;

        btrfs_stripe_run(chunk, &fs->chunks.stripes[chunk->first + i], from, to, &at, &len);
        if (len > 0 && !fs->tell(fs->arg, kind, at, len))
            return ERR_RAISE(err, ERR_INPUT, "nobody listens");
    }
    return ERR_OK;
}

/* Bytes of the space up to `at` that have not been told are free. */
static enum err_code btrfs_free_to(struct btrfs *fs, uint64_t at, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (; rc == ERR_OK && fs->chunk < fs->chunks.count; fs->chunk++) {
        const struct btrfs_chunk *chunk = &fs->chunks.items[fs->chunk];
        const uint64_t from = fs->next > chunk->start ? fs->next - chunk->start : 0;
        const uint64_t end = at <= chunk->start               ? 0
                             : at - chunk->start < chunk->len ? at - chunk->start
                                                              : chunk->len;

        rc = btrfs_tell(fs, chunk, IO_AREA_UNALLOCATED, from, end, err);
        if (end < chunk->len)
            break;
    }
    fs->next = at;
    return rc;
}

static enum err_code btrfs_extent(struct btrfs *fs, const struct btrfs_item *item, struct err *err)
{
    const bool node = item->key.type == BTRFS_METADATA_ITEM;
    const uint64_t at = item->key.object, len = node ? fs->trees.node_size : item->key.offset;
    struct btrfs_chunk *chunk = btrfs_chunks_find(&fs->chunks, at);

    if (chunk == NULL || len == 0 || at % fs->sector_size != 0 || len % fs->sector_size != 0 ||
        len > chunk->len - (at - chunk->start) || at < fs->next || item->len < 24)
        return ERR_RAISE(err, ERR_INPUT, "its extent at %" PRIu64 " makes no sense", at);
    const bool meta = (bytes_u64le(item->bytes + 16) & BTRFS_TREE_BLOCK) != 0;
    enum err_code rc = btrfs_free_to(fs, at, err);
    if (rc == ERR_OK)
        rc = btrfs_tell(fs, chunk, meta ? IO_AREA_META : IO_AREA_ALLOCATED, at - chunk->start,
                        at - chunk->start + len, err);
    fs->next = at + len;
    chunk->used += len;
    return rc;
}

static enum err_code btrfs_group(struct btrfs *fs, const struct btrfs_item *item, struct err *err)
{
    struct btrfs_chunk *chunk = btrfs_chunks_find(&fs->chunks, item->key.object);

    if (chunk == NULL || chunk->start != item->key.object || chunk->len != item->key.offset ||
        item->len < 8)
        return ERR_RAISE(err, ERR_INPUT, "its block group at %" PRIu64 " makes no sense",
                         item->key.object);
    chunk->said = bytes_u64le(item->bytes);
    return ERR_OK;
}

static enum err_code btrfs_item(void *arg, const struct btrfs_item *item, struct err *err)
{
    switch (item->key.type) {
    case BTRFS_EXTENT_ITEM:
    case BTRFS_METADATA_ITEM:
        return btrfs_extent(arg, item, err);
    case BTRFS_GROUP_ITEM:
        return btrfs_group(arg, item, err);
    default:
        return ERR_OK;
    }
}

static enum err_code btrfs_read_extents(struct btrfs *fs, struct err *err)
{
    enum err_code rc = btrfs_tree_walk(&fs->trees, &fs->root, btrfs_root, fs, err);

    if (rc == ERR_OK && fs->extents.at == 0)
        rc = ERR_RAISE(err, ERR_INPUT, "it has no tree of extents");
    if (rc == ERR_OK)
        rc = btrfs_tree_walk(&fs->trees, &fs->extents, btrfs_item, fs, err);
    if (rc == ERR_OK)
        rc = btrfs_free_to(fs, UINT64_MAX, err);
    if (rc == ERR_OK && fs->groups.at != 0)
        rc = btrfs_tree_walk(&fs->trees, &fs->groups, btrfs_item, fs, err);
    for (uint32_t i = 0; rc == ERR_OK && i < fs->chunks.count; i++)
        if (fs->chunks.items[i].used != fs->chunks.items[i].said)
            rc =
                ERR_RAISE(err, ERR_INPUT, "extents of its block group at %" PRIu64 " do not add up",
                          fs->chunks.items[i].start);
    return rc;
}

/* What of the device is in no chunk. */
static enum err_code btrfs_between(struct btrfs *fs, struct err *err)
{
    struct ranges device = { 0 }, taken = { 0 }, out = { 0 };
    uint64_t sum = 0;
    bool full = false;
    enum err_code rc = ranges_add(&device, 0, fs->size, &full, err);

    for (uint32_t i = 0; rc == ERR_OK && i < fs->chunks.count; i++) {
        const struct btrfs_chunk *chunk = &fs->chunks.items[i];

        for (uint32_t k = 0; rc == ERR_OK && k < chunk->count; k++) {
            uint64_t at = 0, len = 0;

            btrfs_stripe_run(chunk, &fs->chunks.stripes[chunk->first + k], 0, chunk->len, &at,
                             &len);
            rc = ranges_add(&taken, at, len, &full, err);
            sum += len;
        }
    }
    ranges_sort(&taken);
    for (uint32_t i = 0; i < taken.count; i++)
        sum -= taken.items[i].len;
    if (rc == ERR_OK && sum != 0)
        rc = ERR_RAISE(err, ERR_INPUT, "its chunks lie over one another");
    if (rc == ERR_OK)
        rc = ranges_without(&device, &taken, &out, err);
    for (uint32_t i = 0; rc == ERR_OK && i < out.count; i++)
        if (!fs->tell(fs->arg, IO_AREA_UNALLOCATED, out.items[i].offset, out.items[i].len))
            rc = ERR_RAISE(err, ERR_INPUT, "nobody listens");
    ranges_release(&device);
    ranges_release(&taken);
    ranges_release(&out);
    return rc;
}

enum err_code btrfs_use(const struct source *source,
                        bool (*tell)(void *arg, enum io_area_kind kind, uint64_t at, uint64_t len),
                        void *arg, struct err *err)
{
    struct btrfs fs = { .trees = { .source = source }, .tell = tell, .arg = arg };
    uint8_t super[BTRFS_SUPER_LEN];
    enum err_code rc = btrfs_super(&fs, super, err);

    if (rc == ERR_OK)
        rc = btrfs_system(&fs, super, err);
    if (rc == ERR_OK) {
        fs.trees.nodes = malloc((size_t)BTRFS_LEVELS * fs.trees.node_size);
        if (fs.trees.nodes == NULL)
            rc = ERR_NO_MEMORY(err, (size_t)BTRFS_LEVELS * fs.trees.node_size);
    }
    if (rc == ERR_OK)
        rc = btrfs_read_chunks(&fs, err);
    if (rc == ERR_OK)
        rc = btrfs_between(&fs, err);
    if (rc == ERR_OK)
        rc = btrfs_read_extents(&fs, err);
    free(fs.trees.nodes);
    btrfs_chunks_release(&fs.system);
    btrfs_chunks_release(&fs.chunks);
    return rc;
}
