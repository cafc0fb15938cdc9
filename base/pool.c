/* SPDX-License-Identifier: Apache-2.0
 * base/pool.c - see pool.h. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "base/pool.h"
#include "base/thread.h"

/*
 * Looks before a thread goes to sleep: a job may take some ten microseconds only, and to sleep and
 * be woken costs as much.
 */
enum { POOL_TRIES = 40 };

struct pool {
    pthread_mutex_t lock; /* guards all below but threads; what is atomic changes under it alone */
    pthread_cond_t filled, finished;
    struct pool_job *first, *last; /* the queue */
    bool closing;
    atomic_bool wanted; /* there is a job in the queue, or the end */
    uint32_t thread_count;
    struct thread threads[];
};

/*
 * Lets others run for a while, or until the flag is as it is to be. Called with the lock held,
 * which is free meanwhile: threads that look for work would be in the way of the one that brings
 * some.
 */
static void pool_look(struct pool *pool, const atomic_bool *flag, bool until)
{
    if (atomic_load(flag) == until)
        return;
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t tries = 0; tries < POOL_TRIES && atomic_load(flag) != until; tries++)
        sched_yield();
    pthread_mutex_lock(&pool->lock);
}

/* Runs the first job of the queue. Called with the lock held; lets it go meanwhile. */
static void pool_run(struct pool *pool)
{
    struct pool_job *job = pool->first;

    pool->first = job->next;
    atomic_store(&pool->wanted, pool->first != NULL || pool->closing);
    pthread_mutex_unlock(&pool->lock);
    job->run(job->arg);
    pthread_mutex_lock(&pool->lock);
    atomic_store(&job->pending, false);
    pthread_cond_signal(&pool->finished);
}

static void pool_thread(void *arg)
{
    struct pool *pool = arg;

    pthread_mutex_lock(&pool->lock);
    while (pool->first != NULL || !pool->closing) {
        pool_look(pool, &pool->wanted, true);
        while (pool->first == NULL && !pool->closing)
            pthread_cond_wait(&pool->filled, &pool->lock);
        if (pool->first != NULL)
            pool_run(pool);
    }
    pthread_mutex_unlock(&pool->lock);
}

static enum err_code pool_start(struct pool *pool, uint32_t threads, struct err *err)
{
    while (pool->thread_count < threads) {
        struct thread *thread = &pool->threads[pool->thread_count];
        const enum err_code rc = thread_start(thread, "pool", pool_thread, pool, err);

        if (rc != ERR_OK) {
            err_while(err, "starting %u of them", threads);
            return rc;
        }
        pool->thread_count++;
    }
    return ERR_OK;
}

enum err_code pool_open(uint32_t threads, struct pool **out, struct err *err)
{
    const size_t size = sizeof(struct pool) + threads * sizeof(struct thread);
    struct pool *pool = calloc(1, size);

    if (pool == NULL)
        return ERR_NO_MEMORY(err, size);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->filled, NULL);
    pthread_cond_init(&pool->finished, NULL);

    const enum err_code rc = pool_start(pool, threads, err);
    if (rc != ERR_OK) {
        pool_close(pool);
        return rc;
    }
    *out = pool;
    return ERR_OK;
}

void pool_close(struct pool *pool)
{
    if (pool == NULL)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    atomic_store(&pool->wanted, true);
    pthread_cond_broadcast(&pool->filled);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 0; i < pool->thread_count; i++)
        thread_join(&pool->threads[i]);
    pthread_cond_destroy(&pool->finished);
    pthread_cond_destroy(&pool->filled);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

void pool_submit(struct pool *pool, struct pool_job *job)
{
    pthread_mutex_lock(&pool->lock);
    assert(!atomic_load(&job->pending) && !pool->closing);
    atomic_store(&job->pending, true);
    atomic_store(&pool->wanted, true);
    job->next = NULL;
    if (pool->first == NULL)
        pool->first = job;
    else
        pool->last->next = job;
    pool->last = job;
    pthread_cond_signal(&pool->filled);
    pthread_mutex_unlock(&pool->lock);
}

void pool_wait(struct pool *pool, struct pool_job *job)
{
    pthread_mutex_lock(&pool->lock);
    pool_look(pool, &job->pending, false);
    while (atomic_load(&job->pending))
        pthread_cond_wait(&pool->finished, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}
