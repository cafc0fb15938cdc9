/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/match/bench_match_crew.c - threads that start a task together, and what time it took
 * them. See bench_match.h. */
#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/thread.h"
#include "carver/bench/match/bench_match.h"

struct crew_member {
    struct bench_crew *crew;
    struct thread thread;
    uint32_t number;
    double begin, end, cpu; /* seconds, of the last task */
};

struct bench_crew {
    pthread_mutex_t gate; /* held until all members are there */
    pthread_barrier_t start, end;
    bool broken;                              /* some member could not be started */
    void (*task)(void *arg, uint32_t thread); /* NULL: go home */
    void *arg;
    uint32_t count; /* members that run */
    struct crew_member members[];
};

static double crew_clock(clockid_t clock)
{
    return (double)clock_now(clock) / 1e9;
}

static void crew_work(void *arg)
{
    struct crew_member *member = arg;
    struct bench_crew *crew = member->crew;

    pthread_mutex_lock(&crew->gate);
    const bool broken = crew->broken;
    pthread_mutex_unlock(&crew->gate);
    while (!broken) {
        pthread_barrier_wait(&crew->start);
        if (crew->task == NULL)
            break;
        const double cpu = crew_clock(CLOCK_THREAD_CPUTIME_ID);
        member->begin = crew_clock(CLOCK_MONOTONIC);
        crew->task(crew->arg, member->number);
        member->end = crew_clock(CLOCK_MONOTONIC);
        member->cpu = crew_clock(CLOCK_THREAD_CPUTIME_ID) - cpu;
        pthread_barrier_wait(&crew->end);
    }
}

static void crew_free(struct bench_crew *crew)
{
    for (uint32_t i = 0; i < crew->count; i++)
        thread_join(&crew->members[i].thread);
    pthread_barrier_destroy(&crew->start);
    pthread_barrier_destroy(&crew->end);
    pthread_mutex_destroy(&crew->gate);
    free(crew);
}

enum err_code bench_crew_open(uint32_t threads, struct bench_crew **out, struct err *err)
{
    const size_t size = sizeof(struct bench_crew) + threads * sizeof(struct crew_member);
    struct bench_crew *crew = calloc(1, size);
    enum err_code rc = ERR_OK;

    *out = NULL;
    if (crew == NULL)
        return ERR_NO_MEMORY(err, size);
    pthread_mutex_init(&crew->gate, NULL);
    pthread_barrier_init(&crew->start, NULL, threads + 1);
    pthread_barrier_init(&crew->end, NULL, threads + 1);
    pthread_mutex_lock(&crew->gate);
    for (uint32_t i = 0; i < threads && rc == ERR_OK; i++) {
        crew->members[i] = (struct crew_member){ .crew = crew, .number = i };
        rc = thread_start(&crew->members[i].thread, "crew", crew_work, &crew->members[i], err);
        crew->count += rc == ERR_OK;
    }
    crew->broken = rc != ERR_OK;
    pthread_mutex_unlock(&crew->gate);
    if (rc != ERR_OK) {
        crew_free(crew);
        err_while(err, "starting %u of them; ask for fewer with --threads", threads);
        return rc;
    }
    *out = crew;
    return ERR_OK;
}

void bench_crew_close(struct bench_crew *crew)
{
    if (crew == NULL)
        return;
    crew->task = NULL;
    pthread_barrier_wait(&crew->start);
    crew_free(crew);
}

uint32_t bench_crew_threads(const struct bench_crew *crew)
{
    return crew->count;
}

struct bench_time bench_crew_run(struct bench_crew *crew, void (*task)(void *arg, uint32_t thread),
                                 void *arg)
{
    struct bench_time time = { .share = 1 };
    double begin = 0, end = 0;

    crew->task = task;
    crew->arg = arg;
    pthread_barrier_wait(&crew->start);
    pthread_barrier_wait(&crew->end);
    for (uint32_t i = 0; i < crew->count; i++) {
        const struct crew_member *member = &crew->members[i];
        const double share = member->cpu / (member->end - member->begin + 1e-9);

        begin = i == 0 || member->begin < begin ? member->begin : begin;
        end = i == 0 || member->end > end ? member->end : end;
        time.cpu = member->cpu > time.cpu ? member->cpu : time.cpu;
        if (member->end - member->begin > 1e-4 && share < time.share)
            time.share = share;
    }
    time.wall = end - begin;
    return time;
}
