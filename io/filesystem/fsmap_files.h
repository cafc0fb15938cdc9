/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/fsmap_files.h - files in more than one piece, gathered from the records of a walk.
 * For fsmap.c.
 */
#ifndef BURIN_IO_FILESYSTEM_FSMAP_FILES_H
#define BURIN_IO_FILESYSTEM_FSMAP_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "io/fsmap_walk.h"
#include "io/reader.h"

enum { FSMAP_PIECES_MAX = 1 << 24 }; /* 16 bytes each */

struct fsmap_file {
    const char *path;
    uint64_t inode, size;
    int64_t modified;
    size_t first; /* of its pieces */
    uint32_t count;
    bool deleted;
};

/* Zeroed is empty. Release with fsmap_files_release. */
struct fsmap_files {
    struct fsmap_file *files;
    struct io_range *pieces; /* in the order of the file's bytes */
    uint32_t count;
    size_t room;
    size_t piece_count, piece_room;
    struct fsmap_file now; /* whose runs come */
    uint64_t have;         /* bytes of it so far */
    bool open;             /* it may still be a file in pieces, all of which are known */
};

void fsmap_files_release(struct fsmap_files *files);

/* The runs that follow belong to the file of this FSMAP_FILE; path stays the caller's. */
ERR_MUST_CHECK enum err_code fsmap_files_begin(struct fsmap_files *files,
                                               const struct fsmap_record *record, const char *path,
                                               struct err *err);

/* A FSMAP_RUN. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code fsmap_files_run(struct fsmap_files *files,
                                             const struct fsmap_record *record, struct err *err);

/* No more runs of the file come. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code fsmap_files_end(struct fsmap_files *files, struct err *err);

#endif
