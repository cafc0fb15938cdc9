/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/btrfs_tree.h - Btrfs: the items of a tree, in their order.
 *
 * A node is believed when its checksum is right and it is the node, of the file system and of the
 * transaction that was meant; of a node that lies on the device twice either copy will do.
 */
#ifndef BURIN_IO_FILESYSTEM_BTRFS_TREE_H
#define BURIN_IO_FILESYSTEM_BTRFS_TREE_H

#include <stdint.h>

#include "base/err.h"
#include "io/filesystem/btrfs_chunks.h"
#include "io/filesystem/source.h"

enum { BTRFS_SUM = 32, BTRFS_LEVELS = 8, BTRFS_NODE_MAX = 65536 };

/* Where a tree begins. */
struct btrfs_root {
    uint64_t at; /* byte of the space */
    uint64_t generation;
    uint32_t level;
};

struct btrfs_key {
    uint64_t object, offset;
    uint8_t type;
};

struct btrfs_item {
    struct btrfs_key key;
    const uint8_t *bytes;
    uint32_t len;
};

struct btrfs_trees {
    const struct source *source;
    const struct btrfs_chunks *chunks; /* of what is read */
    uint32_t node_size;                /* bytes, up to BTRFS_NODE_MAX */
    uint8_t id[BTRFS_UUID];            /* of the file system, as its nodes have it */
    uint8_t *nodes;                    /* [BTRFS_LEVELS * node_size] */
};

typedef enum err_code (*btrfs_item_fn)(void *arg, const struct btrfs_item *item, struct err *err);

/* The sum of a block, which stands in its first bytes and is made of those behind BTRFS_SUM. */
uint32_t btrfs_sum(const uint8_t *block, uint32_t len);

/* Calls each for every item. Errors: ERR_INPUT, also for a node that lies on another device; those
 * of each. */
ERR_MUST_CHECK enum err_code btrfs_tree_walk(const struct btrfs_trees *trees,
                                             const struct btrfs_root *root, btrfs_item_fn each,
                                             void *arg, struct err *err);

#endif
