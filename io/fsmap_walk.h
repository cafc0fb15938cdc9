/* SPDX-License-Identifier: Apache-2.0
 * io/fsmap_walk.h - the records that the process which reads file systems sends to the process that
 * asked for them. For fsmap.c and volumes.c.
 *
 *   SLOT [VOLUME RUN... (FILE TIMES RUN...)...] [NOTE] [WHOLE]   for each place of the image, and
 *   each volume that lies in such places; and at last END
 */
#ifndef BURIN_IO_FSMAP_WALK_H
#define BURIN_IO_FSMAP_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "io/fsmap.h"

enum { FSMAP_FS_NAME = 16, FSMAP_PATH_MAX = 4096, FSMAP_NOTE_MAX = 256 };

/* What a record says. text_len bytes of text follow each record. */
enum fsmap_word {
    FSMAP_RUN,    /* a run of bytes of the image has the kind */
    FSMAP_FILE,   /* the runs that follow belong to this file; text: its path */
    FSMAP_TIMES,  /* when the file of the record before was last read, and so on */
    FSMAP_VOLUME, /* what follows belongs to this file system; text: its name */
    FSMAP_NOTE,   /* something could not be read; text: what */
    FSMAP_SLOT,   /* what follows belongs to this volume, or place of the image; text: see below */
    FSMAP_WHOLE,  /* all runs of the volume's bytes have been told */
    FSMAP_END,    /* this is the last record */
};

/* Texts of a FSMAP_SLOT, each with its NUL: see struct io_volume. */
enum fsmap_slot_text {
    FSMAP_SLOT_TABLE,
    FSMAP_SLOT_DESCRIPTION,
    FSMAP_SLOT_CONTENT,
    FSMAP_SLOT_LABEL,
    FSMAP_SLOT_WHY,
    FSMAP_SLOT_TEXTS
};

/* What is asked for besides the slots. */
enum {
    FSMAP_WANT_STATES = 1, /* which bytes are in use */
    FSMAP_WANT_FILES = 2,  /* the files that they belong to */
    FSMAP_WANT_SOON = 4,   /* in two seconds */
};

/* What is said of a file. */
enum {
    FSMAP_FILE_DELETED = 1,
    FSMAP_FILE_MAPPED = 2, /* a plain file: its bytes lie in its runs one by one */
};

struct fsmap_record {
    /* enum fsmap_word; FSMAP_RUN: enum io_area_kind; FSMAP_SLOT: enum io_volume_kind; FSMAP_FILE:
     * FSMAP_FILE_* */
    uint32_t word, kind;
    uint32_t partition;   /* FSMAP_VOLUME, FSMAP_SLOT: its number */
    uint32_t text_len;    /* bytes of the text behind the record */
    uint64_t offset, len; /* bytes of the image; FSMAP_FILE: the inode, and the file's size */
    /* FSMAP_RUN: bytes from the start of the file; FSMAP_SLOT: bytes of the file system;
     * FSMAP_FILE: an int64_t, seconds since 1970 UTC when it was modified, INT64_MIN: not known */
    uint64_t file_offset;
    uint32_t unit, sector; /* FSMAP_SLOT: bytes of a block of the file system, of a sector */
    /* FSMAP_TIMES: offset, len and file_offset are int64_t, as above: when the file was read, when
     * what is told of it was changed, when it was made */
};

/*
 * Opens the image at path as type (see io_image_open) and writes all its records to fd. The process
 * that calls this ends afterwards. wants: FSMAP_WANT_*. why_not: NULL, or why fsmap_load failed,
 * which is all that is told then. is_blank: fsmap_is_blank said so, and nothing was loaded.
 * max_read: as io_image_max_read.
 */
void fsmap_walk(const char *path, const char *type, const char *why_not, bool is_blank,
                uint32_t wants, uint64_t max_read, int fd);
/* Loads what it needs, for a process that confines itself before. ERR_ENV: it is missing. */
ERR_MUST_CHECK enum err_code fsmap_load(struct err *err);
/*
 * Whether fsmap_walk does without fsmap_load, since no table of partitions and no file system
 * begins in this raw image. It is read at a few places, and nothing that it says is followed: no
 * jail is needed. False, too, where it cannot be read.
 */
bool fsmap_is_blank(const char *path, const char *type, uint64_t max_read);

#endif
