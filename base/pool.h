/*
 * base/pool.h - threads that work off a queue of jobs, first come, first served.
 *
 * A job belongs to its submitter, who waits for it before touching its memory again. No memory is allocated after
 * pool_open: jobs are linked into the queue.
 */
#ifndef BURIN_BASE_POOL_H
#define BURIN_BASE_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct pool; /* owned by the caller of pool_open */

struct pool_job {
    void (*run)(void *arg);
    void (*before)(
        void *arg); /* done first, by the same thread, for one job at a time and in the order of submission; or NULL */
    void *arg;
    struct pool_job *next; /* the pool's, like pending */
    bool pending;          /* submitted, and not yet run to its end */
};

ERR_MUST_CHECK enum err_code pool_open(uint32_t threads, struct pool **out, struct err *err);
void pool_close(struct pool *pool); /* works off the queue; NULL is a no-op */

void pool_submit(struct pool *pool, struct pool_job *job);

/*
 * From now on the thread that submits works too: so many jobs may wait for it before a thread is woken for them, and while it waits it runs
 * what no thread has taken. A thread that sleeps is slow to wake, and where there are few processors it takes one from somebody else.
 */
void pool_leave(struct pool *pool, uint32_t jobs);

/*
 * From now on the thread that submits works too, as one more, and all of them look for work for a while before they sleep: for jobs of
 * some ten microseconds whose `before` is as long, so that there is always one to come soon.
 */
void pool_share(struct pool *pool);

/* Runs a job that no thread has taken; false when there is none, or as many are being run as the pool has threads. */
bool pool_help(struct pool *pool);

void pool_wait(struct pool *pool, struct pool_job *job); /* returns at once for a job never submitted */

#endif
