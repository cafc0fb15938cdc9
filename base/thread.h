/* SPDX-License-Identifier: Apache-2.0
 * base/thread.h - the one way to start a thread.
 *
 * A thread that is started here takes no signal, so that those that ask for a stop reach the main
 * thread, whose business they are. The signals of faults are not blocked: a
 * thread raises them itself, and a sanitizer reports them. A thread that a library starts, such as
 * OpenMP's, takes the signals that its caller takes.
 *
 * Threads: one thread starts and joins a given struct thread.
 */
#ifndef BURIN_BASE_THREAD_H
#define BURIN_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

#include "base/err.h"

/* A thread that may be running. All zero: none was started. */
struct thread {
    bool started; /* and not joined; the thread itself may read it */
    pthread_t id;
    const char *name;
    void (*run)(void *arg);
    void *arg;
};

/*
 * Calls run(arg) in a new thread with the default stack. name says in one word what the thread
 * does: top, ps and debuggers show it as burin-NAME, up to 15 bytes in all.
 *
 * Ownership  out lies still until thread_join returns; name is static text.
 * Errors     ERR_ENV: the system has no more threads or memory; out->started is false.
 */
enum err_code thread_start(struct thread *out, const char *name, void (*run)(void *arg), void *arg,
                           struct err *err) ERR_MUST_CHECK;

/*
 * From now on the calling thread leaves the processors to others where there are too few, as `nice`
 * has it: by so many steps more than before. Its own later threads begin as it is.
 */
void thread_give_way(int steps);

/* Waits until run has returned. Does nothing for a thread that was not started, or was joined. */
void thread_join(struct thread *thread);

#endif
