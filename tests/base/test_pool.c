/* tests/base/test_pool.c - jobs are run once each, by the pool's threads or by the thread that
 * waits for them. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/pool.h"
#include "tests/match/match_test.h"

enum { JOBS = 500 };

struct counted {
    struct pool_job job;
    _Atomic uint32_t runs;
    pthread_t by;
};

static _Atomic uint32_t running, most_running;

static void count(void *arg)
{
    struct counted *counted = arg;
    const uint32_t now = atomic_fetch_add(&running, 1) + 1;
    uint32_t most = atomic_load(&most_running);

    while (now > most && !atomic_compare_exchange_weak(&most_running, &most, now))
        ;
    counted->by = pthread_self();
    atomic_fetch_add(&counted->runs, 1);
    sched_yield();
    atomic_fetch_sub(&running, 1);
}

static struct pool *open_pool(uint32_t threads, uint32_t left)
{
    struct pool *pool = NULL;

    TEST_OK(pool_open(threads, &pool, &test_err));
    if (left > 0)
        pool_leave(pool, left);
    return pool;
}

/* Whoever runs them: each once, and never more at a time than there are threads. */
static void every_job_is_run_once(void **state)
{
    static const uint32_t threads[] = { 1, 2, 5 };

    (void)state;
    for (uint32_t t = 0; t < 3; t++)
        for (uint32_t left = 0; left < 4; left++) {
            struct counted *jobs = calloc(JOBS, sizeof *jobs);
            struct pool *pool = open_pool(threads[t], left);

            assert_non_null(jobs);
            atomic_store(&most_running, 0);
            for (uint32_t i = 0; i < JOBS; i++) {
                jobs[i].job = (struct pool_job){ .run = count, .arg = &jobs[i] };
                pool_submit(pool, &jobs[i].job);
                if (i % 7 == 6)
                    pool_wait(pool, &jobs[i - 5].job);
                if (i % 11 == 10)
                    (void)pool_help(pool);
            }
            for (uint32_t i = 0; i < JOBS; i++)
                pool_wait(pool, &jobs[i].job);
            pool_close(pool);
            for (uint32_t i = 0; i < JOBS; i++)
                assert_int_equal(jobs[i].runs, 1);
            assert_true(most_running <= threads[t]);
            free(jobs);
        }
}

/* No thread is woken for a job that is left to the one that waits: it runs it itself, unless a
 * thread was just awake. */
static void jobs_left_are_run_by_the_one_who_waits(void **state)
{
    struct counted one = { .job = { .run = count, .arg = &one } };
    struct pool *pool = open_pool(2, 1);
    uint32_t own = 0;

    (void)state;
    for (uint32_t i = 0; i < JOBS; i++) {
        pool_submit(pool, &one.job);
        pool_wait(pool, &one.job);
        assert_false(pool_help(pool));
        own += pthread_equal(one.by, pthread_self()) != 0;
    }
    assert_int_equal(one.runs, JOBS);
    assert_true(own > 0);
    pool_close(pool);
}

struct ordered {
    struct counted counted;
    uint32_t number;
    uint32_t *next; /* number of the one that begins next */
};

static _Atomic uint32_t beginning;

/* Nobody else begins meanwhile, so `next` needs no lock. */
static void begin(void *arg)
{
    const struct ordered *ordered = arg;

    assert_int_equal(atomic_fetch_add(&beginning, 1), 0);
    assert_int_equal(ordered->number, (*ordered->next)++);
    if (ordered->number % 3 == 0)
        sched_yield();
    atomic_fetch_sub(&beginning, 1);
}

static void count_ordered(void *arg)
{
    count(&((struct ordered *)arg)->counted);
}

/* Jobs begin one at a time in their order, whoever runs them, and as many run as there are threads:
 * the submitter is one of them. */
