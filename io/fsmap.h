/* SPDX-License-Identifier: Apache-2.0
 * io/fsmap.h - what file systems say about a place of an image: which file it belongs to, or
 * belonged to.
 *
 * Partitions and file systems are read through libtsk in a process of their own. When a damaged or
 * hostile file system crashes the library, only that process ends, and io_fsmap_note says what
 * could not be read. The answers are what the file system says, which is no proof: a file system
 * can be wrong or forged.
 */
#ifndef BURIN_IO_FSMAP_H
#define BURIN_IO_FSMAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "io/image.h"
#include "io/reader.h"

enum io_area_kind {
    IO_AREA_NONE,          /* nothing is known about the place */
    IO_AREA_FILE,          /* it belongs to a file */
    IO_AREA_SLACK,         /* it lies behind the end of a file, in the file's last cluster */
    IO_AREA_DELETED,       /* it belongs to no file now; it belonged to a deleted file */
    IO_AREA_UNALLOCATED,   /* it belongs to no file, and no deleted file is known that had it */
    IO_AREA_ALLOCATED,     /* it is in use, but by no file that has a name */
    IO_AREA_META,          /* it belongs to the file system's own structures */
    IO_AREA_UNPARTITIONED, /* it lies in no partition, or in the partition table */
};

/*
 * Times that a file system has of a file, in seconds since 1970 UTC; INT64_MIN: not known. FAT
 * keeps the time of a clock on a wall: it stands here as if that clock had shown UTC.
 */
struct io_file_times {
    int64_t modified, accessed, created;
    int64_t changed; /* what the file system says of it */
};

/* Strings belong to the struct io_fsmap and are valid until io_fsmap_close. */
struct io_area {
    enum io_area_kind kind;
    uint32_t partition;      /* number as mmls of The Sleuth Kit gives it; 0: in no partition */
    const char *file_system; /* "ntfs"; "" outside of any file system */
    const char *path;        /* of the file, from the file system's root; "" without a file */
    uint64_t inode;          /* the file's number in the file system */
    uint64_t file_offset;    /* bytes from the start of the file to the place */
    struct io_file_times times;
};

struct io_fsmap; /* owned by the caller of io_fsmap_open */

/*
 * Reads the partition table and the file systems of the image.
 *
 * Time    Seconds for millions of files. At most 10 s, and 1 s more for each GiB of the image; of
 * the clock, four times as long for who gives given_up, and does other work beside. Memory  96
 * bytes and a path for each piece of a file. stop    Is asked a few times a second; true ends the
 * call with ERR_INTERRUPTED. NULL: nothing stops it. given_up: the same, of a caller that waits in
 * another thread; or NULL. Errors  ERR_INTERRUPTED; ERR_ENV for no memory or no process. What
 * libtsk cannot read, or not within that time, is no error: see io_fsmap_note.
 */
ERR_MUST_CHECK enum err_code io_fsmap_open(const struct io_image *image, bool (*stop)(void),
                                           const atomic_bool *given_up, struct io_fsmap **out,
                                           struct err *err);
void io_fsmap_close(struct io_fsmap *map); /* NULL is a no-op */

/* Whether anything is known about any place: false without partitions and file systems. */
bool io_fsmap_knows(const struct io_fsmap *map);

/* What is known about the byte at this image offset. */
struct io_area io_fsmap_find(const struct io_fsmap *map, uint64_t offset);

/*
 * The bytes that living files (with the slack in their last clusters), the file systems' own
 * structures, and anything else that is allocated have: ascending and not touching. Valid until
 * io_fsmap_close.
 */
const struct io_range *io_fsmap_owned(const struct io_fsmap *map, uint32_t *count);

/* A plain file that lies in more than one piece. Pointers are valid until io_fsmap_close. */
struct io_fsmap_file {
    const char *path;            /* from the file system's root */
    uint64_t inode;              /* the file's number in the file system */
    uint64_t size;               /* bytes; those of its runs together */
    int64_t modified;            /* seconds since 1970 UTC; INT64_MIN: not known */
    const struct io_range *runs; /* in the order of the file's bytes; neighbours are joined */
    uint32_t run_count;
    bool deleted; /* its clusters may belong to others since, and lie over those of others */
};

/*
 * The files in more than one piece whose bytes lie in their clusters one by one: none that is
 * sparse, compressed or encrypted. Of deleted ones those that the file system still describes; FAT
 * and exFAT do not. index: below the count.
 */
uint32_t io_fsmap_file_count(const struct io_fsmap *map);
struct io_fsmap_file io_fsmap_file_get(const struct io_fsmap *map, uint32_t index);

/* A text for people that says what could not be read; "" when all file systems were read. */
const char *io_fsmap_note(const struct io_fsmap *map);

/* The kind's name: "file", "slack", "deleted", and so on; "-" for IO_AREA_NONE. Static text. */
const char *io_area_kind_name(enum io_area_kind kind);

#endif
