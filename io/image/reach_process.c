/* SPDX-License-Identifier: Apache-2.0
 * io/image/reach_process.c - the process of io/reach.h. Who asks may have been taken over by what
 * it reads: only what was allowed is reached, and only what greets as an NBD server is handed out.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fds.h"
#include "base/jail.h"
#include "io/image/address.h"
#include "io/image/container.h"
#include "io/image/reach_link.h"
#include "io/image/serve.h"
#include "io/reach.h"

enum {
    REACH_PLACES_MAX = 65536,
    REACH_MS = 1000000 /* nanoseconds */,
    REACH_AGAIN_MS = 20,
    REACH_PIECE = 4096
};

/* The first bytes of every NBD server. Source: NetworkBlockDevice/nbd, doc/proto.md. */
static const char reach_greeting[] = "NBDMAGIC";

/* A container, and the process that serves it. */
struct reach_server {
    char *path;
    const char *format; /* of the table of containers */
    struct io_serve serve;
};

struct reach_state {
    int fd;
    bool all;     /* whatever is asked for */
    bool case_on; /* from here on a case file names what is allowed, */
    bool closed;  /* and now nobody does */
    int key;      /* what opens an encrypted container, in memory; -1: there is none */
    char **places;
    uint32_t count;
    struct reach_server *servers;
    uint32_t server_count;
};

static bool reach_allows(const struct reach_state *state, const char *path)
{
    bool is = state->all;

    for (uint32_t i = 0; i < state->count && !is; i++)
        is = strcmp(state->places[i], path) == 0;
    return is;
}

static void reach_take_place(struct reach_state *state, const char *path)
{
    struct io_address address;

    if (state->closed || state->count >= REACH_PLACES_MAX || reach_allows(state, path))
        return;
    if (io_image_is_address(path) &&
        (io_address_parse(path, &address, NULL) != ERR_OK || (state->case_on && !address.local)))
        return;
    char **grown = realloc(state->places, (state->count + 1) * sizeof *grown);
    if (grown == NULL)
        return;
    state->places = grown;
    state->places[state->count] = strdup(path);
    state->count += state->places[state->count] != NULL;
}

/* Milliseconds until then, for poll. */
static int reach_left(uint64_t until)
{
    const uint64_t now = clock_now(CLOCK_MONOTONIC);

    return now >= until ? 0 : (int)((until - now) / REACH_MS) + 1;
}

/* Connects, and waits for that. Returns 0 or an errno. */
static int reach_dial(int fd, const struct sockaddr *to, socklen_t len, uint64_t until)
{
    struct pollfd wait = { .fd = fd, .events = POLLOUT };
    int failed = 0;
    socklen_t failed_len = sizeof failed;

    int done;

    /* A local server whose queue is full says EAGAIN, and nothing tells when it is no longer. */
    while ((done = connect(fd, to, len)) != 0 && errno == EAGAIN && reach_left(until) > 0)
        (void)poll(NULL, 0, REACH_AGAIN_MS);
    if (done == 0 || errno != EINPROGRESS)
        return done == 0 ? 0 : errno;
    while (poll(&wait, 1, reach_left(until)) <= 0)
        if (reach_left(until) == 0)
            return ETIMEDOUT;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &failed_len) == 0 ? failed : errno;
}

/* Waits for the first bytes, and leaves them there. Returns 0, or an errno; EPROTO: another server.
 */
static int reach_greeted(int fd, uint64_t until)
{
    char text[sizeof reach_greeting - 1];

    for (;;) {
        struct pollfd wait = { .fd = fd, .events = POLLIN };
        const ssize_t got = recv(fd, text, sizeof text, MSG_PEEK | MSG_DONTWAIT);

        if (got == 0 || (got > 0 && memcmp(text, reach_greeting, (size_t)got) != 0))
            return got == 0 ? ECONNRESET : EPROTO;
        if (got == sizeof text)
            return 0;
        if (got < 0 && errno != EAGAIN && errno != EINTR)
            return errno;
        if (reach_left(until) == 0)
            return ETIMEDOUT;
        /* A part of them is there: poll would return at once. */
        (void)poll(&wait, got > 0 ? 0 : 1, got > 0 ? REACH_AGAIN_MS : reach_left(until));
    }
}

