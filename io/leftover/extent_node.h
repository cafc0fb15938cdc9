/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/extent_node.h - nodes of extents of ext4, and inodes that hold one.
 *
 * Source: the layout of ext4 in the documentation of Linux.
 */
#ifndef BURIN_IO_LEFTOVER_EXTENT_NODE_H
#define BURIN_IO_LEFTOVER_EXTENT_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    EXTENT_MAGIC = 0xf30a,
    EXTENT_IN_INODE = 40,   /* bytes from the begin of an inode to its node */
    EXTENT_INODE_NODE = 60, /* bytes of the node in an inode */
    EXTENT_INODE_MIN = 128, /* bytes of the smallest inode: all that is read of one */
    EXTENT_DEPTH_MAX = 5,
};

struct extent {
    uint32_t logical, count; /* blocks of the file; count is 0 in a node of nodes */
    uint64_t block;          /* of the file system; in a node of nodes, that of the node below */
    bool unwritten;          /* reads as zeros, whatever its blocks hold */
};

struct extent_node {
    const uint8_t *bytes;
    uint32_t entries, depth;
};

/* False: bytes [len] are no such node, or its extents do not ascend. */
bool extent_node_open(const uint8_t *bytes, size_t len, struct extent_node *out);
struct extent extent_node_get(const struct extent_node *node, uint32_t index);

struct extent_inode {
    uint64_t size;
    int64_t modified;
    bool in_use; /* has links and no time of deletion */
    struct extent_node node;
};

/* False: bytes [EXTENT_INODE_MIN] are no inode of a plain file with extents. */
bool extent_inode_open(const uint8_t *bytes, struct extent_inode *out);

#endif
