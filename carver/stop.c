/* carver/stop.c - see stop.h. Holds the one static variable of the program: a signal handler has no other way to speak. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "carver/command.h"
#include "carver/stop.h"

enum {
    STOP_AGAIN_NS = 500000000,
    STOP_LOOK_MS = 100, /* between two looks whether a stop is asked for */
};

static _Atomic uint64_t stop_since; /* nanoseconds; 0: not yet */

static void stop_handle(int signal)
{
    const uint64_t now = clock_now(CLOCK_MONOTONIC);
    uint64_t since = 0;

    (void)signal;
    if (!atomic_compare_exchange_strong(&stop_since, &since, now) && now - since >= STOP_AGAIN_NS)
        _exit(EXIT_SIGNAL);
}

bool stop_requested(void)
{
    return atomic_load_explicit(&stop_since, memory_order_relaxed) != 0;
}

ssize_t stop_read(int fd, void *bytes, size_t len)
{
    struct pollfd wait = { .fd = fd, .events = POLLIN };

    /* The signal may come between the look and poll: so poll does not wait for long. */
    while (!stop_requested()) {
        const int ready = poll(&wait, 1, STOP_LOOK_MS);

        if (ready > 0)
            return read(fd, bytes, len);
        if (ready < 0 && errno != EINTR)
            return -1;
    }
    errno = EINTR;
    return -1;
}

enum err_code stop_install(struct err *err)
{
    static const int asks[] = { SIGINT, SIGTERM, SIGHUP };
    static const int errors[] = { SIGPIPE, SIGXFSZ };
    struct sigaction action = { .sa_handler = stop_handle, .sa_flags = SA_RESTART };
    struct sigaction before;

    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof asks / sizeof asks[0]; i++) {
        if (sigaction(asks[i], NULL, &before) != 0)
            goto failed;
        if (before.sa_handler != SIG_IGN && sigaction(asks[i], &action, NULL) != 0)
            goto failed;
    }
    action = (struct sigaction){ .sa_handler = SIG_IGN };
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (sigaction(errors[i], &action, NULL) != 0)
            goto failed;
    return ERR_OK;
failed:
    return ERR_RAISE(err, ERR_ENV, "cannot install signal handlers: %s", strerror(errno));
}
