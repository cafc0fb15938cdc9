/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/btrfs_tree.c - see btrfs_tree.h. Numbers on the disk are little-endian. */
#include "io/filesystem/btrfs_tree.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "io/image/crc32c.h"

enum {
    NODE_HEAD = 101, /* bytes in front of items and pointers */
    NODE_ITEM = 25,
    NODE_POINTER = 33,
};

/* A way down a tree: a node of each level, and how far it has been gone through. */
struct tree_way {
    const struct btrfs_trees *trees;
    uint32_t done[BTRFS_LEVELS];
    struct btrfs_key last; /* item that was told last */
    bool begun;            /* one was */
};

uint32_t btrfs_sum(const uint8_t *block, uint32_t len)
{
    return io_crc32c(0, block + BTRFS_SUM, len - BTRFS_SUM);
}

static struct btrfs_key tree_key(const uint8_t *bytes)
{
    return (struct btrfs_key){ .object = bytes_u64le(bytes),
                               .type = bytes[8],
                               .offset = bytes_u64le(bytes + 9) };
}

static bool key_before(const struct btrfs_key *a, const struct btrfs_key *b)
{
    if (a->object != b->object)
        return a->object < b->object;
    return a->type != b->type ? a->type < b->type : a->offset < b->offset;
}

static uint8_t *tree_node(const struct btrfs_trees *trees, uint32_t level)
{
    return trees->nodes + (size_t)level * trees->node_size;
}

static uint32_t node_count(const uint8_t *node)
{
    return bytes_u32le(node + 96);
}

static bool node_is(const struct btrfs_trees *trees, const struct btrfs_root *what,
                    const uint8_t *node)
{
    const uint32_t each = what->level == 0 ? NODE_ITEM : NODE_POINTER;

    return bytes_u32le(node) == btrfs_sum(node, trees->node_size) &&
           memcmp(node + 32, trees->id, BTRFS_UUID) == 0 && bytes_u64le(node + 48) == what->at &&
           bytes_u64le(node + 80) == what->generation && node[100] == what->level &&
           node_count(node) <= (trees->node_size - NODE_HEAD) / each;
}

/* Reads the node into its level's place, from the first copy that is one. */
static enum err_code tree_read(const struct btrfs_trees *trees, const struct btrfs_root *what,
                               struct err *err)
{
    const struct btrfs_chunk *chunk = btrfs_chunks_find(trees->chunks, what->at);
    uint8_t *node = tree_node(trees, what->level);
    bool here = false;

    if (chunk == NULL)
        return ERR_RAISE(err, ERR_INPUT, "no chunk has its node at %" PRIu64, what->at);
    if (chunk->parity)
        return ERR_RAISE(err, ERR_INPUT, "no reader here for RAID5 and RAID6 of Btrfs");
    const uint64_t from = what->at - chunk->start;
    for (uint32_t i = 0; i < chunk->count; i++) {
        uint64_t at = 0, len = 0;

        btrfs_stripe_run(chunk, &trees->chunks->stripes[chunk->first + i], from,
                         from + trees->node_size, &at, &len);
        if (len != trees->node_size)
            continue;
        here = true;
        if (source_read(trees->source, at, node, trees->node_size) && node_is(trees, what, node))
            return ERR_OK;
    }
    return here ? ERR_RAISE(err, ERR_INPUT, "its node at %" PRIu64 " is damaged", what->at)
                : ERR_RAISE(err, ERR_INPUT, "its node at %" PRIu64 " lies on another device",
                            what->at);
}

static enum err_code tree_leaf(struct tree_way *way, btrfs_item_fn each, void *arg, struct err *err)
{
    const uint8_t *node = tree_node(way->trees, 0);
    const uint32_t room = way->trees->node_size - NODE_HEAD, count = node_count(node);
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < count; i++) {
        const uint8_t *head = node + NODE_HEAD + (size_t)i * NODE_ITEM;
        const uint32_t at = bytes_u32le(head + 17), len = bytes_u32le(head + 21);
        const struct btrfs_item item = { tree_key(head), node + NODE_HEAD + at, len };

        /* Ascending keys also end a tree that goes in circles. */
        if (at > room || len > room - at || (way->begun && !key_before(&way->last, &item.key)))
            return ERR_RAISE(err, ERR_INPUT, "its node at %" PRIu64 " is damaged",
                             bytes_u64le(node + 48));
        way->last = item.key;
        way->begun = true;
        rc = each(arg, &item, err);
    }
    return rc;
}

/* The next node beneath the one of this level, which has one. */
static enum err_code tree_down(struct tree_way *way, uint32_t level, struct err *err)
{
    const uint8_t *pointer =
        tree_node(way->trees, level) + NODE_HEAD + (size_t)way->done[level]++ * NODE_POINTER;
    const struct btrfs_root next = { bytes_u64le(pointer + 17), bytes_u64le(pointer + 25),
                                     level - 1 };
    const enum err_code rc = tree_read(way->trees, &next, err);

    if (rc != ERR_OK)
        return rc;
    way->done[level - 1] = 0;
    const uint8_t *node = tree_node(way->trees, level - 1);
    return node_count(node) > 0 && memcmp(node + NODE_HEAD, pointer, 17) == 0
               ? ERR_OK
               : ERR_RAISE(err, ERR_INPUT, "its node at %" PRIu64 " is damaged", next.at);
}

enum err_code btrfs_tree_walk(const struct btrfs_trees *trees, const struct btrfs_root *root,
                              btrfs_item_fn each, void *arg, struct err *err)
{
    struct tree_way way = { .trees = trees };
    uint32_t level = root->level;

    if (level >= BTRFS_LEVELS)
        return ERR_RAISE(err, ERR_INPUT, "a tree of it has too many levels");
    enum err_code rc = tree_read(trees, root, err);
    while (rc == ERR_OK) {
        if (level > 0 && way.done[level] < node_count(tree_node(trees, level))) {
            rc = tree_down(&way, level--, err);
            continue;
        }
        if (level == 0)
            rc = tree_leaf(&way, each, arg, err);
        if (level++ == root->level)
            break;
    }
    return rc;
}
