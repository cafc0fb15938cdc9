/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/fsmap_pipe.c - see fsmap_pipe.h. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/filesystem/fsmap_pipe.h"
#include "io/image/image_impl.h"
#include "io/image/server.h"

enum {
    PIPE_SECONDS = 10,        /* of its processor, and of the clock, that it may take, and */
    PIPE_SECONDS_GIB = 1,     /* as many more for each GiB of the image */
    PIPE_SECONDS_SOON = 2,    /* all of it for who wants it soon */
    PIPE_BESIDE = 4,          /* times as many of the clock, beside other work */
    PIPE_SECOND = 1000000000, /* nanoseconds */
    PIPE_LOOK_MS = 100,       /* at most so long between two looks at stop and clock */
};

/* Seconds that a walk may wait for its turn to read, where a limit is set. */
static uint64_t pipe_paced(const struct io_image *image, bool soon)
{
    const uint64_t per_second = image->rate.per_second;

    return soon || per_second == 0 ? 0 : io_image_size(image) / per_second;
}

enum err_code fsmap_pipe_open(struct fsmap_pipe *out, const struct io_image *image, uint32_t wants,
                              bool (*stop)(void), const atomic_bool *given_up, struct err *err)
{
    int ends[2];

    assert(io_image_part_count(image) > 0);
    out->soon = (wants & FSMAP_WANT_SOON) != 0;
    out->seconds = out->soon ? PIPE_SECONDS_SOON
                             : PIPE_SECONDS + (io_image_size(image) >> 30) * PIPE_SECONDS_GIB;
    out->stop = stop;
    out->given_up = given_up;
    out->end = FSMAP_PIPE_OPEN;
    out->at = out->have = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return ERR_RAISE(err, ERR_ENV, "no pipe to read file systems through: %s", strerror(errno));
    enum err_code rc =
        io_server_start_walk(io_image_part_path(image, 0), io_image_format(image), wants,
                             image->rate.per_second, out->seconds, ends[1], &out->child, err);
    close(ends[1]);
    if (rc != ERR_OK) {
        close(ends[0]);
        return rc;
    }
    out->fd = ends[0];
    const uint64_t clock = out->seconds * (given_up != NULL ? PIPE_BESIDE : 1);
    out->deadline =
        clock_now(CLOCK_MONOTONIC) + (clock + pipe_paced(image, out->soon)) * PIPE_SECOND;
    return ERR_OK;
}

/* Waits for bytes and reads them; false when there are none: pipe->end says why. */
static bool pipe_fill(struct fsmap_pipe *pipe)
{
    struct pollfd wait = { .fd = pipe->fd, .events = POLLIN };

    while (pipe->end == FSMAP_PIPE_OPEN) {
        if ((pipe->stop != NULL && pipe->stop()) ||
            (pipe->given_up != NULL && atomic_load(pipe->given_up))) {
            pipe->end = FSMAP_PIPE_STOPPED;
        } else if (clock_now(CLOCK_MONOTONIC) >= pipe->deadline) {
            pipe->end = FSMAP_PIPE_LATE;
        } else if (poll(&wait, 1, PIPE_LOOK_MS) > 0) {
            const ssize_t got = read(pipe->fd, pipe->bytes, sizeof pipe->bytes);

            if (got > 0) {
                pipe->at = 0;
                pipe->have = (size_t)got;
                return true;
            }
            if (got == 0 || errno != EINTR)
                pipe->end = FSMAP_PIPE_ENDED;
        }
    }
    return false;
}

bool fsmap_pipe_take(struct fsmap_pipe *pipe, void *out, size_t len)
{
    uint8_t *to = out;

    while (len > 0) {
        if (pipe->at == pipe->have && !pipe_fill(pipe))
            return false;
        const size_t left = pipe->have - pipe->at, step = len < left ? len : left;

        memcpy(to, pipe->bytes + pipe->at, step);
        pipe->at += step;
        to += step;
        len -= step;
    }
    return true;
}

bool fsmap_pipe_next(struct fsmap_pipe *pipe, struct fsmap_record *out, char *text)
{
    if (!fsmap_pipe_take(pipe, out, sizeof *out) || out->text_len > FSMAP_PATH_MAX ||
        !fsmap_pipe_take(pipe, text, out->text_len))
        return false;
    text[out->text_len] = '\0';
    return true;
}

void fsmap_pipe_why(const struct fsmap_pipe *pipe, char *out)
{
    if (pipe->end == FSMAP_PIPE_LATE && pipe->soon)
        snprintf(out, FSMAP_NOTE_MAX, "not read within %" PRIu64 " seconds", pipe->seconds);
    else if (pipe->end == FSMAP_PIPE_LATE)
        snprintf(out, FSMAP_NOTE_MAX,
                 "reading the file systems was ended after %" PRIu64
                 " seconds: they may be damaged",
                 pipe->seconds);
    else
        snprintf(out, FSMAP_NOTE_MAX,
                 "reading the file systems did not come to its end: they may be damaged");
}

void fsmap_pipe_close(struct fsmap_pipe *pipe)
{
    const int status = io_server_end(pipe->child); /* whatever it does: nobody listens any more */

    close(pipe->fd);
    if (status != -1 && WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        pipe->end = FSMAP_PIPE_LATE;
}
