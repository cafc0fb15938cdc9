/* SPDX-License-Identifier: Apache-2.0
 * io/image/server_start.c - the starter: see server.h. What it is asked is checked as if the
 * program had been taken over by what it reads: only lines of the table are opened, only its own
 * are ended.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fds.h"
#include "base/jail.h"
#include "io/fsmap_walk.h"
#include "io/image/reach_link.h"
#include "io/image/server.h"
#include "io/image/server_image.h"

/* Keys of the terminal, and signals to the whole group, are for the program: it ends the others. */
static void start_ignore_signals(void)
{
    static const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGTSTP };

    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        signal(signals[i], SIG_IGN);
}

/* Keeps both alone; libraries that talk on a standard stream talk to nobody. */
static void start_drop_files(int fd, int reach)
{
    const int low = fd < reach ? fd : reach, high = fd < reach ? reach : fd;
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int stream = STDIN_FILENO; null >= 0 && stream <= STDERR_FILENO; stream++)
        dup2(null, stream);
    if (low > STDERR_FILENO + 1)
        close_range(STDERR_FILENO + 1, (unsigned)low - 1, 0);
    if (low >= 0 && low + 1 < high)
        close_range((unsigned)low + 1, (unsigned)high - 1, 0);
    close_range((unsigned)high + 1, ~0U, 0);
}

/* Writes nothing from here on, whatever the program may write. */
static void start_confine(void)
{
    struct jail_rules rules;

    if (jail_no_more_rights() == 0 && jail_rules_open(&rules, JAIL_WRITING) == 0)
        (void)jail_rules_enforce(&rules);
}

/* Receives an order and its descriptors. False: the program has gone, or says what it never says.
 */
static bool start_take(int fd, struct server_order *order, int fds[FDS_MAX], uint32_t *fd_count)
{
    *fd_count = FDS_MAX;
    if (fds_receive(fd, order, sizeof *order, fds, fd_count) != sizeof *order)
        return false;
    order->path[sizeof order->path - 1] = '\0';
    order->type[sizeof order->type - 1] = '\0';
    return true;
}

/* What does not speak with servers cannot have them reached. */
static void start_link(const struct io_server_world *world, bool link)
{
    if (link)
        io_reach_inherit(world->reach);
    else if (world->reach >= 0)
        close(world->reach);
}

static _Noreturn void start_image(const struct server_order *order, const int fds[FDS_MAX],
                                  const struct io_server_world *world)
{
    const struct io_container *container = &world->table[order->container];
    struct err err = { 0 };
    const enum err_code loaded = container->load != NULL ? container->load(&err) : ERR_OK;

    if (loaded != ERR_OK)
        err_while(&err, "opening %s", order->path);
    start_link(world, container->link);
    io_server_confine(order->path, 0, world->jail, container->link);
    io_server_image(container, order->path, loaded == ERR_OK ? NULL : &err, fds[0], fds[1]);
    _exit(0);
}

/* Libraries that read file systems, and the image that they lie in. */
static enum err_code start_load_walk(const struct server_order *order,
                                     const struct io_server_world *world, bool *link,
                                     bool *is_blank, struct err *err)
{
    enum err_code rc = ERR_OK;
    bool is_raw = false;

    for (uint32_t i = 0; rc == ERR_OK && i < world->table_count; i++) {
        if (strcmp(world->table[i].name, order->type) != 0)
            continue;
        is_raw |= strcmp(world->table[i].type, "raw") == 0;
        *link |= world->table[i].link;
        if (world->table[i].load != NULL)
            rc = world->table[i].load(err);
    }
    *is_blank = rc == ERR_OK && is_raw && fsmap_is_blank(order->path, order->type, order->max_read);
    return rc != ERR_OK || *is_blank ? rc : fsmap_load(err);
}

static _Noreturn void start_walk(const struct server_order *order, int fd,
                                 const struct io_server_world *world)
{
    struct err err = { 0 };
    bool link = false, is_blank = false;
    const enum err_code loaded = start_load_walk(order, world, &link, &is_blank, &err);

    start_link(world, link);
    io_server_confine(order->path, order->seconds, world->jail, link);
    fsmap_walk(order->path, order->type, loaded == ERR_OK ? NULL : err.text, is_blank, order->wants,
               order->max_read, fd);
    _exit(0);
}

/* In the new process: the starter's own socket goes first. */
static struct server_started start_fork(int fd, const struct server_order *order,
                                        const int fds[FDS_MAX], uint32_t fd_count,
                                        const struct io_server_world *world)
{
    const uint32_t wanted = order->what == SERVER_IMAGE ? 2 : 1;

    if (fd_count != wanted ||
        (order->what == SERVER_IMAGE && order->container >= world->table_count))
        return (struct server_started){ -1, EINVAL };
    const pid_t pid = fork();
    if (pid == 0) {
        close(fd);
        if (order->what == SERVER_IMAGE)
            start_image(order, fds, world);
        start_walk(order, fds[0], world);
    }
    return (struct server_started){ pid, pid < 0 ? errno : 0 };
}

/* Ends one of its own, and nothing else that may have its number. */
static struct server_started start_end(pid_t pid)
{
    struct server_started started = { -1, -1 };
    siginfo_t info;
    pid_t ended;

    if (pid <= 0 || waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        return started;
    kill(pid, SIGKILL); /* one that has ended already keeps its status */
    do
        ended = waitpid(pid, &started.status, 0);
    while (ended < 0 && errno == EINTR);
    started.pid = ended;
    return started;
}

_Noreturn void io_server_starter(int fd, const struct io_server_world *world)
{
    struct server_order order = { 0 };
    int fds[FDS_MAX];
    uint32_t fd_count;

    start_ignore_signals();
    start_drop_files(fd, world->reach);
    if (world->jail)
        start_confine();
    while (start_take(fd, &order, fds, &fd_count)) {
        const struct server_started started = order.what == SERVER_END
                                                  ? start_end(order.pid)
                                                  : start_fork(fd, &order, fds, fd_count, world);

        for (uint32_t i = 0; i < fd_count; i++)
            close(fds[i]);
        if (send(fd, &started, sizeof started, MSG_NOSIGNAL) != sizeof started)
            break;
    }
    _exit(0);
}
