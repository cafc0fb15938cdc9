/* io/areas_pipe.c - see areas_pipe.h. */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/areas_pipe.h"
#include "io/areas_walk.h"

enum {
    PIPE_SECONDS = 10,        /* of its processor, and of the clock, that it may take, and */
    PIPE_SECONDS_GIB = 1,     /* as many more for each GiB of the image */
    PIPE_SECOND = 1000000000, /* nanoseconds */
    PIPE_MEMORY = 2047 << 20, /* bytes that it may allocate */
    PIPE_DATA_FIELD = 5,      /* of /proc/self/statm, counted from 0: pages of data */
    PIPE_LOOK_MS = 100,       /* at most so long between two looks at stop and clock */
};

/*
 * Memory that this process has for data already; 0 where the system does not say. A sanitizer's
 * share is many terabytes.
 */
static uint64_t pipe_memory_now(void)
{
    FILE *in = fopen("/proc/self/statm", "re");
    char line[256] = "";
    const char *field = line;

    if (in == NULL)
        return 0;
    if (fgets(line, sizeof line, in) == NULL)
        line[0] = '\0';
    fclose(in);
    for (uint32_t i = 0; i < PIPE_DATA_FIELD && field != NULL; i++) {
        field = strchr(field, ' ');
        field = field == NULL ? NULL : field + 1;
    }
    return field == NULL ? 0 : strtoull(field, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The other process: it reads, within limits, and ends. */
static _Noreturn void pipe_child(const struct io_image *image, int fd, uint64_t seconds)
{
    const rlim_t most = pipe_memory_now() + PIPE_MEMORY;
    const struct rlimit cpu = { seconds, seconds }, memory = { most, most }, core = { 0, 0 };

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    setrlimit(RLIMIT_CPU, &cpu);
    setrlimit(RLIMIT_DATA, &memory);
    setrlimit(RLIMIT_CORE, &core);
    if (freopen("/dev/null", "w", stderr) != NULL) /* libtsk talks there now and then */
        areas_walk(io_image_part_path(image, 0), io_image_format(image), fd);
    _exit(0);
}

enum err_code areas_pipe_open(struct areas_pipe *out, const struct io_image *image, bool (*stop)(void), struct err *err)
{
    int ends[2];

    assert(io_image_part_count(image) > 0);
    out->seconds = PIPE_SECONDS + (io_image_size(image) >> 30) * PIPE_SECONDS_GIB;
    out->stop = stop;
    out->end = AREAS_PIPE_OPEN;
    out->at = out->have = 0;
    if (pipe(ends) != 0)
        return ERR_RAISE(err, ERR_ENV, "no pipe to read file systems through: %s", strerror(errno));
    out->child = fork();
    if (out->child == 0) {
        close(ends[0]);
        pipe_child(image, ends[1], out->seconds);
    }
    const int failed = errno;
    close(ends[1]);
    if (out->child < 0) {
        close(ends[0]);
        return ERR_RAISE(err, ERR_ENV, "no process to read file systems in: %s", strerror(failed));
    }
    out->fd = ends[0];
    out->deadline = clock_now(CLOCK_MONOTONIC) + out->seconds * PIPE_SECOND;
    return ERR_OK;
}

/* Waits for bytes and reads them; false when there are none: pipe->end says why. */
static bool pipe_fill(struct areas_pipe *pipe)
{
    struct pollfd wait = { .fd = pipe->fd, .events = POLLIN };

    while (pipe->end == AREAS_PIPE_OPEN) {
        if (pipe->stop != NULL && pipe->stop()) {
            pipe->end = AREAS_PIPE_STOPPED;
        } else if (clock_now(CLOCK_MONOTONIC) >= pipe->deadline) {
            pipe->end = AREAS_PIPE_LATE;
        } else if (poll(&wait, 1, PIPE_LOOK_MS) > 0) {
            const ssize_t got = read(pipe->fd, pipe->bytes, sizeof pipe->bytes);

            if (got > 0) {
                pipe->at = 0;
                pipe->have = (size_t)got;
                return true;
            }
            if (got == 0 || errno != EINTR)
                pipe->end = AREAS_PIPE_ENDED;
        }
    }
    return false;
}

bool areas_pipe_take(struct areas_pipe *pipe, void *out, size_t len)
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

void areas_pipe_close(struct areas_pipe *pipe)
{
    int status = 0;
    pid_t ended;

    kill(pipe->child, SIGKILL); /* whatever it does: nobody listens any more */
    close(pipe->fd);
    do
        ended = waitpid(pipe->child, &status, 0);
    while (ended < 0 && errno == EINTR);
    if (ended > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        pipe->end = AREAS_PIPE_LATE;
}
