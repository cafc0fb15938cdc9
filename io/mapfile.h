/* SPDX-License-Identifier: Apache-2.0
 * io/mapfile.h - maps of GNU ddrescue: which bytes of an image were read from the disk.
 *
 * Format: the manual of GNU ddrescue, "Mapfile structure" (1.27; maps of 1.21 and older have no
 * number of the pass). Whatever a block's status is but '+', zeros stand in the image for its
 * bytes, or nothing that can be told from them.
 */
#ifndef BURIN_IO_MAPFILE_H
#define BURIN_IO_MAPFILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "io/image.h"

enum {
    IO_MAPFILE_TEXT_MAX = 256 << 20, /* bytes */
    IO_MAPFILE_BAD_MAX = 1 << 21,    /* ranges that were not read */
};

/* Zeroed is empty. Any number of threads may look at it. */
struct io_mapfile {
    struct io_bad_range *bad; /* [count], owned: ascending, disjoint, of source IO_BAD_MAPFILE */
    uint32_t count;
    size_t room;
    uint64_t begin, end;              /* what the blocks cover */
    uint64_t read_end, read_end_line; /* where the last '+' block ends, and its line; 0: none */
};

/*
 * Reads the text of a map. name is for messages.
 * Errors     ERR_INPUT with name and line: not a map; blocks that leave a gap or lie over each
 *            other; a block of no bytes, or one that ends behind 2^63 - 1; too many blocks.
 *            ERR_ENV: no memory.
 * Ownership  *out is the caller's to release, also after an error.
 */
ERR_MUST_CHECK enum err_code io_mapfile_parse(const char *name, const char *text, size_t len,
                                              struct io_mapfile *out, struct err *err);
void io_mapfile_release(struct io_mapfile *map);

/* Of an image of size bytes: how many were not read, and in how many ranges. */
void io_mapfile_count(const struct io_mapfile *map, uint64_t size, uint64_t *bytes,
                      uint32_t *ranges);

/*
 * From now on the image holds nothing where the map says that nothing was read: io_salvage_read
 * gives zeros and a bad range there, and the bytes are not asked for. Before the first block and
 * behind the last the status is '?'. What the image knows by itself to have never been read stays
 * as it is.
 * Errors   ERR_INPUT  a '+' block ends behind the image: the map is not of this image.
 *          ERR_ENV    no memory.
 * Threads  Before any other thread has the image.
 */
ERR_MUST_CHECK enum err_code io_mapfile_apply(const struct io_mapfile *map, const char *name,
                                              struct io_image *image, struct err *err);

#endif
