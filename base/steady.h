/* SPDX-License-Identifier: Apache-2.0
 * base/steady.h - conditions that are waited for with an end, by the monotonic clock: that the wall
 * clock is set moves no end.
 */
#ifndef BURIN_BASE_STEADY_H
#define BURIN_BASE_STEADY_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

/* Destroy it by pthread_cond_destroy. */
static inline void steady_init(pthread_cond_t *cond)
{
    pthread_condattr_t attr;

    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attr);
    pthread_condattr_destroy(&attr);
}

/* The time in so many milliseconds, for pthread_cond_timedwait of such a condition. */
static inline struct timespec steady_after(uint32_t milliseconds)
{
    const long second = 1000000000; /* nanoseconds */
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(milliseconds % 1000) * 1000000;
    until.tv_sec += milliseconds / 1000 + until.tv_nsec / second;
    until.tv_nsec %= second;
    return until;
}

#endif
