/* base/clock.h - the clocks of the system, as one number. */
#ifndef BURIN_BASE_CLOCK_H
#define BURIN_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds of a clock that every Linux has: CLOCK_MONOTONIC, CLOCK_THREAD_CPUTIME_ID, ... Any thread. */
static inline uint64_t clock_now(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
