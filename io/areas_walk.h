/* io/areas_walk.h - from the process that reads file systems to the one that asked. For areas.c. */
#ifndef BURIN_IO_AREAS_WALK_H
#define BURIN_IO_AREAS_WALK_H

#include <stdint.h>

#include "io/areas.h"

enum { AREAS_FS_NAME = 16, AREAS_PATH_MAX = 4096, AREAS_NOTE_MAX = 256 };

/* What a record says; path_len bytes of text follow each. */
enum areas_word {
    AREAS_RUN,    /* of the kind */
    AREAS_FILE,   /* the runs that follow are of this file; text: its path */
    AREAS_VOLUME, /* what follows is of this file system; text: its name */
    AREAS_NOTE,   /* text: what could not be read */
    AREAS_END,    /* everything has been said */
};

struct areas_record {
    uint32_t word, kind;
    uint32_t partition; /* AREAS_VOLUME */
    uint32_t text_len;
    uint64_t offset, len; /* of the image, bytes; AREAS_FILE: inode and 0 */
    uint64_t file_offset;
};

/*
 * Writes all records on the image at path, opened as type (see io_image_open), to fd. To be called
 * in a process that ends then.
 */
void areas_walk(const char *path, const char *type, int fd);

#endif
