/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/fsmap_pipe.h - the process that reads file systems, and the pipe through which it
 * tells what it has read. For fsmap.c and volumes.c.
 *
 * It may mean harm, once the library in it has read an image that does: it has limits on memory,
 * processor and time, and is ended when they are reached.
 */
#ifndef BURIN_IO_FILESYSTEM_FSMAP_PIPE_H
#define BURIN_IO_FILESYSTEM_FSMAP_PIPE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "io/fsmap_walk.h"
#include "io/image.h"

enum { FSMAP_PIPE_BYTES = 1 << 16 };

enum fsmap_pipe_end {
    FSMAP_PIPE_OPEN,
    FSMAP_PIPE_ENDED,   /* the process has closed it, or cannot be read from */
    FSMAP_PIPE_STOPPED, /* the caller wants no more */
    FSMAP_PIPE_LATE,    /* its time is over */
};

struct fsmap_pipe {
    int fd;
    pid_t child;
    uint64_t seconds;   /* that it may take: 10, and one for each GiB of the image; 2 if soon */
    bool soon;          /* FSMAP_WANT_SOON */
    uint64_t deadline;  /* nanoseconds of CLOCK_MONOTONIC */
    bool (*stop)(void); /* asked a few times a second; NULL: never */
    const atomic_bool *given_up; /* looked at as often; or NULL */
    enum fsmap_pipe_end end;
    size_t at, have;
    uint8_t bytes[FSMAP_PIPE_BYTES];
};

/*
 * Starts the process; wants: FSMAP_WANT_*; stop and given_up: as for io_fsmap_open. On an error
 * *out needs no close. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code fsmap_pipe_open(struct fsmap_pipe *out, const struct io_image *image,
                                             uint32_t wants, bool (*stop)(void),
                                             const atomic_bool *given_up, struct err *err);

/*
 * The next record and its text, of which text[text_len] is a NUL; text: FSMAP_PATH_MAX + 1 bytes.
 * False when none comes: pipe->end says why.
 */
bool fsmap_pipe_next(struct fsmap_pipe *pipe, struct fsmap_record *out, char *text);

/* Words for people: why the process did not tell all; out: FSMAP_NOTE_MAX bytes. */
void fsmap_pipe_why(const struct fsmap_pipe *pipe, char *out);

/* The next len bytes to out; false when they do not come: pipe->end says why. */
bool fsmap_pipe_take(struct fsmap_pipe *pipe, void *out, size_t len);

/* Ends the process. pipe->end is FSMAP_PIPE_LATE, too, when its processor's time was over. */
void fsmap_pipe_close(struct fsmap_pipe *pipe);

#endif
