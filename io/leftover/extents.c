/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/extents.c - layouts from extents of ext4: inodes in tables and in the journal, and
 * leaf blocks. See leftover_impl.h.
 *
 * A deletion empties the extents of an inode. The journal has copies of blocks of the table of
 * inodes from before, until its space is used again. A descriptor block says which blocks of the
 * file system those behind it are copies of, and has a sequence number: the newest copy is told
 * first.
 *
 * Source: the layout of ext4 in the documentation of Linux, "Journal (jbd2)".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/bytes.h"
#include "base/grow.h"
#include "base/limits.h"
#include "io/leftover/extent_node.h"
#include "io/leftover/leftover_impl.h"

enum {
    JOURNAL_HEAD = 12, /* bytes of the head of a descriptor block */
    JOURNAL_COPIES_MAX = 1 << 21,
    JOURNAL_TAG_SAME_UUID = 2, /* flags of a tag: no UUID follows, */
    JOURNAL_TAG_LAST = 8,      /* and it is the last one */
    JOURNAL_UUID = 16,
    JOURNAL_TAG_SIZES = 3,
    EXTENTS_NODES_MAX = 1 << 10, /* blocks of nodes of a file that are read */
};

/* A block of the journal that is a copy of a block of the file system. */
struct journal_copy {
    uint64_t at;       /* image offset of the copy */
    uint64_t home;     /* block of the file system */
    uint32_t sequence; /* the higher, the newer */
};

struct extents {
    struct leftover *walk;
    const struct geometry *volume;
    struct journal_copy *copies; /* by place; for the journal's turn, by sequence */
    uint32_t count;
    size_t room;
    uint64_t *named; /* places of leaf blocks that some inode named, ascending when sorted */
    uint32_t named_count;
    size_t named_room;
    uint8_t *block;       /* of `unit` bytes */
    uint64_t logical;     /* blocks of the file that the layout has so far */
    uint64_t size_blocks; /* of the file; what lies behind is of no matter */
    uint32_t nodes;       /* read for it */
};

static void extents_copy(struct extents *all, const struct journal_copy *copy)
{
    struct leftover *walk = all->walk;

    if (all->count == JOURNAL_COPIES_MAX || walk->rc != ERR_OK)
        return;
    walk->rc = grow_items(&all->copies, all->count, &all->room, sizeof *all->copies, walk->err);
    if (walk->rc == ERR_OK)
        all->copies[all->count++] = *copy;
}

/*
 * Walks over the tags of a descriptor, which have 8, 12 or 16 bytes by features of the journal that
 * its superblock tells: the size is right with which the tags end with the last one, and all blocks
 * lie in the file system. Returns how many tags there are; 0: the size is wrong.
 */
static uint32_t journal_tags(const struct extents *all, uint32_t tag_size, uint64_t *homes)
{
    const uint32_t unit = all->volume->unit;
    uint32_t at = JOURNAL_HEAD, count = 0;

    while (at + tag_size <= unit && count < unit / 8) {
        const uint8_t *tag = all->block + at;
        /* A tag of 16 bytes is of version 3, and has its flags in 4 bytes. */
        const uint32_t flags = tag_size == 16 ? bytes_u32be(tag + 4) : bytes_u16be(tag + 6);
        const uint64_t high = tag_size >= 12 ? bytes_u32be(tag + 8) : 0;
        const uint64_t home = high << 32 | bytes_u32be(tag);

        if (home >= all->volume->units || (flags & ~UINT32_C(15)) != 0 ||
            (tag_size == 12 && high != 0))
            return 0;
        homes[count++] = home;
        at += tag_size + ((flags & JOURNAL_TAG_SAME_UUID) != 0 ? 0 : JOURNAL_UUID);
        if ((flags & JOURNAL_TAG_LAST) != 0)
            return count;
    }
    return 0;
}

/* The blocks behind a descriptor block are copies, one for each of its tags. */
static void journal_descriptor(struct extents *all, uint64_t at, uint64_t *homes)
{
    static const uint32_t sizes[JOURNAL_TAG_SIZES] = { 16, 8, 12 };
    const struct geometry *volume = all->volume;
    uint32_t count = 0;

    if (at < volume->unit_at || (at - volume->unit_at) % volume->unit != 0 ||
        !leftover_read(all->walk, at, all->block, volume->unit))
        return;
    for (uint32_t i = 0; i < JOURNAL_TAG_SIZES && count == 0; i++)
        count = journal_tags(all, sizes[i], homes);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t copy = at + (uint64_t)(i + 1) * volume->unit;

        if (copy < all->walk->size)
            extents_copy(all, &(struct journal_copy){ .at = copy,
                                                      .home = homes[i],
                                                      .sequence = bytes_u32be(all->block + 8) });
    }
}

