/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/block_list.h - blocks of block numbers of ext2 and ext3.
 *
 * Source: the layout of ext4 in the documentation of Linux, "Direct/Indirect Block Addressing".
 */
#ifndef BURIN_IO_LEFTOVER_BLOCK_LIST_H
#define BURIN_IO_LEFTOVER_BLOCK_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BLOCK_LIST_DIRECT = 12,     /* blocks of a file that an inode names itself */
    BLOCK_LIST_MAX = 65536 / 4, /* entries of the largest block */
};

struct block_list {
    uint32_t count, first, last; /* entries, and two of them */
    bool runs;                   /* at least half of the entries are the one before them plus 1 */
    bool full;                   /* count is what the block has room for */
};

/*
 * False: the block, of `unit` bytes, is not numbers of blocks below `blocks` with zeros behind
 * them, or some number stands there twice in turn.
 */
bool block_list_read(const uint8_t *block, uint32_t unit, uint64_t blocks, struct block_list *out);

#endif
