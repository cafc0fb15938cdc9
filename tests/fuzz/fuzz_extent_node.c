/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_extent_node.c - nodes of extents and inodes of ext4, and lists of blocks of ext2,
 * of any bytes.
 *
 * Found: crashes, entries outside of the bytes, extents that do not ascend.
 */
#include <stdlib.h>
#include <string.h>

#include "io/leftover/block_list.h"
#include "io/leftover/extent_node.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool right)
{
    if (!right)
        abort();
}

static void fuzz_node(const struct extent_node *node, size_t size)
{
    uint64_t next = 0;

    must(node->entries > 0 && node->depth <= EXTENT_DEPTH_MAX &&
         ((size_t)node->entries + 1) * 12 <= size);
    for (uint32_t i = 0; i < node->entries; i++) {
        const struct extent extent = extent_node_get(node, i);

        must(extent.logical >= next && extent.count <= 32768 && extent.block < UINT64_C(1) << 48);
        must((extent.count == 0) == (node->depth > 0));
        next = (uint64_t)extent.logical + extent.count;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(size > 0 ? size : 1); /* so that a byte too far is seen */
    struct extent_node node;
    struct extent_inode inode;
    struct block_list list;

    must(bytes != NULL);
    if (size > 0)
        memcpy(bytes, data, size);
    if (extent_node_open(bytes, size, &node))
        fuzz_node(&node, size);
    if (size >= EXTENT_INODE_MIN && extent_inode_open(bytes, &inode)) {
        must(inode.size > 0);
        fuzz_node(&inode.node, EXTENT_INODE_NODE);
    }
    const uint32_t unit = size >= 4096 ? 4096 : 1024;
    if (size >= unit && block_list_read(bytes, unit, 1 << 20, &list))
        must(list.count > 0 && list.count <= unit / 4 && list.first > 0 && list.last < 1 << 20 &&
             list.full == (list.count == unit / 4));
    free(bytes);
    return 0;
}
