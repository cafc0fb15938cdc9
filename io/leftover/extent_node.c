/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/extent_node.c - see extent_node.h. */
#include "io/leftover/extent_node.h"

#include "base/bytes.h"

enum {
    NODE_ENTRY = 12,        /* bytes of the head, and of each entry */
    NODE_UNWRITTEN = 32768, /* above it, a length says that the extent is unwritten */
    INODE_TYPE = 0xf000,
    INODE_PLAIN = 0x8000,
    INODE_COMPRESSED = 0x4,
    INODE_ENCRYPTED = 0x800,
    INODE_EXTENTS = 0x80000,
    INODE_INLINE = 0x10000000,
};

bool extent_node_open(const uint8_t *bytes, size_t len, struct extent_node *out)
{
    uint64_t next = 0;

    if (len < NODE_ENTRY || bytes_u16le(bytes) != EXTENT_MAGIC)
        return false;
    const uint32_t entries = bytes_u16le(bytes + 2), most = bytes_u16le(bytes + 4);
    *out = (struct extent_node){ bytes, entries, bytes_u16le(bytes + 6) };
    if (entries == 0 || entries > most || most > len / NODE_ENTRY - 1 ||
        out->depth > EXTENT_DEPTH_MAX)
        return false;
    for (uint32_t i = 0; i < entries; i++) {
        const struct extent extent = extent_node_get(out, i);

        if ((i > 0 && extent.logical < next) || extent.block == 0 ||
            (out->depth == 0 && extent.count == 0))
            return false;
        next = (uint64_t)extent.logical + (out->depth == 0 ? extent.count : 1);
    }
    return true;
}

struct extent extent_node_get(const struct extent_node *node, uint32_t index)
{
    const uint8_t *entry = node->bytes + (size_t)NODE_ENTRY * (index + 1);
    const uint32_t len = bytes_u16le(entry + 4);
    const uint64_t high = bytes_u16le(entry + (node->depth == 0 ? 6 : 8));
    const uint64_t low = bytes_u32le(entry + (node->depth == 0 ? 8 : 4));

    return (struct extent){ .logical = bytes_u32le(entry),
                            .count = node->depth > 0        ? 0
                                     : len > NODE_UNWRITTEN ? len - NODE_UNWRITTEN
                                                            : len,
                            .block = high << 32 | low,
                            .unwritten = node->depth == 0 && len > NODE_UNWRITTEN };
}

bool extent_inode_open(const uint8_t *bytes, struct extent_inode *out)
{
    const uint32_t flags = bytes_u32le(bytes + 32);

    if ((bytes_u16le(bytes) & INODE_TYPE) != INODE_PLAIN || (flags & INODE_EXTENTS) == 0 ||
        (flags & (INODE_COMPRESSED | INODE_ENCRYPTED | INODE_INLINE)) != 0)
        return false;
    *out = (struct extent_inode){
        .size = (uint64_t)bytes_u32le(bytes + 108) << 32 | bytes_u32le(bytes + 4),
        .modified = (int32_t)bytes_u32le(bytes + 16),
        .in_use = bytes_u16le(bytes + 26) != 0 && bytes_u32le(bytes + 20) == 0
    };
    return out->size > 0 &&
           extent_node_open(bytes + EXTENT_IN_INODE, EXTENT_INODE_NODE, &out->node);
}
