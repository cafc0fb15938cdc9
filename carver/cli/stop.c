/* carver/cli/stop.c - see stop.h. Has the static variables of the program: signal handlers have no
 * other way to speak. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "carver/cli/command.h"
#include "carver/cli/stop.h"

enum {
    STOP_AGAIN_NS = 500000000,
    STOP_LOOK_MS = 100, /* between two looks whether a stop is asked for */
    STOP_SECONDS = 2,
    STOP_SECONDS_MAX = 3600,
};

static _Atomic uint64_t stop_since; /* nanoseconds; 0: not yet */
static _Atomic uint32_t stop_held;  /* holds that are not released */
static unsigned stop_seconds = STOP_SECONDS;

static void stop_handle(int signal)
{
    const uint64_t now = clock_now(CLOCK_MONOTONIC);
    uint64_t since = 0;

    (void)signal;
    if (atomic_compare_exchange_strong(&stop_since, &since, now))
        alarm(stop_seconds);
    else if (now - since >= STOP_AGAIN_NS)
        _exit(EXIT_SIGNAL);
}

/* The program has not come to its end in time. */
static void stop_late(int signal)
{
    static const char text[] = "burin: stopped at once, because it did not end in time; everything "
                               "recorded until now is kept\n";

    (void)signal;
    if (atomic_load(&stop_held) > 0) {
        alarm(1);
        return;
    }
    const ssize_t told = write(STDERR_FILENO, text, sizeof text - 1);
    (void)told;
    _exit(EXIT_SIGNAL);
}

void stop_hold(void)
{
    atomic_fetch_add(&stop_held, 1);
}

void stop_release(void)
{
    atomic_fetch_sub(&stop_held, 1);
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

static void stop_read_seconds(void)
{
    const char *text = getenv("BURIN_STOP_SECONDS");
    const unsigned long seconds = text != NULL ? strtoul(text, NULL, 10) : 0;

    if (seconds > 0 && seconds <= STOP_SECONDS_MAX)
        stop_seconds = (unsigned)seconds;
}

enum err_code stop_install(struct err *err)
{
    static const int asks[] = { SIGINT, SIGTERM, SIGHUP };
    static const int errors[] = { SIGPIPE, SIGXFSZ };
    struct sigaction action = { .sa_handler = stop_handle, .sa_flags = SA_RESTART };
    const struct sigaction late = { .sa_handler = stop_late };
    struct sigaction before;

    stop_read_seconds();
    if (sigaction(SIGALRM, &late, NULL) != 0)
        goto failed;
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
