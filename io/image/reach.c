/* SPDX-License-Identifier: Apache-2.0
 * io/image/reach.c - see io/reach.h: the side that asks. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fds.h"
#include "io/image.h"
#include "io/image/reach_link.h"
#include "io/reach.h"

/* The third static variable of the program, and for the reason of the second (server.h). */
static struct {
    pthread_mutex_t lock;
    int fd;      /* -1: not started */
    pid_t owner; /* of the process that started it, or was started with it */
} reach = { .lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1 };

static enum err_code reach_start(bool all, struct err *err)
{
    int ends[2];

    if (reach.fd >= 0 && reach.owner == getpid())
        return ERR_OK;
    if (reach.fd >= 0)
        close(reach.fd);
    reach.fd = -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return ERR_RAISE(err, ERR_ENV, "no process can be started to reach servers: %s",
                         strerror(errno));
    const pid_t pid = fork();
    if (pid == 0)
        io_reach_process(ends[1], all);
    const int failed = errno;
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return ERR_RAISE(err, ERR_ENV, "no process can be started to reach servers: %s",
                         strerror(failed));
    }
    reach.fd = ends[0];
    reach.owner = getpid();
    return ERR_OK;
}

enum err_code io_reach_open(struct err *err)
{
    pthread_mutex_lock(&reach.lock);
    const enum err_code rc = reach_start(false, err);
    pthread_mutex_unlock(&reach.lock);
    return rc;
}

int io_reach_fd(void)
{
    pthread_mutex_lock(&reach.lock);
    const int fd = reach_start(true, NULL) == ERR_OK ? reach.fd : -1;
    pthread_mutex_unlock(&reach.lock);
    return fd;
}

void io_reach_inherit(int fd)
{
    reach.fd = fd;
    reach.owner = getpid();
}

static void reach_tell(const struct reach_order *order)
{
    ssize_t done;

    pthread_mutex_lock(&reach.lock);
    /* Where it cannot be told, what is asked of it later fails, and that says why. */
    if (reach.fd >= 0 && reach.owner == getpid())
        do
            done = send(reach.fd, order, sizeof *order, MSG_NOSIGNAL);
        while (done < 0 && errno == EINTR);
    pthread_mutex_unlock(&reach.lock);
}

void io_reach_allow(const char *path)
{
    struct reach_order order = { .what = REACH_ALLOW };

    if (strlen(path) >= sizeof order.path)
        return;
    memcpy(order.path, path, strlen(path) + 1);
    reach_tell(&order);
}

void io_reach_narrow(enum io_reach_narrow to)
{
    reach_tell(&(struct reach_order){ .what = REACH_NARROW, .narrow = to });
}

/* Asks, with a descriptor (-1: none), and waits for the answer, which has one for *out, or -1. */
static enum err_code reach_ask(const struct reach_order *order, int fd, int *out, struct err *err)
{
    struct reach_answer answer;
    uint32_t count = 1;
    int ends[2];

    *out = -1;
    if (reach.fd < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return ERR_RAISE(err, ERR_ENV, "%s: there is no process to reach the server with",
                         order->path);
    const int sent[] = { ends[1], fd };
    const bool asked = fds_send(reach.fd, order, sizeof *order, sent, fd < 0 ? 1 : 2);
    close(ends[1]);
    const bool heard =
        asked && fds_receive(ends[0], &answer, sizeof answer, out, &count) == sizeof answer;
    close(ends[0]);
    if (!heard)
        return ERR_RAISE(err, ERR_ENV, "%s: the process that reaches servers has ended",
                         order->path);
    answer.text[sizeof answer.text - 1] = '\0';
    return answer.code == ERR_OK
               ? ERR_OK
               : ERR_RAISE(err, answer.code == ERR_ENV ? ERR_ENV : ERR_INPUT, "%s", answer.text);
}

enum err_code io_reach_key(const char *path, struct err *err)
{
    const struct reach_order order = { .what = REACH_KEY };
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    int none = -1;

    if (fd < 0)
        return ERR_RAISE(err, ERR_INPUT, "the key in %s cannot be read: %s", path, strerror(errno));
    enum err_code rc = io_reach_open(err);
    if (rc == ERR_OK)
        rc = reach_ask(&order, fd, &none, err);
    close(fd);
    if (rc != ERR_OK)
        err_while(err, "reading the key in %s", path);
    return rc;
}

enum err_code io_reach_connect(const char *path, const char *format, uint32_t seconds, int *out,
                               struct err *err)
{
    struct reach_order order = { .what = REACH_CONNECT, .seconds = seconds };

    *out = -1;
    if (strlen(path) >= sizeof order.path)
        return ERR_RAISE(err, ERR_INPUT, "%.64s...: the address is too long", path);
    memcpy(order.path, path, strlen(path) + 1);
    snprintf(order.format, sizeof order.format, "%s", format != NULL ? format : "");
    const enum err_code rc = reach_ask(&order, -1, out, err);
    if (rc == ERR_OK && *out < 0)
        return ERR_RAISE(err, ERR_ENV, "%s: the process that reaches servers gave no socket", path);
    return rc;
}
