/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/content.h - what a volume holds, by its own first words: a file system, something
 * encrypted, a part of a larger volume, or what nobody here reads.
 *
 * This tells what to do with a volume and what to print of it. Nothing of it decides which bytes
 * are in use.
 */
#ifndef BURIN_IO_FILESYSTEM_CONTENT_H
#define BURIN_IO_FILESYSTEM_CONTENT_H

#include <stdint.h>

#include "io/filesystem/source.h"

enum { CONTENT_LABEL_MAX = 256 };

/* Who reads it. */
enum content_reader {
    CONTENT_UNKNOWN, /* nothing that is known here */
    CONTENT_TSK,     /* libtsk */
    CONTENT_POOL,    /* libtsk, as a pool */
    CONTENT_XFS,
    CONTENT_BIGALLOC,
    CONTENT_BTRFS,
    CONTENT_LVM,
    CONTENT_MD,
    CONTENT_UNREAD, /* nobody here */
};

struct content {
    enum content_reader reader;
    const char *name;              /* "ntfs", "LUKS2"; "" when unknown; static text */
    const char *note;              /* why nobody reads it, for people; "" else; static text */
    char label[CONTENT_LABEL_MAX]; /* as the file system has it, in UTF-8; may be "" */
    uint64_t size;                 /* bytes that it says it has; 0: it does not say */
    uint32_t block_size;           /* bytes; 0: none */
};

struct content content_look(const struct source *source);

#endif
