/*
 * io/fsmap_walk.h - the records that the process which reads file systems sends to the process that
 * asked for them. For fsmap.c.
 */
#ifndef BURIN_IO_FSMAP_WALK_H
#define BURIN_IO_FSMAP_WALK_H

#include <stdint.h>

#include "io/fsmap.h"

enum { FSMAP_FS_NAME = 16, FSMAP_PATH_MAX = 4096, FSMAP_NOTE_MAX = 256 };

/* What a record says. text_len bytes of text follow each record. */
enum fsmap_word {
    FSMAP_RUN,    /* a run of bytes of the image has the kind */
    FSMAP_FILE,   /* the runs that follow belong to this file; text: its path */
    FSMAP_VOLUME, /* what follows belongs to this file system; text: its name */
    FSMAP_NOTE,   /* something could not be read; text: what */
    FSMAP_END,    /* this is the last record */
};

struct fsmap_record {
    uint32_t word, kind;  /* enum fsmap_word; FSMAP_RUN: enum io_area_kind */
    uint32_t partition;   /* FSMAP_VOLUME: its number */
    uint32_t text_len;    /* bytes of the text behind the record */
    uint64_t offset, len; /* bytes of the image; FSMAP_FILE: the inode, and 0 */
    uint64_t file_offset; /* FSMAP_RUN: bytes from the start of the file */
};

/*
 * Opens the image at path as type (see io_image_open) and writes all its records to fd. The process
 * that calls this ends afterwards. why_not: NULL, or why fsmap_load failed, which is all that is
 * told then.
 */
void fsmap_walk(const char *path, const char *type, const char *why_not, int fd);
/* Loads what it needs, for a process that confines itself before. ERR_ENV: it is missing. */
ERR_MUST_CHECK enum err_code fsmap_load(struct err *err);

#endif
