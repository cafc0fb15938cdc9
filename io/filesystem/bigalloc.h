/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/bigalloc.h - ext4 with clusters (bigalloc): which of them are free.
 *
 * Each group of blocks has a bitmap with one bit for each cluster. It is believed when it has as
 * many free ones as the group's descriptor counts. libtsk takes the bits for blocks, and opens no
 * such file system. Source: the kernel's Documentation/filesystems/ext4, "Bigalloc", "Block Group
 * Descriptors", "Block and inode Bitmaps".
 */
#ifndef BURIN_IO_FILESYSTEM_BIGALLOC_H
#define BURIN_IO_FILESYSTEM_BIGALLOC_H

#include <stdbool.h>
#include <stdint.h>

#include "io/filesystem/source.h"

struct bigalloc {
    uint64_t blocks;         /* of the file system */
    uint32_t block_size;     /* bytes */
    uint32_t cluster_blocks; /* blocks of a cluster */
    uint32_t group_clusters; /* of each group but the last */
    uint32_t first;          /* block in which the first group begins */
    uint32_t descriptor_len; /* bytes of a group's descriptor */
    bool has_flags;          /* descriptors say whether a group's bitmap was ever written */
};

/* False: the source has no superblock of ext4 with clusters that makes sense. */
bool bigalloc_open(const struct source *source, struct bigalloc *out);

/*
 * Tells each run of free clusters as bytes of the file system, group by group. Of a group whose
 * bitmap was never written all counts as free. False: a bitmap is damaged, or tell returned false;
 * what has been told is not all then.
 */
bool bigalloc_free(const struct source *source, const struct bigalloc *fs,
                   bool (*tell)(void *arg, uint64_t at, uint64_t len), void *arg);

#endif
