/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/btrfs_chunks.h - Btrfs: where on this device the bytes of its one large space lie.
 *
 * All that Btrfs has lies in chunks of that space, which its trees speak of ("logical"). A chunk
 * has stripes on devices. One after another, groups of stripes get stripe_len bytes each; the
 * stripes of a group hold the same bytes. So DUP and RAID1 are one group of several stripes, RAID0
 * is several groups of one, RAID10 is several of two.
 */
#ifndef BURIN_IO_FILESYSTEM_BTRFS_CHUNKS_H
#define BURIN_IO_FILESYSTEM_BTRFS_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { BTRFS_UUID = 16, BTRFS_CHUNKS_MAX = 1 << 20 };

/* A device as its file system names it. */
struct btrfs_device {
    uint64_t id;
    uint8_t uuid[BTRFS_UUID];
};

struct btrfs_chunk {
    uint64_t start, len; /* bytes of the space */
    uint64_t stripe_len;
    uint32_t groups;
    uint32_t first, count; /* its stripes on this device */
    uint64_t used;         /* bytes of it in use: as extents add up, */
    uint64_t said;         /* and as its block group says */
    bool parity;           /* RAID5 or 6: stripes change places */
};

struct btrfs_stripe {
    uint64_t at; /* byte of the device */
    uint32_t group;
};

/* Zeroed is empty. Release with btrfs_chunks_release. */
struct btrfs_chunks {
    struct btrfs_chunk *items; /* ascending, not over one another */
    uint32_t count;
    size_t room;
    struct btrfs_stripe *stripes; /* of this device */
    uint32_t stripe_count;
    size_t stripe_room;
};

void btrfs_chunks_release(struct btrfs_chunks *chunks);

/*
 * Adds the chunk that begins at `start`. item: its CHUNK_ITEM, len bytes, which may be more than it
 * has; *taken: how many it has. Errors: ERR_INPUT for what cannot be, ERR_ENV.
 */
ERR_MUST_CHECK enum err_code btrfs_chunks_add(struct btrfs_chunks *chunks,
                                              const struct btrfs_device *device, uint64_t start,
                                              const uint8_t *item, uint32_t len, uint32_t *taken,
                                              struct err *err);

/* The chunk with that byte of the space; NULL: none has it. */
struct btrfs_chunk *btrfs_chunks_find(const struct btrfs_chunks *chunks, uint64_t at);

/* Of bytes [from, to) of a chunk those that lie on the stripe: they are one run of the device. */
void btrfs_stripe_run(const struct btrfs_chunk *chunk, const struct btrfs_stripe *stripe,
                      uint64_t from, uint64_t to, uint64_t *at, uint64_t *len);

#endif
