/* base/pool.c - see pool.h. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/pool.h"
#include "base/thread.h"

enum {
    POOL_TRIES = 40,       /* looks before a thread goes to sleep, */
    POOL_LOOK_NS = 200000, /* or time of looking, in a pool that is shared; */
    POOL_PATIENT = 15, /* times at most that it sleeps at once there after looks in vain, as when
                          the disk is slow */
};

/* A thread's own. */
struct pool_patience {
    uint32_t left; /* times that it still sleeps at once */
    uint32_t last; /* times that it did after the last look in vain: something may have held the
                      others up once */
};

struct pool {
    pthread_mutex_t lock; /* guards all below but threads */
    pthread_cond_t filled, finished;
    struct pool_job *first, *last; /* the queue, */
    uint32_t queued, running;      /* jobs in it, and taken from it */
    uint32_t most;                 /* that may run at a time */
    uint32_t left;                 /* see pool_leave */
    uint32_t looking;              /* threads that look for a job */
    _Atomic uint32_t changes; /* how often there was something new, for them; the lock need not be
                                 held to read it */
    uint32_t surplus;         /* threads that are to end */
    uint32_t sleeping;        /* threads that sleep */
    bool waiting;             /* the submitter sleeps */
    struct pool_patience patience; /* the submitter's */
    bool beginning;                /* some job's `before` runs */
    bool helped, shared, closing;
    uint32_t thread_count;
    struct thread threads[];
};

/* Lets others run. A job takes some ten microseconds, and to sleep and be woken costs as much. */
static void pool_yield(struct pool *pool)
{
    pthread_mutex_unlock(&pool->lock);
    sched_yield();
    pthread_mutex_lock(&pool->lock);
}

/* The same until something has changed, but no longer than until `until`; away from the lock, which
 * others would have to sleep for. */
static void pool_yield_until(struct pool *pool, uint64_t until)
{
    const uint32_t seen = atomic_load_explicit(&pool->changes, memory_order_relaxed);

    pthread_mutex_unlock(&pool->lock);
    do
        sched_yield();
    while (atomic_load_explicit(&pool->changes, memory_order_relaxed) == seen &&
           clock_now(CLOCK_MONOTONIC) < until);
    pthread_mutex_lock(&pool->lock);
}

/* There may be something to do for those who look. Called with the lock held. */
static void pool_changed(struct pool *pool)
{
    atomic_fetch_add_explicit(&pool->changes, 1, memory_order_relaxed);
}

/* Whether there is a job for one more: the submitter may be running one, too. */
static bool pool_may_run(const struct pool *pool)
{
    return pool->first != NULL && pool->running < pool->most &&
           !(pool->first->before != NULL && pool->beginning);
}

/* Wakes a thread for a job that can be run, unless one looks for it anyway. Called with the lock
 * held. */
static void pool_wake(struct pool *pool)
{
    if (pool->shared ? pool->looking > 0 || !pool_may_run(pool) : pool->queued <= pool->left)
        return;
    if (pool->shared && pool->sleeping == 0 && pool->waiting)
        pthread_cond_signal(&pool->finished);
    else
        pthread_cond_signal(&pool->filled);
}

static void pool_run_before(struct pool *pool, struct pool_job *job)
{
    pool->beginning = true;
    pthread_mutex_unlock(&pool->lock);
    job->before(job->arg);
    pthread_mutex_lock(&pool->lock);
    pool->beginning = false;
    pool_changed(pool);
    pool_wake(pool);
}

/* Runs the first job of the queue. Called with the lock held; lets it go meanwhile. */
static void pool_run(struct pool *pool)
{
    struct pool_job *job = pool->first;

    pool->first = job->next;
    pool->queued--;
    pool->running++;
    if (job->before != NULL)
        pool_run_before(pool, job);
    pthread_mutex_unlock(&pool->lock);
    job->run(job->arg);
    pthread_mutex_lock(&pool->lock);
    pool->running--;
    job->pending = false;
    pool_changed(pool);
    pthread_cond_broadcast(&pool->finished);
}

