/* SPDX-License-Identifier: Apache-2.0
 * tests/base/test_pool.c - jobs are run once each, by the pool's threads, in their order. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/pool.h"
#include "tests/match/match_test.h"

enum { JOBS = 500 };

struct counted {
    struct pool_job job;
    _Atomic uint32_t runs;
    uint32_t begun; /* jobs that began before it */
    pthread_t by;
};

static _Atomic uint32_t begun, running, most_running;

static void count(void *arg)
{
    struct counted *counted = arg;
    const uint32_t now = atomic_fetch_add(&running, 1) + 1;
    uint32_t most = atomic_load(&most_running);

    while (now > most && !atomic_compare_exchange_weak(&most_running, &most, now))
        ;
    counted->begun = atomic_fetch_add(&begun, 1);
    counted->by = pthread_self();
    atomic_fetch_add(&counted->runs, 1);
    sched_yield();
    atomic_fetch_sub(&running, 1);
}

static struct pool *open_pool(uint32_t threads)
{
    struct pool *pool = NULL;

    TEST_OK(pool_open(threads, &pool, &test_err));
    atomic_store(&begun, 0);
    atomic_store(&most_running, 0);
    return pool;
}

/* Whoever runs them: each once, never by the one that waits, and never more at a time than there
 * are threads. */
static void every_job_is_run_once(void **state)
{
    static const uint32_t threads[] = { 1, 2, 5 };

    (void)state;
    for (uint32_t t = 0; t < 3; t++) {
        struct counted *jobs = calloc(JOBS, sizeof *jobs);
        struct pool *pool = open_pool(threads[t]);

        assert_non_null(jobs);
        for (uint32_t i = 0; i < JOBS; i++) {
            jobs[i].job = (struct pool_job){ .run = count, .arg = &jobs[i] };
            pool_submit(pool, &jobs[i].job);
            if (i % 7 == 6)
                pool_wait(pool, &jobs[i - 5].job);
        }
        for (uint32_t i = 0; i < JOBS; i++) {
            pool_wait(pool, &jobs[i].job);
            assert_int_equal(jobs[i].runs, 1);
            assert_false(pthread_equal(jobs[i].by, pthread_self()));
        }
        pool_close(pool);
        for (uint32_t i = 0; i < JOBS; i++)
            assert_int_equal(jobs[i].runs, 1);
        assert_true(most_running <= threads[t]);
        free(jobs);
    }
}

/* One thread takes them from the queue as they were put there. */
static void jobs_begin_in_their_order(void **state)
{
    struct counted *jobs = calloc(JOBS, sizeof *jobs);
    struct pool *pool = open_pool(1);

    (void)state;
    assert_non_null(jobs);
    for (uint32_t i = 0; i < JOBS; i++) {
        jobs[i].job = (struct pool_job){ .run = count, .arg = &jobs[i] };
        pool_submit(pool, &jobs[i].job);
    }
    pool_close(pool);
    for (uint32_t i = 0; i < JOBS; i++)
        assert_int_equal(jobs[i].begun, i);
    free(jobs);
}

/* A job's memory may be used for the next one as soon as it was waited for. */
static void a_job_is_submitted_again(void **state)
{
    struct counted one = { .job = { .run = count, .arg = &one } };
    struct pool *pool = open_pool(2);

    (void)state;
    pool_wait(pool, &one.job); /* was never submitted */
    assert_int_equal(one.runs, 0);
    for (uint32_t i = 0; i < JOBS; i++) {
        pool_submit(pool, &one.job);
        pool_wait(pool, &one.job);
        assert_int_equal(one.runs, i + 1);
    }
    pool_close(pool);
}

enum { MET_YIELDS = 10000000 };

/* Two jobs, each of which waits for the other to begin. */
static _Atomic uint32_t arrived, met;

static void meet(void *arg)
{
    (void)arg;
    atomic_fetch_add(&arrived, 1);
    for (uint32_t i = 0; i < MET_YIELDS && atomic_load(&arrived) < 2; i++)
        sched_yield();
    atomic_fetch_add(&met, atomic_load(&arrived) == 2);
}

/* As many jobs run at a time as there are threads, also when the threads have slept. */
static void all_threads_are_woken(void **state)
{
    struct pool_job jobs[2] = { { .run = meet }, { .run = meet } };
    struct pool *pool = open_pool(2);

    (void)state;
    for (uint32_t i = 0; i < 1000; i++)
        sched_yield();
    pool_submit(pool, &jobs[0]);
    pool_submit(pool, &jobs[1]);
    pool_wait(pool, &jobs[0]);
    pool_wait(pool, &jobs[1]);
    assert_int_equal(met, 2);
    pool_close(pool);
}

/* Jobs that nobody waits for are run before the pool goes. */
static void closing_works_off_the_queue(void **state)
{
    struct counted jobs[3] = { 0 };
    struct pool *pool = open_pool(1);

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        jobs[i].job = (struct pool_job){ .run = count, .arg = &jobs[i] };
        pool_submit(pool, &jobs[i].job);
    }
    pool_close(pool);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(jobs[i].runs, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_job_is_run_once),       cmocka_unit_test(jobs_begin_in_their_order),
        cmocka_unit_test(a_job_is_submitted_again),    cmocka_unit_test(all_threads_are_woken),
        cmocka_unit_test(closing_works_off_the_queue),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
