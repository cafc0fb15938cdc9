/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/interrupt.c - see interrupt.h. Has the static variables of the program: signal
 * handlers have no other way to speak. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "carver/cli/command.h"
#include "carver/cli/interrupt.h"

enum {
    INTERRUPT_AGAIN_NS = 500000000,
    INTERRUPT_LOOK_MS = 100, /* between two looks whether a stop is asked for */
    INTERRUPT_SECONDS = 2,
    INTERRUPT_SECONDS_MAX = 3600,
};

static _Atomic uint64_t interrupt_since; /* nanoseconds; 0: not yet */
static _Atomic uint32_t interrupt_held;  /* holds that are not released */
static unsigned interrupt_seconds = INTERRUPT_SECONDS;

static void interrupt_handle(int signal)
{
    const uint64_t now = clock_now(CLOCK_MONOTONIC);
    uint64_t since = 0;

    (void)signal;
    if (atomic_compare_exchange_strong(&interrupt_since, &since, now))
        alarm(interrupt_seconds);
    else if (now - since >= INTERRUPT_AGAIN_NS)
        _exit(EXIT_SIGNAL);
}

/* The program has not come to its end in time. */
static void interrupt_late(int signal)
{
    static const char text[] = "burin: stopped at once, because it did not end in time; everything "
                               "recorded until now is kept\n";

    (void)signal;
    if (atomic_load(&interrupt_held) > 0) {
        alarm(1);
        return;
    }
    const ssize_t told = write(STDERR_FILENO, text, sizeof text - 1);
    (void)told;
    _exit(EXIT_SIGNAL);
}

void interrupt_hold(void)
{
    atomic_fetch_add(&interrupt_held, 1);
}

void interrupt_release(void)
{
    atomic_fetch_sub(&interrupt_held, 1);
}

bool interrupt_requested(void)
{
    return atomic_load_explicit(&interrupt_since, memory_order_relaxed) != 0;
}

ssize_t stop_read(int fd, void *bytes, size_t len)
{
    struct pollfd wait = { .fd = fd, .events = POLLIN };

    /* The signal may come between the look and poll: so poll does not wait for long. */
    while (!interrupt_requested()) {
        const int ready = poll(&wait, 1, INTERRUPT_LOOK_MS);

        if (ready > 0)
            return read(fd, bytes, len);
        if (ready < 0 && errno != EINTR)
            return -1;
    }
    errno = EINTR;
    return -1;
}

static void interrupt_read_seconds(void)
{
    const char *text = getenv("BURIN_STOP_SECONDS");
    const unsigned long seconds = text != NULL ? strtoul(text, NULL, 10) : 0;

    if (seconds > 0 && seconds <= INTERRUPT_SECONDS_MAX)
        interrupt_seconds = (unsigned)seconds;
}

enum err_code interrupt_install(struct err *err)
{
    static const int asks[] = { SIGINT, SIGTERM, SIGHUP };
    static const int errors[] = { SIGPIPE, SIGXFSZ };
    struct sigaction action = { .sa_handler = interrupt_handle, .sa_flags = SA_RESTART };
    const struct sigaction late = { .sa_handler = interrupt_late };
    struct sigaction before;

    interrupt_read_seconds();
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
