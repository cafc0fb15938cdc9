/* SPDX-License-Identifier: Apache-2.0
 * carver/file_source.h - a plain file as what validators read from, through pread and a few blocks
 * in memory.
 */
#ifndef BURIN_CARVER_FILE_SOURCE_H
#define BURIN_CARVER_FILE_SOURCE_H

#include <stdint.h>

#include "base/err.h"
#include "signatures/sig.h"

enum {
    FILE_SOURCE_BLOCK = 256 * 1024, /* bytes of one read; at least SIG_BYTES_MAX */
    FILE_SOURCE_BLOCKS = 4, /* validators go to and fro between a table and what it points to */
};

struct file_source {
    struct sig_source source; /* first: what validators get */
    int fd;
    uint64_t size; /* bytes */
    int error;     /* errno of a read that failed, or 0: its bytes are never there */
    struct {
        uint64_t offset, used;
        uint32_t len; /* 0: empty */
        uint8_t *bytes;
    } blocks[FILE_SOURCE_BLOCKS];
    uint64_t clock;
};

/* ERR_ENV: no memory. The source has no file yet. */
ERR_MUST_CHECK enum err_code file_source_init(struct file_source *source, struct err *err);
void file_source_release(struct file_source *source); /* after a failed init too */

/*
 * Opens path read-only in place of the file before it. Errors: ERR_INPUT with the reason: missing,
 * not readable, no regular file.
 */
ERR_MUST_CHECK enum err_code file_source_open(struct file_source *source, const char *path,
                                              struct err *err);
void file_source_close(struct file_source *source);

#endif
