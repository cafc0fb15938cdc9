/* SPDX-License-Identifier: Apache-2.0
 * base/pool.h - a pool of threads that run the jobs of a queue in the order of submission.
 *
 * One thread, the submitter, calls pool_submit, and one pool_wait: the same, or another one, which
 * waits for jobs of which it knows that they were submitted. A job's memory is theirs: it stays
 * unchanged from pool_submit until pool_wait returns. No memory is allocated after pool_open,
 * because jobs are linked into the queue.
 */
#ifndef BURIN_BASE_POOL_H
#define BURIN_BASE_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct pool; /* owned by the caller of pool_open */

struct pool_job {
    void (*run)(void *arg);
    void *arg;
    struct pool_job *next; /* set by the pool */
    atomic_bool pending;   /* set by the pool: the job was submitted and run has not returned */
};

/* Starts the threads. Errors: ERR_ENV for no memory, or when a thread cannot be started. */
ERR_MUST_CHECK enum err_code pool_open(uint32_t threads, struct pool **out, struct err *err);
void pool_close(struct pool *pool); /* runs what is in the queue first; NULL is a no-op */

/* Appends a job to the queue and returns at once. */
void pool_submit(struct pool *pool, struct pool_job *job);

/*
 * Waits until one of the pool's threads has run the job. Returns at once for a job that was never
 * submitted.
 */
void pool_wait(struct pool *pool, struct pool_job *job);

#endif