/* Whether a thread, or the submitter who waits for `job`, has something to do. */
static bool pool_found(const struct pool *pool, const struct pool_job *job)
{
    if (job != NULL)
        return !job->pending || (pool->helped && pool_may_run(pool));
    return pool_may_run(pool) || pool->closing || pool->surplus > 0;
}

static void pool_look_shared(struct pool *pool, const struct pool_job *job,
                             struct pool_patience *patience)
{
    const uint64_t until = clock_now(CLOCK_MONOTONIC) + POOL_LOOK_NS;

    if (patience->left > 0 && !pool_found(pool, job)) {
        patience->left--;
        return;
    }
    pool->looking++;
    while (!pool_found(pool, job) && clock_now(CLOCK_MONOTONIC) < until)
        pool_yield_until(pool, until);
    pool->looking--;
    patience->last = pool_found(pool, job)           ? 0
                     : patience->last < POOL_PATIENT ? patience->last * 2 + 1
                                                     : POOL_PATIENT;
    patience->left = patience->last;
}

/* Looks for a job, or for `job` to be done, for a while. Called with the lock held. */
static void pool_look(struct pool *pool, const struct pool_job *job, struct pool_patience *patience)
{
    if (pool->shared) {
        pool_look_shared(pool, job, patience);
        return;
    }
    for (uint32_t tries = 0; !pool_found(pool, job) && tries < POOL_TRIES; tries++)
        pool_yield(pool);
}

static void pool_thread(void *arg)
{
    struct pool *pool = arg;
    struct pool_patience patience = { 0 };

    pthread_mutex_lock(&pool->lock);
    for (;;) {
        if (!pool->helped || pool->shared)
            pool_look(pool, NULL, &patience);
        while (!pool_found(pool, NULL)) {
            pool->sleeping++;
            pthread_cond_wait(&pool->filled, &pool->lock);
            pool->sleeping--;
        }
        if (pool->surplus > 0 && !pool->closing) {
            pool->surplus--;
            break;
        }
        if (pool_may_run(pool))
            pool_run(pool);
        else if (pool->closing && pool->first == NULL)
            break;
        else if (pool->closing)
            pool_yield(pool);
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

    pool->most = threads;
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
    pool_changed(pool);
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
    assert(!job->pending && !pool->closing);
    job->pending = true;
    job->next = NULL;
    if (pool->first == NULL)
        pool->first = job;
    else
        pool->last->next = job;
    pool->last = job;
    pool->queued++;
    pool_changed(pool);
    pool_wake(pool);
    pthread_mutex_unlock(&pool->lock);
}

void pool_leave(struct pool *pool, uint32_t jobs)
{
    pthread_mutex_lock(&pool->lock);
    pool->left = jobs;
    pool->helped = true;
    pthread_mutex_unlock(&pool->lock);
}

void pool_share(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->helped = true;
    pool->shared = true;
    pool->surplus = 1; /* its place is the submitter's */
    pool_changed(pool);
    pthread_cond_broadcast(&pool->filled);
    pthread_mutex_unlock(&pool->lock);
}

/* With the lock held: runs a job if the submitter is one who helps and there is one. */
static bool pool_help_locked(struct pool *pool)
{
    if (!pool->helped || !pool_may_run(pool))
        return false;
    pool_run(pool);
    pool_wake(pool); /* for a thread that was one too many until now */
    return true;
}

bool pool_help(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    const bool helped = pool_help_locked(pool);
    pthread_mutex_unlock(&pool->lock);
    return helped;
}

void pool_wait(struct pool *pool, struct pool_job *job)
{
    pthread_mutex_lock(&pool->lock);
    while (job->pending) {
        if (pool_help_locked(pool))
            continue;
        pool_look(pool, job, &pool->patience);
        if (pool_found(pool, job))
            continue;
        pool->waiting = true;
        pthread_cond_wait(&pool->finished, &pool->lock);
        pool->waiting = false;
    }
    if (pool->shared)
        pool_wake(pool); /* for what was left to the submitter, who has something else to do now */
    pthread_mutex_unlock(&pool->lock);
}
