/*
 * base/pool.h - a pool of threads that run the jobs of a queue in the order of submission.
 *
 * One thread, the submitter, calls pool_submit, pool_help and pool_wait. A job's memory is the
 * submitter's: it stays unchanged from pool_submit until pool_wait returns. No memory is allocated
 * after pool_open, because jobs are linked into the queue.
 */
#ifndef BURIN_BASE_POOL_H
#define BURIN_BASE_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct pool; /* owned by the caller of pool_open */

struct pool_job {
    void (*run)(void *arg);
    /*
     * Called before run, by the same thread. The pool calls it for one job at a time, in the order
     * of submission. Or NULL.
     */
    void (*before)(void *arg);
    void *arg;             /* the argument of both */
    struct pool_job *next; /* set by the pool */
    bool pending;          /* set by the pool: the job was submitted and run has not returned */
};

/* Starts the threads. Errors: ERR_ENV for no memory, or when a thread cannot be started. */
ERR_MUST_CHECK enum err_code pool_open(uint32_t threads, struct pool **out, struct err *err);
void pool_close(struct pool *pool); /* runs what is in the queue first; NULL is a no-op */

/* Appends a job to the queue and returns at once. */
void pool_submit(struct pool *pool, struct pool_job *job);

/*
 * From now on the submitter runs jobs too, in pool_help and pool_wait. The pool wakes a thread only
 * when more than `jobs` jobs wait in the queue. A sleeping thread wakes slowly, and where there are
 * few processors it takes one from another program.
 */
void pool_leave(struct pool *pool, uint32_t jobs);

/*
 * From now on the submitter runs jobs too and takes the place of one of the pool's threads. All of
 * them look for work for a while before they sleep. This suits jobs of some ten microseconds whose
 * `before` takes as long: the next job can always be run soon.
 */
void pool_share(struct pool *pool);

/*
 * Runs one job that no thread has taken. Returns false when there is none, or when the pool already
 * runs as many jobs as it was opened with threads. Needs pool_leave or pool_share.
 */
bool pool_help(struct pool *pool);

/* Waits until the job has been run. Returns at once for a job that was never submitted. */
void pool_wait(struct pool *pool, struct pool_job *job);

#endif
