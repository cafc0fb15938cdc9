/* SPDX-License-Identifier: Apache-2.0
 * base/clock.h - reads a clock of the system as one number of nanoseconds. */
#ifndef BURIN_BASE_CLOCK_H
#define BURIN_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/*
 * The time of a clock in nanoseconds. clock must be one that every Linux has, such as
 * CLOCK_MONOTONIC or CLOCK_THREAD_CPUTIME_ID. Any thread may call it.
 */
static inline uint64_t clock_now(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
