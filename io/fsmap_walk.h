/*
 * io/fsmap_walk.h - the records that the process which reads file systems sends to the process that
 * asked for them. For areas.c.
 */
#ifndef BURIN_IO_FSMAP_WALK_H
#define BURIN_IO_FSMAP_WALK_H

#include <stdint.h>

#include "io/areas.h"

enum { AREAS_FS_NAME = 16, AREAS_PATH_MAX = 4096, AREAS_NOTE_MAX = 256 };

/* What a record says. text_len bytes of text follow each record. */
enum areas_word {
    AREAS_RUN,    /* a run of bytes of the image has the kind */
    AREAS_FILE,   /* the runs that follow belong to this file; text: its path */
    AREAS_VOLUME, /* what follows belongs to this file system; text: its name */
    AREAS_NOTE,   /* something could not be read; text: what */
    AREAS_END,    /* this is the last record */
};

struct areas_record {
    uint32_t word, kind;  /* enum areas_word; AREAS_RUN: enum io_area_kind */
    uint32_t partition;   /* AREAS_VOLUME: its number */
    uint32_t text_len;    /* bytes of the text behind the record */
    uint64_t offset, len; /* bytes of the image; AREAS_FILE: the inode, and 0 */
    uint64_t file_offset; /* AREAS_RUN: bytes from the start of the file */
};

/*
 * Opens the image at path as type (see io_image_open) and writes all its records to fd. The process
 * that calls this ends afterwards.
 */
void areas_walk(const char *path, const char *type, int fd);

#endif
