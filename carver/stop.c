/* carver/stop.c - see stop.h. Holds the one static variable of the program: a signal handler has no other way to speak. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "carver/command.h"
#include "carver/stop.h"

static volatile sig_atomic_t stop_flag;

static void stop_handle(int signal)
{
    (void)signal;
    if (stop_flag)
        _exit(EXIT_SIGNAL);
    stop_flag = 1;
}

bool stop_requested(void)
{
    return stop_flag != 0;
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