static int extents_by_place(const void *a, const void *b)
{
    const struct journal_copy *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->sequence > y->sequence ? -1 : x->sequence < y->sequence;
}

/* Newest first; sequence numbers do not wrap in the life of a disk. */
static int extents_by_age(const void *a, const void *b)
{
    const struct journal_copy *x = a, *y = b;

    if (x->sequence != y->sequence)
        return x->sequence > y->sequence ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static int extents_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

static bool extents_copy_before(const void *item, uint64_t at)
{
    return ((const struct journal_copy *)item)->at < at;
}

static bool extents_number_before(const void *item, uint64_t at)
{
    return *(const uint64_t *)item < at;
}

/* The copies by place: the place is one of them. */
static bool extents_in_journal(const struct extents *all, uint64_t at)
{
    const uint64_t from = at - (at - all->volume->unit_at) % all->volume->unit;
    const size_t i =
        bisect(all->copies, all->count, sizeof *all->copies, extents_copy_before, from);

    return i < all->count && all->copies[i].at == from;
}

static void extents_name(struct extents *all, uint64_t at)
{
    struct leftover *walk = all->walk;

    if (all->named_count == LEFTOVER_SPOTS_MAX || walk->rc != ERR_OK)
        return;
    walk->rc =
        grow_items(&all->named, all->named_count, &all->named_room, sizeof *all->named, walk->err);
    if (walk->rc == ERR_OK)
        all->named[all->named_count++] = at;
}

/* Adds the extents of a leaf; a hole, or what reads as zeros, makes the layout none. */
static void extents_leaf(struct extents *all, const struct extent_node *node)
{
    struct tell *tell = &all->walk->tell;

    for (uint32_t i = 0; i < node->entries && !tell->broken; i++) {
        const struct extent extent = extent_node_get(node, i);

        if (all->logical >= all->size_blocks)
            return;
        if (extent.logical != all->logical || extent.unwritten) {
            tell->broken = true;
            return;
        }
        tell_clusters(tell, all->volume, extent.block, extent.count);
        all->logical += extent.count;
    }
}

/* Reads the node in that block of the file system into bytes [unit]. It must begin where its parent
 * says, and lie one level below it. */
static bool extents_child(struct extents *all, const struct extent *from, uint32_t depth,
                          uint8_t *bytes, struct extent_node *out)
{
    const struct geometry *volume = all->volume;
    uint64_t at = 0;

    if (++all->nodes > EXTENTS_NODES_MAX || !geometry_place(volume, from->block, 1, &at) ||
        !leftover_read(all->walk, at, bytes, volume->unit) ||
        !extent_node_open(bytes, volume->unit, out) || out->depth != depth ||
        extent_node_get(out, 0).logical != from->logical)
        return false;
    extents_name(all, at);
    return true;
}

/*
 * Adds all below a node. Nodes below it are read into bytes of their own, so that a parent's stay:
 * one block for each level, of EXTENT_DEPTH_MAX at most.
 */
static void extents_node(struct extents *all, const struct extent_node *node, uint8_t *bytes)
{
    struct tell *tell = &all->walk->tell;
    struct extent_node child;

    if (node->depth == 0) {
        extents_leaf(all, node);
        return;
    }
    for (uint32_t i = 0; i < node->entries && !tell->broken; i++) {
        const struct extent entry = extent_node_get(node, i);

        if (all->logical >= all->size_blocks)
            return;
        if (entry.logical != all->logical ||
            !extents_child(all, &entry, node->depth - 1, bytes, &child))
            tell->broken = true;
        else
            extents_node(all, &child, bytes + all->volume->unit);
    }
}

static void extents_tell(struct extents *all, const struct extent_node *node,
                         const struct io_layout *as)
{
    struct leftover *walk = all->walk;
    const uint64_t unit = all->volume->unit;

    all->logical = 0;
    all->nodes = 0;
    all->size_blocks = as->size == 0 ? UINT64_MAX : as->size / unit + (as->size % unit != 0);
    tell_begin(&walk->tell);
    extents_node(all, node, all->block + unit);
    if (walk->rc == ERR_OK)
        walk->rc = tell_layout(&walk->tell, as, all->volume, walk->err);
}

/* All inodes of a sector. */
static void extents_inodes(struct extents *all, uint64_t at, enum io_layout_source source)
{
    uint8_t sector[LIMIT_SECTOR];
    struct extent_inode inode;
    char text[TELL_TEXT_MAX];

    if (!leftover_read(all->walk, at, sector, sizeof sector))
        return;
    for (uint32_t i = 0; i < LIMIT_SECTOR && all->walk->rc == ERR_OK; i += EXTENT_INODE_MIN) {
        if (!extent_inode_open(sector + i, &inode))
            continue;
        snprintf(text, sizeof text, "inode at %" PRIu64, at + i);
        extents_tell(all, &inode.node,
                     &(struct io_layout){ .source = source,
                                          .size = inode.size,
                                          .in_use = inode.in_use && source == IO_LAYOUT_EXTENTS,
                                          .path = "",
                                          .modified = inode.modified,
                                          .at = at + i,
                                          .text = text });
    }
}

static bool extents_inside(const struct extents *all, uint64_t at)
{
    return at >= all->volume->unit_at && at - all->volume->unit_at < all->volume->size;
}

/* Leaf blocks that begin a file, and that no inode names. */
static void extents_leaves(struct extents *all)
{
    const struct leftover_spots *spots = &all->walk->spots[LEFTOVER_SPOT_NODE];
    const struct geometry *volume = all->volume;
    struct extent_node node;
    char text[TELL_TEXT_MAX];

    if (all->named_count > 1)
        qsort(all->named, all->named_count, sizeof *all->named, extents_number);
    const uint32_t named = all->named_count;
    for (uint32_t i = 0; leftover_has_spot(all->walk, LEFTOVER_SPOT_NODE, i); i++) {
        const uint64_t at = spots->at[i];

        if (!extents_inside(all, at) || (at - volume->unit_at) % volume->unit != 0 ||
            !leftover_read(all->walk, at, all->block, volume->unit) ||
            !extent_node_open(all->block, volume->unit, &node) || node.depth > 1 ||
            extent_node_get(&node, 0).logical != 0)
            continue;
        const size_t k = bisect(all->named, named, sizeof *all->named, extents_number_before, at);
        if (k < named && all->named[k] == at)
            continue;
        snprintf(text, sizeof text, "extents at %" PRIu64, at);
        extents_tell(all, &node,
                     &(struct io_layout){ .source = IO_LAYOUT_EXTENTS,
                                          .path = "",
                                          .modified = INT64_MIN,
                                          .at = at,
                                          .text = text });
    }
}

static void extents_journal(struct extents *all)
{
    const uint32_t unit = all->volume->unit;
    uint8_t sector[LIMIT_SECTOR];

    if (all->count > 1)
        qsort(all->copies, all->count, sizeof *all->copies, extents_by_age);
    for (uint32_t i = 0; i < all->count && !leftover_ended(all->walk, i); i++)
        for (uint32_t at = 0; at < unit && all->copies[i].at + at < all->walk->size;
             at += LIMIT_SECTOR) {
            /* Blocks of other things cost a look at their sectors. */
            if (leftover_read(all->walk, all->copies[i].at + at, sector, sizeof sector) &&
                leftover_sieve_inodes(sector))
                extents_inodes(all, all->copies[i].at + at, IO_LAYOUT_JOURNAL);
        }
}

static void extents_volume(struct extents *all, uint64_t *homes)
{
    const struct leftover_spots *journal = &all->walk->spots[LEFTOVER_SPOT_JOURNAL];
    const struct leftover_spots *inodes = &all->walk->spots[LEFTOVER_SPOT_INODE];

    all->count = all->named_count = 0;
    for (uint32_t i = 0; leftover_has_spot(all->walk, LEFTOVER_SPOT_JOURNAL, i); i++)
        if (extents_inside(all, journal->at[i]))
            journal_descriptor(all, journal->at[i], homes);
    if (all->count > 1)
        qsort(all->copies, all->count, sizeof *all->copies, extents_by_place);
    for (uint32_t i = 0; leftover_has_spot(all->walk, LEFTOVER_SPOT_INODE, i); i++)
        if (extents_inside(all, inodes->at[i]) && !extents_in_journal(all, inodes->at[i]))
            extents_inodes(all, inodes->at[i], IO_LAYOUT_EXTENTS);
    extents_journal(all);
    extents_leaves(all);
}

void leftover_extents(struct leftover *walk)
{
    const size_t blocks = (EXTENT_DEPTH_MAX + 2) * (size_t)65536;
    struct extents all = { .walk = walk };
    uint64_t *homes = malloc(65536 / 8 * sizeof *homes);

    all.block = malloc(blocks);
    if (all.block == NULL || homes == NULL)
        walk->rc = ERR_NO_MEMORY(walk->err, blocks);
    for (uint32_t i = 0; i < walk->volume_count && walk->rc == ERR_OK; i++) {
        all.volume = &walk->volumes[i];
        if (all.volume->kind == GEOMETRY_EXT)
            extents_volume(&all, homes);
    }
    free(all.block);
    free(all.copies);
    free(all.named);
    free(homes);
}
