/* SPDX-License-Identifier: Apache-2.0
 * io/image/server.c - see server.h: the side of the program. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fds.h"
#include "io/image/reach_link.h"
#include "io/image/server.h"

enum { SERVER_SECONDS = 60 };

static struct {
    pthread_mutex_t lock; /* of all below, and of an order and its answer */
    struct io_server_world world;
    int fd;      /* -1: not started */
    pid_t pid;   /* of the starter */
    pid_t owner; /* of the process that started it: what that forks has to start its own */
} server = { .lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1 };

static enum err_code server_start(const struct io_server_world *world, struct err *err)
{
    int ends[2];

    if (server.fd >= 0)
        close(server.fd);
    if (server.fd >= 0 && server.owner == getpid())
        waitpid(server.pid, NULL, 0); /* it ends with its socket */
    server.fd = -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return ERR_RAISE(err, ERR_ENV, "no process can be started to read images in: %s",
                         strerror(errno));
    struct io_server_world own = *world;
    own.reach = io_reach_fd();
    const pid_t pid = fork();
    if (pid == 0)
        io_server_starter(ends[1], &own);
    const int failed = errno;
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return ERR_RAISE(err, ERR_ENV, "no process can be started to read images in: %s",
                         strerror(failed));
    }
    server.world = *world;
    server.fd = ends[0];
    server.pid = pid;
    server.owner = getpid();
    return ERR_OK;
}

enum err_code io_server_prepare(const struct io_server_world *world, struct err *err)
{
    struct io_server_world own = *world;

    if (own.seconds == 0)
        own.seconds = SERVER_SECONDS;
    if (own.table == NULL)
        own.table = io_container_table(&own.table_count);
    pthread_mutex_lock(&server.lock);
    const enum err_code rc = server_start(&own, err);
    pthread_mutex_unlock(&server.lock);
    return rc;
}

enum err_code io_server_need(struct err *err)
{
    struct io_server_world world = { .jail = true, .seconds = SERVER_SECONDS };
    enum err_code rc = ERR_OK;

    pthread_mutex_lock(&server.lock);
    if (server.fd < 0 || server.owner != getpid()) {
        if (server.fd >= 0)
            world = server.world;
        else
            world.table = io_container_table(&world.table_count);
        rc = server_start(&world, err);
    }
    pthread_mutex_unlock(&server.lock);
    return rc;
}

enum err_code io_image_prepare(bool jail, struct err *err)
{
    return io_server_prepare(&(struct io_server_world){ .jail = jail }, err);
}

struct io_server_world io_server_world(void)
{
    pthread_mutex_lock(&server.lock);
    const struct io_server_world world = server.world;
    pthread_mutex_unlock(&server.lock);
    return world;
}

/* An order with descriptors, and its answer. False: the starter is gone. */
static bool server_order(const struct server_order *order, const int *fds, uint32_t fd_count,
                         struct server_started *started)
{
    ssize_t done = -1;

    pthread_mutex_lock(&server.lock);
    if (fds_send(server.fd, order, sizeof *order, fds, fd_count))
        do
            done = recv(server.fd, started, sizeof *started, 0);
        while (done < 0 && errno == EINTR);
    pthread_mutex_unlock(&server.lock);
    return done == sizeof *started;
}

static enum err_code server_start_one(struct server_order *order, const char *path, const int *fds,
                                      uint32_t fd_count, pid_t *pid, struct err *err)
{
    struct server_started started = { .pid = -1 };

    if (strlen(path) >= sizeof order->path)
        return ERR_RAISE(err, ERR_INPUT, "%.64s...: the path is longer than %zu bytes", path,
                         sizeof order->path - 1);
    memcpy(order->path, path, strlen(path) + 1);
    if (!server_order(order, fds, fd_count, &started))
        return ERR_RAISE(
            err, ERR_ENV,
            "the process that starts readers of images has ended; run the command again");
    if (started.pid < 0)
        return ERR_RAISE(err, ERR_ENV, "no process can be started to read images in: %s",
                         strerror(started.status));
    *pid = started.pid;
    return ERR_OK;
}

enum err_code io_server_start_image(const struct io_container *container, const char *path,
                                    int socket, int memory, pid_t *pid, struct err *err)
{
    const struct io_server_world world = io_server_world();
    struct server_order order = { .what = SERVER_IMAGE,
                                  .container = (uint32_t)(container - world.table) };
    const int fds[] = { socket, memory };

    return server_start_one(&order, path, fds, 2, pid, err);
}

enum err_code io_server_start_walk(const char *path, const char *type, uint32_t wants,
                                   uint64_t max_read, uint64_t seconds, int fd, pid_t *pid,
                                   struct err *err)
{
    struct server_order order = {
        .what = SERVER_WALK, .wants = wants, .seconds = seconds, .max_read = max_read
    };
    const enum err_code rc = io_server_need(err);

    if (rc != ERR_OK)
        return rc;
    memcpy(order.type, type, strnlen(type, sizeof order.type - 1));
    return server_start_one(&order, path, &fd, 1, pid, err);
}

int io_server_end(pid_t pid)
{
    const struct server_order order = { .what = SERVER_END, .pid = pid };
    struct server_started started = { .pid = -1, .status = -1 };

    return server_order(&order, NULL, 0, &started) && started.pid == pid ? started.status : -1;
}
