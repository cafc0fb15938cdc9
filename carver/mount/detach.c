/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/detach.c - see detach.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "carver/mount/detach.h"

/* The parent: until the child is ready, or has ended and said why. */
static enum err_code detach_wait(int from, pid_t child, enum exit_status *status, struct err *err)
{
    ssize_t got;
    char byte;
    int how = 0;

    do
        got = read(from, &byte, 1);
    while (got < 0 && errno == EINTR);
    *status = EXIT_DONE;
    if (got == 1)
        return ERR_OK;
    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(how)) {
        *status = (enum exit_status)WEXITSTATUS(how);
        return ERR_OK;
    }
    return ERR_RAISE(err, ERR_ENV, "the process for the background was ended by signal %d",
                     WTERMSIG(how));
}

enum err_code detach_start(struct detach *detach, bool *parent, enum exit_status *status,
                           struct err *err)
{
    int ends[2];

    *parent = false;
    detach->pipe = -1;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return ERR_RAISE(err, ERR_ENV, "no pipe: %s", strerror(errno));
    fflush(NULL);
    const pid_t pid = fork();
    if (pid < 0) {
        close(ends[0]);
        close(ends[1]);
        return ERR_RAISE(err, ERR_ENV, "no process for the background: %s", strerror(errno));
    }
    close(ends[pid > 0]);
    if (pid == 0) {
        detach->pipe = ends[1];
        return ERR_OK;
    }
    *parent = true;
    const enum err_code rc = detach_wait(ends[0], pid, status, err);
    close(ends[0]);
    return rc;
}

void detach_ready(struct detach *detach)
{
    const char byte = 'r';

    if (detach->pipe < 0)
        return;
    (void)setsid();
    fflush(NULL);
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int i = STDIN_FILENO; null >= 0 && i <= STDERR_FILENO; i++)
        dup2(null, i);
    if (null > STDERR_FILENO)
        close(null);
    const ssize_t told = write(detach->pipe, &byte, 1);
    (void)told;
    close(detach->pipe);
    detach->pipe = -1;
}
