/* SPDX-License-Identifier: Apache-2.0
 * io/image/remote_link.c - see remote_link.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/image/remote_link.h"
#include "io/image/server.h"

enum {
    LINK_LOOK_MS = 1000, /* between two looks at its clock */
    LINK_SECONDS_MAX =
        3600, /* for one request, if it does nothing: a disk that fails may take minutes */
    LINK_SECOND = 1000000000, /* nanoseconds */
};

/* Memory that neither side can make shorter, or it would be gone under the other one's hands. */
static enum err_code link_memory(struct remote_link *link, struct err *err)
{
    link->memory = memfd_create("burin image", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (link->memory < 0 || ftruncate(link->memory, SERVER_WINDOW) != 0 ||
        fcntl(link->memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        return ERR_RAISE(err, ERR_ENV,
                         "no memory to share with the process that reads the image: %s",
                         strerror(errno));
    const void *window = mmap(NULL, SERVER_WINDOW, PROT_READ, MAP_SHARED, link->memory, 0);
    if (window == MAP_FAILED)
        return ERR_NO_MEMORY(err, SERVER_WINDOW);
    link->window = window;
    return ERR_OK;
}

static void link_release(struct remote_link *link)
{
    if (link->window != NULL)
        munmap((void *)(uintptr_t)link->window, SERVER_WINDOW);
    if (link->memory >= 0)
        close(link->memory);
    if (link->socket >= 0)
        close(link->socket);
    *link = (struct remote_link){ .socket = -1, .memory = -1 };
}

enum err_code remote_link_open(struct remote_link *out, const struct io_container *container,
                               const char *path, struct err *err)
{
    int ends[2];

    *out = (struct remote_link){ .socket = -1, .memory = -1 };
    enum err_code rc = link_memory(out, err);
    if (rc == ERR_OK && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        rc = ERR_RAISE(err, ERR_ENV, "no socket to the process that reads the image: %s",
                       strerror(errno));
    if (rc == ERR_OK) {
        out->socket = ends[0];
        rc = io_server_start_image(container, path, ends[1], out->memory, &out->pid, err);
        close(ends[1]);
    }
    if (rc != ERR_OK)
        link_release(out);
    return rc;
}

bool remote_link_ask(struct remote_link *link, struct server_request *request)
{
    ssize_t done;

    request->serial = ++link->serial;
    do
        done = send(link->socket, request, sizeof *request, MSG_NOSIGNAL);
    while (done < 0 && errno == EINTR);
    return done == sizeof *request;
}

/* Nanoseconds of its processor that the process has used; 0: it is gone. */
static uint64_t link_used(pid_t pid)
{
    struct timespec used = { 0 };
    clockid_t clock;

    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return 0;
    return (uint64_t)used.tv_sec * LINK_SECOND + (uint64_t)used.tv_nsec;
}

/* Waits until something can be read from the process. False: its time is over. */
static bool link_wait(const struct remote_link *link)
{
    const uint64_t limit = io_server_world().seconds * (uint64_t)LINK_SECOND;
    const uint64_t end = clock_now(CLOCK_MONOTONIC) + (uint64_t)LINK_SECONDS_MAX * LINK_SECOND;
    struct pollfd wait = { .fd = link->socket, .events = POLLIN };
    uint64_t first = 0;

    while (poll(&wait, 1, LINK_LOOK_MS) <= 0) {
        const uint64_t used = link_used(link->pid);

        if (first == 0)
            first = used;
        if ((used > first && used - first > limit) || clock_now(CLOCK_MONOTONIC) > end)
            return false;
    }
    return true;
}

bool remote_link_hear(struct remote_link *link, struct server_answer *answer,
                      char why[REMOTE_WHY_MAX], bool *late)
{
    ssize_t got = -1;

    *late = !link_wait(link);
    while (!*late && (got = recv(link->socket, answer, sizeof *answer, MSG_DONTWAIT)) < 0 &&
           errno == EINTR)
        continue;
    if (got == sizeof *answer && answer->serial == link->serial) {
        answer->text[sizeof answer->text - 1] = '\0';
        return true;
    }
    remote_link_close(link, why);
    if (*late)
        snprintf(why, REMOTE_WHY_MAX, "it took more than %" PRIu32 " seconds for one request",
                 io_server_world().seconds);
    else if (got > 0)
        snprintf(why, REMOTE_WHY_MAX, "it answered what nobody had asked");
    return false;
}

void remote_link_close(struct remote_link *link, char why[REMOTE_WHY_MAX])
{
    if (link->socket < 0)
        return;
    const int status = io_server_end(link->pid);
    if (why != NULL && status != -1 && WIFSIGNALED(status))
        snprintf(why, REMOTE_WHY_MAX, "it was ended by signal %d", WTERMSIG(status));
    else if (why != NULL && status != -1 && WIFEXITED(status))
        snprintf(why, REMOTE_WHY_MAX, "it ended with status %d", WEXITSTATUS(status));
    else if (why != NULL)
        snprintf(why, REMOTE_WHY_MAX, "it ended");
    link_release(link);
}