static int reach_local(const struct io_address *address, uint64_t until, int *out)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };

    memcpy(to.sun_path, address->socket, sizeof to.sun_path);
    *out = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    return *out < 0 ? errno
                    : reach_dial(*out, (const struct sockaddr *)&to, (socklen_t)sizeof to, until);
}

/* why: what the resolver says, or NULL. */
static int reach_host(const struct io_address *address, uint64_t until, int *out, const char **why)
{
    const struct addrinfo wanted = { .ai_socktype = SOCK_STREAM };
    struct addrinfo *found = NULL;
    const int unknown = getaddrinfo(address->host, address->port, &wanted, &found);
    int failed = EADDRNOTAVAIL;

    *why = unknown != 0 ? gai_strerror(unknown) : NULL;
    if (unknown != 0)
        return failed;
    for (const struct addrinfo *at = found; at != NULL && failed != 0; at = at->ai_next) {
        if (*out >= 0)
            close(*out);
        *out =
            socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at->ai_protocol);
        failed = *out < 0 ? errno : reach_dial(*out, at->ai_addr, at->ai_addrlen, until);
    }
    freeaddrinfo(found);
    return failed;
}

/* The server of a container, which is begun where it is not there; NULL: *err says why. */
static struct reach_server *reach_server(struct reach_state *state, const char *path,
                                         const char *format, int key, struct err *err)
{
    struct reach_server *server = NULL;

    for (uint32_t i = 0; i < state->server_count && server == NULL; i++)
        if (strcmp(state->servers[i].path, path) == 0 && state->servers[i].format == format)
            server = &state->servers[i];
    if (server != NULL && io_serve_lives(&server->serve))
        return server;
    if (server != NULL)
        io_serve_end(&server->serve);
    if (server == NULL) {
        const size_t size = (state->server_count + 1) * sizeof *state->servers;
        struct reach_server *grown = realloc(state->servers, size);

        if (grown != NULL) {
            state->servers = grown;
            grown[state->server_count] =
                (struct reach_server){ .path = strdup(path), .format = format };
        }
        if (grown == NULL || grown[state->server_count].path == NULL) {
            (void)ERR_NO_MEMORY(err, size);
            return NULL;
        }
        server = &grown[state->server_count++];
    }
    return io_serve_start(path, format, key, &server->serve, err) == ERR_OK ? server : NULL;
}

/* The line of the table; NULL: burin has no containers of that format served. */
static const struct io_container *reach_format(const char *format)
{
    uint32_t count;
    const struct io_container *table = io_container_table(&count);

    for (uint32_t i = 0; i < count; i++)
        if (table[i].serve != NULL && strcmp(table[i].serve, format) == 0)
            return &table[i];
    return NULL;
}

/* To a server of ours: that it does not greet says something of the container, or of the jail. */
static enum err_code reach_own(struct reach_state *state, const struct reach_order *order,
                               uint64_t until, int *out, struct err *err)
{
    const struct io_container *container = reach_format(order->format);

    if (container == NULL)
        return ERR_RAISE(err, ERR_INPUT, "%s: no server is started for this format", order->path);
    if (container->keyed && state->key < 0)
        return ERR_RAISE(err, ERR_INPUT, "--key-file FILE names the file with its key");
    const char *format = container->serve;
    struct reach_server *server =
        reach_server(state, order->path, format, container->keyed ? state->key : -1, err);
    if (server == NULL)
        return err->code;
    int failed = io_serve_connect(&server->serve, out);
    if (failed == 0)
        failed = reach_greeted(*out, until);
    return failed == 0 ? ERR_OK : io_serve_failed(&server->serve, format, failed, err);
}

static enum err_code reach_other(const struct reach_order *order, uint64_t until, int *out,
                                 struct err *err)
{
    struct io_address address;
    const char *why = NULL;
    int failed = 0;
    enum err_code rc = io_address_parse(order->path, &address, err);

