/* SPDX-License-Identifier: Apache-2.0
 * base/thread.c - see thread.h. */
#include "base/thread.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

enum { THREAD_NAME_MAX = 16 }; /* bytes with the NUL, of which the kernel keeps no more */

/* The thread names itself: to name another is to write a file of /proc, which a jail forbids. */
static void *thread_run(void *arg)
{
    const struct thread *thread = arg;
    char name[THREAD_NAME_MAX];

    snprintf(name, sizeof name, "burin-%s", thread->name);
    (void)prctl(PR_SET_NAME, name, 0, 0, 0);
    thread->run(thread->arg);
    return NULL;
}

static void thread_signals(sigset_t *out)
{
    static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS };

    sigfillset(out);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        sigdelset(out, faults[i]);
}

enum err_code thread_start(struct thread *out, const char *name, void (*run)(void *arg), void *arg,
                           struct err *err)
{
    sigset_t blocked, before;

    *out = (struct thread){ .started = true, .name = name, .run = run, .arg = arg };
    thread_signals(&blocked);
    pthread_sigmask(SIG_BLOCK, &blocked, &before); /* a new thread has its parent's */
    const int status = pthread_create(&out->id, NULL, thread_run, out);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (status == 0)
        return ERR_OK;
    out->started = false;
    return ERR_RAISE_LACK(
        err, ERR_LACK_THREADS,
        "the thread '%s' cannot be started: %s; end other programs, or allow more "
        "threads (ulimit -u)",
        name, strerror(status));
}

/* On Linux each thread has its own: 0 is the calling one. */
void thread_give_way(int steps)
{
    (void)setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + steps);
}

void thread_join(struct thread *thread)
{
    if (!thread->started)
        return;
    pthread_join(thread->id, NULL);
    thread->started = false;
}
