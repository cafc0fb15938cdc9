/* SPDX-License-Identifier: Apache-2.0
 * io/volumes.h - the volumes of an image: partitions, what they hold, and which of their bytes are
 * proved to be in use.
 *
 * Tables of partitions and file systems are read in a process of its own: see fsmap.h. Numbers are
 * those of mmls of The Sleuth Kit. What a file system says of its bytes is no proof against
 * somebody who forged it.
 */
#ifndef BURIN_IO_VOLUMES_H
#define BURIN_IO_VOLUMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "io/image.h"
#include "io/reader.h"

enum io_volume_kind {
    IO_VOLUME_TABLE,     /* a table of partitions, or a part of one */
    IO_VOLUME_GAP,       /* lies in no partition */
    IO_VOLUME_PARTITION, /* as a table says */
    IO_VOLUME_ALL,       /* the whole image: there is no table */
    IO_VOLUME_LOGICAL,   /* a logical volume or an array, which lies in the others */
};

/* Strings belong to the struct io_volumes. */
struct io_volume {
    enum io_volume_kind kind;
    uint32_t number;      /* of mmls; of a logical volume, that of the partition it begins in */
    uint64_t offset, len; /* bytes of the image; of a logical volume, its first byte and its size */
    uint32_t sector_size; /* of its table, in bytes */
    const char *table;    /* "DOS", "GPT", "Mac", "BSD", "Sun", "LVM2", "md", "APFS" or "" */
    const char *description; /* the table's word for it; may be "" */
    const char *content;     /* "ntfs", "LUKS2", ...; "" when unknown */
    const char *label;       /* of the file system; "" when it has none */
    uint64_t content_len;    /* bytes that the file system says it has; 0: it does not say */
    uint32_t block_size;     /* of the file system, in bytes; 0: none */
    /* Why it is not known which of its bytes are in use; "" where it is. Without IO_VOLUMES_USED,
     * only what is sure before they are looked at: "encrypted". */
    const char *why;
};

enum {
    IO_VOLUMES_USED = 1,  /* which bytes are in use */
    IO_VOLUMES_SLACK = 2, /* with it: bytes count as in use only where a file has them */
    IO_VOLUMES_SOON = 4,  /* in two seconds: of what is not read by then, why says so */
};

struct io_volumes; /* owned by the caller of io_volumes_open */

/*
 * Time, stop and errors are those of io_fsmap_open. wants: IO_VOLUMES_*.
 * Memory  With IO_VOLUMES_USED, 32 bytes for each run of blocks in use or not; 2^24 runs at most.
 */
ERR_MUST_CHECK enum err_code io_volumes_open(const struct io_image *image, uint32_t wants,
                                             bool (*stop)(void), struct io_volumes **out,
                                             struct err *err);
void io_volumes_close(struct io_volumes *volumes); /* NULL is a no-op */

/* In the order of mmls; logical volumes come behind. */
uint32_t io_volumes_count(const struct io_volumes *volumes);
struct io_volume io_volumes_get(const struct io_volumes *volumes, uint32_t index);

/* "partition", "table", "gap", "all" or "logical"; static text. */
const char *io_volume_kind_name(enum io_volume_kind kind);

/*
 * The bytes of the image that every file system covering them says are in use, ascending and not
 * touching; valid until io_volumes_close. All others may hold what was deleted.
 */
const struct io_range *io_volumes_used(const struct io_volumes *volumes, uint32_t *count);

/* A text for people that says what could not be read at all; "" when nothing is to be said. */
const char *io_volumes_note(const struct io_volumes *volumes);

#endif