static void shared_jobs_begin_in_turn(void **state)
{
    static const uint32_t threads[] = { 2, 3, 5 };

    (void)state;
    for (uint32_t t = 0; t < 9; t++) {
        struct ordered *jobs = calloc(JOBS, sizeof *jobs);
        struct pool *pool = open_pool(threads[t % 3], 0);
        uint32_t next = 0, waited = 0;

        assert_non_null(jobs);
        pool_share(pool);
        atomic_store(&most_running, 0);
        for (uint32_t i = 0; i < JOBS; i++) {
            jobs[i] = (struct ordered){ .number = i, .next = &next };
            jobs[i].counted.job =
                (struct pool_job){ .run = count_ordered, .before = begin, .arg = &jobs[i] };
            pool_submit(pool, &jobs[i].counted.job);
            while (t / 3 == 0 && i - waited > 8)
                pool_wait(pool, &jobs[waited++].counted.job);
            if (t / 3 == 1 && i % 100 == 99)
                sched_yield();
        }
        for (; t / 3 < 2 && waited < JOBS; waited++)
            pool_wait(pool, &jobs[waited].counted.job);
        pool_close(pool);
        for (uint32_t i = 0; i < JOBS; i++)
            assert_int_equal(jobs[i].counted.runs, 1);
        assert_int_equal(next, JOBS);
        assert_true(most_running <= threads[t % 3]);
        free(jobs);
    }
}

enum { SLOW_US = 20000, MET_US = 5000000 };

/* Two jobs that are to meet: the first one waits for the second one to begin. */
struct meeting {
    struct pool_job first, second;
    _Atomic bool first_begins, second_begins, met;
};

static void meet_begin_first(void *arg)
{
    struct meeting *meeting = arg;

    atomic_store(&meeting->first_begins, true);
    usleep(SLOW_US); /* the submitter no longer looks, and sleeps */
}

static void meet_begin_second(void *arg)
{
    atomic_store(&((struct meeting *)arg)->second_begins, true);
}

static void meet_first(void *arg)
{
    struct meeting *meeting = arg;

    for (uint32_t us = 0; us < MET_US && !atomic_load(&meeting->second_begins); us += 100)
        usleep(100);
    atomic_store(&meeting->met, atomic_load(&meeting->second_begins));
}

static void meet_second(void *arg)
{
    (void)arg;
}

/* A slow start of one job has put the submitter to sleep: it is woken when the next job can begin,
 * not when the first one has ended. */
static void a_sleeping_submitter_is_woken_for_its_turn(void **state)
{
    struct meeting meeting = {
        .first = { .before = meet_begin_first, .run = meet_first, .arg = &meeting },
        .second = { .before = meet_begin_second, .run = meet_second, .arg = &meeting }
    };
    struct pool *pool = open_pool(2, 0);

    (void)state;
    pool_share(pool);
    pool_submit(pool, &meeting.first);
    while (!atomic_load(&meeting.first_begins)) /* in the other thread */
        sched_yield();
    pool_submit(pool, &meeting.second);
    pool_wait(pool, &meeting.second);
    pool_wait(pool, &meeting.first);
    assert_true(meeting.met);
    pool_close(pool);
}

/* Without pool_leave the threads alone work. */
static void nobody_helps_who_did_not_say_so(void **state)
{
    struct counted job = { .job = { .run = count, .arg = &job } };
    struct pool *pool = open_pool(1, 0);

    (void)state;
    pool_submit(pool, &job.job);
    assert_false(pool_help(pool));
    pool_wait(pool, &job.job);
    assert_int_equal(job.runs, 1);
    assert_false(pthread_equal(job.by, pthread_self()));
    pool_close(pool);
}

/* Jobs that nobody waits for are run before the pool goes. */
static void closing_works_off_the_queue(void **state)
{
    struct counted jobs[3] = { 0 };
    struct pool *pool = open_pool(1, 5);

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
        cmocka_unit_test(every_job_is_run_once),
        cmocka_unit_test(jobs_left_are_run_by_the_one_who_waits),
        cmocka_unit_test(shared_jobs_begin_in_turn),
        cmocka_unit_test(nobody_helps_who_did_not_say_so),
        cmocka_unit_test(closing_works_off_the_queue),
        cmocka_unit_test(a_sleeping_submitter_is_woken_for_its_turn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
