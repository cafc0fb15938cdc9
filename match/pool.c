/* match/pool.c - see pool.h. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "match/pool.h"

enum { POOL_TRIES = 40 }; /* looks before a thread goes to sleep */

struct match_pool {
    pthread_mutex_t lock; /* guards all below but threads */
    pthread_cond_t filled, finished;
    struct match_job *first, *last; /* the queue, */
    uint32_t queued, running;       /* jobs in it, and taken from it */
    uint32_t left;                  /* see match_pool_leave */
    bool helped, closing;
    uint32_t thread_count;
    pthread_t threads[];
};

/* Lets others run. A job takes some ten microseconds, and to sleep and be woken costs as much. */
static void pool_yield(struct match_pool *pool)
{
    pthread_mutex_unlock(&pool->lock);
    sched_yield();
    pthread_mutex_lock(&pool->lock);
}

/* Runs the first job of the queue. Called with the lock held; lets it go meanwhile. */
static void pool_run(struct match_pool *pool)
{
    struct match_job *job = pool->first;

    pool->first = job->next;
    pool->queued--;
    pool->running++;
    pthread_mutex_unlock(&pool->lock);
    job->run(job->arg);
    pthread_mutex_lock(&pool->lock);
    pool->running--;
    job->pending = false;
    pthread_cond_broadcast(&pool->finished);
}

/* Whether there is a job for one more: the submitter may be running one, too. */
static bool pool_may_run(const struct match_pool *pool)
{
    return pool->first != NULL && pool->running < pool->thread_count;
}

static void *pool_thread(void *arg)
{
    struct match_pool *pool = arg;

    pthread_mutex_lock(&pool->lock);
    for (;;) {
        for (uint32_t tries = 0; !pool->helped && !pool_may_run(pool) && !pool->closing && tries < POOL_TRIES; tries++)
            pool_yield(pool);
        while (!pool_may_run(pool) && !pool->closing)
            pthread_cond_wait(&pool->filled, &pool->lock);
        if (pool->first == NULL)
            break;
        pool_run(pool);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* Signals are the main thread's business: workers start with all of them blocked. */
static int pool_start(struct match_pool *pool, uint32_t threads)
{
    sigset_t all, before;
    int status = 0;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool->thread_count < threads && status == 0) {
        status = pthread_create(&pool->threads[pool->thread_count], NULL, pool_thread, pool);
        if (status == 0)
            pool->thread_count++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

enum err_code match_pool_open(uint32_t threads, struct match_pool **out, struct err *err)
{
    const size_t size = sizeof(struct match_pool) + threads * sizeof(pthread_t);
    struct match_pool *pool = calloc(1, size);

    if (pool == NULL)
        return ERR_NO_MEMORY(err, size);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->filled, NULL);
    pthread_cond_init(&pool->finished, NULL);

    const int status = pool_start(pool, threads);
    if (status != 0) {
        ERR_RAISE(err, ERR_ENV, "thread %u of %u cannot be started: %s; use fewer --threads", pool->thread_count + 1,
                  threads, strerror(status));
        match_pool_close(pool);
        return ERR_ENV;
    }
    *out = pool;
    return ERR_OK;
}

void match_pool_close(struct match_pool *pool)
{
    if (pool == NULL)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    pthread_cond_broadcast(&pool->filled);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 0; i < pool->thread_count; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->finished);
    pthread_cond_destroy(&pool->filled);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

void match_pool_submit(struct match_pool *pool, struct match_job *job)
{
    pthread_mutex_lock(&pool->lock);
    assert(!job->pending && !pool->closing);
    job->pending = true;
    job->next = NULL;
    if (pool->first == NULL)
        pool->first = job;
    else
        pool->last->next = job;
    pool->last = job;
    if (++pool->queued > pool->left)
        pthread_cond_signal(&pool->filled);
    pthread_mutex_unlock(&pool->lock);
}

void match_pool_leave(struct match_pool *pool, uint32_t jobs)
{
    pthread_mutex_lock(&pool->lock);
    pool->left = jobs;
    pool->helped = true;
    pthread_mutex_unlock(&pool->lock);
}

/* With the lock held: runs a job if the submitter is one who helps and there is one. */
static bool pool_help(struct match_pool *pool)
{
    if (!pool->helped || !pool_may_run(pool))
        return false;
    pool_run(pool);
    if (pool->queued > pool->left)
        pthread_cond_signal(&pool->filled); /* for a thread that was one too many until now */
    return true;
}

bool match_pool_help(struct match_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    const bool helped = pool_help(pool);
    pthread_mutex_unlock(&pool->lock);
    return helped;
}

void match_pool_wait(struct match_pool *pool, struct match_job *job)
{
    pthread_mutex_lock(&pool->lock);
    for (uint32_t tries = 0; job->pending && tries < POOL_TRIES; tries++)
        if (!pool_help(pool))
            pool_yield(pool);
    while (job->pending)
        if (!pool_help(pool))
            pthread_cond_wait(&pool->finished, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}
