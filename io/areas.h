/*
 * io/areas.h - what file systems say about a place of an image: which file it belongs to, or belonged to.
 *
 * Partitions and file systems are read through libtsk, in a process of their own: whatever a damaged or hostile file system does to
 * the library, the caller lives, and is told that it does not know. All that lies on a disk may lie: this is what the file system says
 * and no proof.
 */
#ifndef BURIN_IO_AREAS_H
#define BURIN_IO_AREAS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "io/image.h"

enum io_area_kind {
    IO_AREA_NONE,          /* nothing is known of the place */
    IO_AREA_FILE,          /* a file has it */
    IO_AREA_SLACK,         /* behind the end of a file, in its last cluster */
    IO_AREA_DELETED,       /* no file has it; a deleted one had */
    IO_AREA_UNALLOCATED,   /* no file has it, and no name of one is left */
    IO_AREA_ALLOCATED,     /* in use, by no file with a name */
    IO_AREA_META,          /* the file system's own */
    IO_AREA_UNPARTITIONED, /* in no partition, or the partition table itself */
};

struct io_area {
    enum io_area_kind kind;
    uint32_t partition;      /* as mmls of The Sleuth Kit numbers it; 0: none */
    const char *file_system; /* "ntfs"; "" outside of any. This and path are the areas' */
    const char *path;        /* of a file, from the file system's root; else "" */
    uint64_t inode;          /* its number in the file system */
    uint64_t file_offset;    /* bytes from the start of the file */
};

struct io_areas; /* owned by the caller of io_areas_open */

/*
 * Reads the partition table and the file systems of the image; takes seconds for millions of files,
 * and 10 seconds and one for each GiB of the image at most. 64 bytes and a path for each piece of a
 * file. stop is asked a few times a second and ends it with ERR_INTERRUPTED; NULL: nothing does.
 * Errors: that, and ERR_ENV for no memory or process. What libtsk cannot read, or not in that time,
 * is no error: see io_areas_note.
 */
ERR_MUST_CHECK enum err_code io_areas_open(const struct io_image *image, bool (*stop)(void), struct io_areas **out,
                                           struct err *err);
void io_areas_close(struct io_areas *areas); /* NULL is a no-op */

/* The byte at this image offset. */
struct io_area io_areas_find(const struct io_areas *areas, uint64_t offset);

/* Why something is not known, for people; "" when all file systems were read. */
const char *io_areas_note(const struct io_areas *areas);

/* "file", "slack", "deleted", ...; IO_AREA_NONE: "-". */
const char *io_area_kind_name(enum io_area_kind kind);

#endif
