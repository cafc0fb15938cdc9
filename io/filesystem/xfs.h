/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/xfs.h - XFS: which of its blocks are free.
 *
 * Each allocation group has a tree of its free runs by block number. What the leaves say is
 * believed when it adds up to what the group's head counts. Source: XFS Algorithms & Data
 * Structures (xfs-documentation), 3rd edition, "Allocation Groups".
 */
#ifndef BURIN_IO_FILESYSTEM_XFS_H
#define BURIN_IO_FILESYSTEM_XFS_H

#include <stdbool.h>
#include <stdint.h>

#include "io/filesystem/source.h"

struct xfs {
    uint32_t block_size;   /* bytes */
    uint32_t sector_size;  /* bytes */
    uint32_t group_blocks; /* of each group but the last */
    uint32_t group_count;
    uint64_t blocks; /* of all groups */
    bool has_crc;    /* version 5: heads of blocks are longer */
};

/* False: the source has no superblock of XFS that makes sense. */
bool xfs_open(const struct source *source, struct xfs *out);

/*
 * Tells each run of free blocks as bytes of the file system, group by group. False: a tree is
 * damaged, or tell returned false; what has been told is not all then.
 */
bool xfs_free(const struct source *source, const struct xfs *xfs,
              bool (*tell)(void *arg, uint64_t at, uint64_t len), void *arg);

#endif
