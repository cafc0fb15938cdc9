/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/serve.c - see serve.h. What a request is answered with is serve_answers.c. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "carver/cli/interrupt.h"
#include "carver/mount/greeting.h"
#include "carver/mount/serve_parts.h"

enum { SERVE_LOOK_MS = 500 /* between two looks whether a stop is asked for */ };

static void serve_say_nothing(enum fuse_log_level level, const char *format, va_list args)
{
    (void)level;
    (void)format;
    (void)args;
}

/* Waits for a request. False: the work is to end. */
static bool serve_wait_request(int poll_fd, const struct serve *serve)
{
    struct epoll_event event;
    int ready;

    do
        ready = epoll_wait(poll_fd, &event, 1, -1);
    while (ready < 0 && errno == EINTR);
    return ready == 1 && event.data.fd != serve->stop;
}

static bool serve_poll(int poll_fd, int fd, uint32_t events)
{
    struct epoll_event event = { .events = events, .data = { .fd = fd } };

    return epoll_ctl(poll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

static void serve_run(void *arg)
{
    struct serve *serve = arg;
    const struct lib_fuse *fuse = serve->o.fuse;
    const int poll_fd = epoll_create1(EPOLL_CLOEXEC);
    struct fuse_buf request = { 0 };

    serve_enter(serve);
    bool on = poll_fd >= 0 && serve_poll(poll_fd, serve->stop, EPOLLIN) &&
              serve_poll(poll_fd, serve->o.fd, EPOLLIN | EPOLLEXCLUSIVE);

    while (on && !fuse->fuse_session_exited(serve->session)) {
        const int got = fuse->fuse_session_receive_buf(serve->session, &request);

        if (got > 0)
            fuse->fuse_session_process_buf(serve->session, &request);
        else if (got == -EAGAIN)
            on = serve_wait_request(poll_fd, serve);
        else
            on = got == -EINTR;
    }
    free(request.mem);
    if (poll_fd >= 0)
        close(poll_fd);
    serve_leave();
    const uint64_t one = 1;
    const ssize_t told = write(serve->ended, &one, sizeof one);
    (void)told;
}

/* Lets the library answer the first request into a pipe, and passes the answer on. */
static bool serve_pass_greeting(struct serve *serve, int connection, const int ends[2])
{
    const struct lib_fuse *fuse = serve->o.fuse;
    struct fuse_buf asked = { 0 };
    const uint32_t wanted =
        GREETING_MAP_DIRECT | (serve->o.keeper != NULL ? (uint32_t)GREETING_THROUGH : 0);
    uint8_t answer[GREETING_ANSWER_MAX];
    ssize_t len = -1;
    int got;

    do
        got = fuse->fuse_session_receive_buf(serve->session, &asked);
    while (got == -EINTR);
    if (got > 0 && dup3(ends[1], serve->o.fd, O_CLOEXEC) >= 0) {
        fuse->fuse_session_process_buf(serve->session, &asked);
        len = read(ends[0], answer, sizeof answer);
    }
    if (dup3(connection, serve->o.fd, O_CLOEXEC) < 0)
        len = -1;
    if (len > 0)
        greeting_take(asked.mem, (size_t)got, wanted, answer, (size_t)len);
    free(asked.mem);
    return len > 0 && write(connection, answer, (size_t)len) == len;
}

/* The first request of the kernel: what it can do, and what we can. */
static enum err_code serve_greet(struct serve *serve, struct err *err)
{
    const int connection = fcntl(serve->o.fd, F_DUPFD_CLOEXEC, 0);
    int ends[2] = { -1, -1 };

    serve_enter(serve);
    const bool greeted = connection >= 0 && pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0 &&
                         serve_pass_greeting(serve, connection, ends);
    const int why = errno;
    serve_leave();
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
    if (connection >= 0)
        close(connection);
    return greeted ? serve_lend(serve, err)
                   : ERR_RAISE(err, ERR_ENV, "the connection to the kernel: %s", strerror(why));
}

static enum err_code serve_session(struct serve *serve, struct err *err)
{
    const struct lib_fuse *fuse = serve->o.fuse;
    struct fuse_lowlevel_ops answers;
    struct fuse_args args = { 0 };
    char name[32];

    serve_answers(&answers, serve->o.xattrs);
    fuse->fuse_set_log_func(serve_say_nothing);
    snprintf(name, sizeof name, "/dev/fd/%d", serve->o.fd);
    if (fuse->fuse_opt_add_arg(&args, "burin") == 0)
        serve->session = fuse->fuse_session_new(&args, &answers, sizeof answers, serve);
    fuse->fuse_opt_free_args(&args);
    if (serve->session == NULL || fuse->fuse_session_mount(serve->session, name) != 0)
        return ERR_RAISE(err, ERR_ENV, "libfuse3 makes no session");
    serve->owned = true;
    const enum err_code rc = serve_greet(serve, err);
    if (rc == ERR_OK && fcntl(serve->o.fd, F_SETFL, O_RDWR | O_NONBLOCK) != 0)
        return ERR_RAISE(err, ERR_ENV, "the connection to the kernel: %s", strerror(errno));
    return rc;
}

enum err_code serve_start(const struct serve_options *options, struct serve **out, struct err *err)
{
    struct serve *serve = calloc(1, sizeof *serve);
    enum err_code rc = ERR_OK;

    *out = NULL;
    if (serve == NULL) {
        close(options->fd);
        return ERR_NO_MEMORY(err, sizeof *serve);
    }
    serve->o = *options;
    serve->stop = eventfd(0, EFD_CLOEXEC);
    serve->ended = eventfd(0, EFD_CLOEXEC);
    pthread_mutex_init(&serve->lock, NULL);
    if (serve->stop < 0 || serve->ended < 0)
        rc = ERR_RAISE(err, ERR_ENV, "no event: %s", strerror(errno));
    if (rc == ERR_OK)
        rc = open_ranges_open(&serve->ranges, err);
    if (rc == ERR_OK)
        rc = serve_session(serve, err);
    for (uint32_t i = 0; rc == ERR_OK && i < options->threads; i++)
        rc = thread_start(&serve->threads[i], "answers", serve_run, serve, err);
    if (rc == ERR_OK)
        *out = serve;
    else
        serve_end(serve, NULL);
    return rc;
}

bool serve_wait(struct serve *serve)
{
    struct pollfd ended = { .fd = serve->ended, .events = POLLIN };

    /* The signal may come between the look and poll: so poll does not wait for long. */
    while (!interrupt_requested())
        if (poll(&ended, 1, SERVE_LOOK_MS) == 1)
            return true;
    return false;
}

void serve_end(struct serve *serve, struct serve_totals *totals)
{
    const uint64_t one = 1;

    if (serve == NULL)
        return;
    if (serve->stop >= 0) {
        const ssize_t told = write(serve->stop, &one, sizeof one);
        (void)told;
    }
    for (uint32_t i = 0; i < SERVE_THREADS_MAX; i++)
        thread_join(&serve->threads[i]);
    if (totals != NULL)
        *totals = (struct serve_totals){ .opens = atomic_load(&serve->opens),
                                         .reads = atomic_load(&serve->reads),
                                         .bytes = atomic_load(&serve->bytes),
                                         .failed = atomic_load(&serve->failed),
                                         .through = atomic_load(&serve->through) };
    if (serve->session != NULL)
        serve->o.fuse->fuse_session_destroy(serve->session);
    if (!serve->owned)
        close(serve->o.fd);
    if (serve->stop >= 0)
        close(serve->stop);
    if (serve->ended >= 0)
        close(serve->ended);
    while (serve->buffer_count > 0)
        free(serve->buffers[--serve->buffer_count]);
    open_ranges_close(&serve->ranges);
    free(serve->lent);
    pthread_mutex_destroy(&serve->lock);
    free(serve);
}
