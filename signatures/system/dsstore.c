/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/dsstore.c - what the macOS Finder keeps of a folder (.DS_Store).
 *
 *   u32be 1 | "Bud1" | place and length of the allocator's block, place again | blocks, all counted
 * from byte 4 allocator: number of blocks, 0, their addresses (place | log2 of length), padded to
 * 256 | tables of contents, "DSDB" | free lists
 *
 * The length is the end of the block that ends last.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    DSSTORE_BASE = 4, /* blocks are counted from here */
    DSSTORE_HEAD = 36,
    DSSTORE_BLOCKS_MAX = 4096,
    DSSTORE_UNIT = 256, /* addresses come in so many */
    DSSTORE_NAME = 4,
    DSSTORE_TREE = 20,
};

/* The master block of the tree: its root, levels, records, nodes, and the length of a node. */
static bool dsstore_tree_ok(const uint8_t *p, uint32_t blocks)
{
    return bytes_u32be(p) < blocks && bytes_u32be(p + 4) < 16 && bytes_u32be(p + 12) <= blocks &&
           bytes_u32be(p + 16) == 0x1000;
}

static struct sig_result dsstore_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, DSSTORE_HEAD);
    uint64_t end = 0, tree_at = 0;

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint32_t root = bytes_u32be(p + 8), size = bytes_u32be(p + 12);
    if (root != bytes_u32be(p + 16) || root < 32 || root % 32 != 0 || size < 1024 || size > 1 << 20)
        return sig_reject("invalid place of the allocator");
    p = sig_bytes(in, DSSTORE_BASE + (uint64_t)root, 8);
    if (p == NULL)
        return sig_short(in);
    const uint32_t count = bytes_u32be(p);
    const uint32_t room = (count + DSSTORE_UNIT - 1) / DSSTORE_UNIT * DSSTORE_UNIT;
    if (count == 0 || count > DSSTORE_BLOCKS_MAX || bytes_u32be(p + 4) != 0)
        return sig_reject("invalid allocator");
    const uint64_t contents = DSSTORE_BASE + (uint64_t)root + 8 + (uint64_t)room * 4;
    p = sig_bytes(in, contents, 4 + 1 + DSSTORE_NAME + 4);
    if (p == NULL)
        return sig_short(in);
    const uint32_t tree = bytes_u32be(p + 9);
    if (bytes_u32be(p) != 1 || memcmp(p + 4, "\4DSDB", 5) != 0 || tree >= count)
        return sig_reject("there is no valid table of contents");
    for (uint32_t i = 0; i < count; i++) {
        p = sig_bytes(in, DSSTORE_BASE + (uint64_t)root + 8 + (uint64_t)i * 4, 4);
        if (p == NULL)
            return sig_short(in);
        const uint32_t address = bytes_u32be(p), place = address & ~31u, bits = address & 31;
        if (address == 0)
            continue;
        if (bits < 5 || bits > 24)
            return sig_reject("invalid block");
        if (i == tree)
            tree_at = DSSTORE_BASE + (uint64_t)place;
        if (DSSTORE_BASE + (uint64_t)place + (UINT64_C(1) << bits) > end)
            end = DSSTORE_BASE + (uint64_t)place + (UINT64_C(1) << bits);
    }
    sig_valid(in, DSSTORE_HEAD);
    p = sig_bytes(in, tree_at, DSSTORE_TREE);
    if (p == NULL)
        return sig_short(in);
    if (!dsstore_tree_ok(p, count))
        return sig_breaks(in, "invalid tree");
    return sig_complete(in, end, "blocks, contents and tree agree");
}

const struct sig sig_dsstore = {
    .name = "ds_store",
    .what = "Finder's notes on a folder (.DS_Store)",
    .proves = "blocks lie inside; contents and tree agree",
    .source = "Begemann and Mihaljevic, DS_Store file format (CPAN Mac::Finder::DSStore), 1.0",
    .types = (const struct sig_type[]){ { "ds_store", "ds_store" }, { 0 } },
    .headers = { SIG_PATTERN("\0\0\0\1"
                             "Bud1\0") },
    .size_min = 2048,
    .size_max = 64 << 20,
    .check = dsstore_check,
};