    if (rc == ERR_OK)
        failed = address.local ? reach_local(&address, until, out)
                               : reach_host(&address, until, out, &why);
    if (rc == ERR_OK && failed != 0)
        rc = ERR_RAISE(err, ERR_ENV, "%s: no server can be reached there: %s", order->path,
                       why != NULL ? why : strerror(failed));
    if (rc == ERR_OK) {
        failed = reach_greeted(*out, until);
        if (failed == EPROTO)
            rc = ERR_RAISE(err, ERR_INPUT, "%s: what is there is no NBD server", order->path);
        else if (failed != 0)
            rc = ERR_RAISE(err, ERR_ENV,
                           "%s: the server does not answer: %s; does it take several connections? "
                           "burin opens "
                           "some at a time: qemu-nbd -r -t -e 8 ...",
                           order->path, strerror(failed));
    }
    return rc;
}

static void reach_connect(struct reach_state *state, const struct reach_order *order, int *out,
                          struct reach_answer *answer)
{
    const uint32_t seconds = order->seconds < IO_REACH_SECONDS ? order->seconds : IO_REACH_SECONDS;
    const uint64_t until = clock_now(CLOCK_MONOTONIC) + seconds * UINT64_C(1000) * REACH_MS;
    struct err err = { 0 };

    answer->code = order->format[0] != '\0' ? reach_own(state, order, until, out, &err)
                                            : reach_other(order, until, out, &err);
    memcpy(answer->text, err.text, sizeof answer->text);
}

static void reach_key(struct reach_state *state, int fd, struct reach_answer *answer)
{
    struct err err = { 0 };

    if (state->case_on || fd < 0) {
        snprintf(answer->text, sizeof answer->text, "no key is taken any more");
        return;
    }
    if (state->key >= 0)
        close(state->key);
    state->key = io_reach_key_read(fd, &err);
    answer->code = state->key >= 0 ? ERR_OK : err.code;
    memcpy(answer->text, err.text, sizeof answer->text);
}

/*
 * Receives an order, where its answer goes, and a key; -1: none. False: all who may ask have gone.
 */
static bool reach_hear(int fd, struct reach_order *order, int came[FDS_MAX])
{
    uint32_t count = FDS_MAX;

    came[0] = came[1] = -1;
    if (fds_receive(fd, order, sizeof *order, came, &count) != sizeof *order)
        return false;
    order->path[sizeof order->path - 1] = '\0';
    order->format[sizeof order->format - 1] = '\0';
    return true;
}

static void reach_order(struct reach_state *state, const struct reach_order *order,
                        const int came[FDS_MAX])
{
    struct reach_answer answer = { .code = ERR_INPUT };
    const int to = came[0];
    int fd = -1;

    if (order->what == REACH_ALLOW)
        reach_take_place(state, order->path);
    state->case_on |= order->what == REACH_NARROW;
    state->closed |= order->what == REACH_NARROW && order->narrow == IO_REACH_NOTHING;
    if ((order->what != REACH_CONNECT && order->what != REACH_KEY) || to < 0)
        return;
    if (order->what == REACH_KEY)
        reach_key(state, came[1], &answer);
    else if (reach_allows(state, order->path))
        reach_connect(state, order, &fd, &answer);
    else
        snprintf(answer.text, sizeof answer.text,
                 "%.800s: the case file names this server of a network; name it yourself to have "
                 "burin connect to it: --image ADDRESS",
                 order->path);
    (void)fds_send(to, &answer, sizeof answer, &fd, fd >= 0 && answer.code == ERR_OK ? 1 : 0);
    if (fd >= 0)
        close(fd);
}

/* Keeps fd alone, and ends with the program, whatever signals its group is sent. */
static void reach_settle(int fd)
{
    static const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGTSTP };
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        signal(signals[i], SIG_IGN);
    for (int stream = STDIN_FILENO; null >= 0 && stream <= STDERR_FILENO; stream++)
        dup2(null, stream);
    if (fd > STDERR_FILENO + 1)
        close_range(STDERR_FILENO + 1, (unsigned)fd - 1, 0);
    close_range((unsigned)fd + 1, ~0U, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)jail_no_more_rights();
}

_Noreturn void io_reach_process(int fd, int all)
{
    struct reach_state state = { .fd = fd, .all = all, .key = -1 };
    struct reach_order order = { 0 };
    int came[FDS_MAX];

    reach_settle(fd);
    while (reach_hear(fd, &order, came)) {
        reach_order(&state, &order, came);
        for (int i = 0; i < FDS_MAX; i++)
            if (came[i] >= 0)
                close(came[i]);
    }
    _exit(0);
}
