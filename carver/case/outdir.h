/* SPDX-License-Identifier: Apache-2.0
 * carver/case/outdir.h - the folder that a command writes its results to: new or empty, never
 * overwritten, and with its reports complete even when the disk runs full.
 *
 * Room for the end of the reports is set aside in a reserve file when the folder is opened. When a
 * report no longer fits, the reserve is given up and the report goes on in its place.
 */
#ifndef BURIN_CARVER_CASE_OUTDIR_H
#define BURIN_CARVER_CASE_OUTDIR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/limits.h"

enum {
    OUTDIR_NAME_MAX = 64,        /* bytes of one safe name, the NUL included */
    OUTDIR_RESERVE = 256 * 1024, /* bytes: the buffers of two reports and what closes them */
    OUTDIR_FILES = 8,            /* reports, reserve, and the first folders */
    OUTDIR_BUFFER = 64 * 1024,   /* bytes of one report that are not written yet */
};

struct outdir {
    int fd;        /* of the folder; -1: not open */
    bool made;     /* by outdir_open */
    bool reserved; /* the reserve file stands */
    /*
     * Called when the disk has no room for a report, before what was set aside for it is used up or
     * given up: all others who write into the folder stop, or they would take the rest. NULL: there
     * are none. It may be called more than once.
     */
    void (*full)(void *arg);
    void *full_arg;
    char path[LIMIT_PATH]; /* absolute */
};

/*
 * Makes the folder at path, or takes it if it is empty. On an error *out needs no close.
 * Errors: ERR_INPUT not empty, not a folder, its parent is missing; ERR_ENV not writable.
 */
ERR_MUST_CHECK enum err_code outdir_open(const char *path, struct outdir *out, struct err *err);
void outdir_close(struct outdir *dir); /* gives up the reserve; removes a folder that it made and
                                          that stayed empty */

/*
 * A folder below it: path, whose steps are names by themselves (outdir_safe_name) with "/" between
 * them. Made where it is not there; a link, or a folder that another file system is mounted on, is
 * an error. The caller closes the descriptor, and makes files through it: whatever is put in the
 * place of the folder afterwards, they stay in it. -1: see errno. Threads: any number.
 */
int outdir_folder(const struct outdir *dir, const char *path);

/* ERR_ENV unless files of together `bytes` bytes and the reserve fit. */
ERR_MUST_CHECK enum err_code outdir_need(const struct outdir *dir, uint64_t bytes, uint64_t files,
                                         struct err *err);

ERR_MUST_CHECK enum err_code outdir_reserve(struct outdir *dir, struct err *err);
void outdir_give_up_reserve(struct outdir *dir);

/* Everything written so far is on the disk. */
ERR_MUST_CHECK enum err_code outdir_sync(struct outdir *dir, struct err *err);

/* A report: a new file of the folder as a stream. One thread. */
struct outdir_stream; /* owned by the caller of outdir_stream_open */
/*
 * ahead: bytes that the disk keeps free for the stream, and for nobody else, behind what was
 * written to it, as long as it has them and where its file system can (fallocate(2)).
 */
ERR_MUST_CHECK enum err_code outdir_stream_open(struct outdir *dir, const char *name,
                                                uint64_t ahead, struct outdir_stream **out,
                                                struct err *err);
FILE *outdir_stream_file(struct outdir_stream *stream);
/* Writes out what is buffered; with durable it is on the disk afterwards. */
ERR_MUST_CHECK enum err_code outdir_stream_flush(struct outdir_stream *stream, bool durable,
                                                 struct err *err);
/* Flushes, makes durable, closes. NULL is a no-op. The stream is gone whatever comes back. */
ERR_MUST_CHECK enum err_code outdir_stream_close(struct outdir_stream *stream, struct err *err);

/*
 * A name from a case file made safe as one step of a path: only A-Z a-z 0-9 . _ + - are kept,
 * others become "_", as does a dot in front; cut at OUTDIR_NAME_MAX - 1 bytes. What is empty
 * becomes fallback.
 */
void outdir_safe_name(char out[OUTDIR_NAME_MAX], const char *name, const char *fallback);

#endif
