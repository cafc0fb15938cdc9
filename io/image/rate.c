/* SPDX-License-Identifier: Apache-2.0
 * io/image/rate.c - see rate.h. */
#include <time.h>

#include "base/clock.h"
#include "io/image/rate.h"

enum { RATE_STEP_NS = 50000000 }; /* nanoseconds between two looks at whether to stop */

#define RATE_SECOND UINT64_C(1000000000)

void io_rate_set(struct io_rate *rate, uint64_t per_second, bool (*stop)(void), uint64_t now_ns)
{
    rate->per_second = per_second;
    rate->stop = stop;
    atomic_store(&rate->due_ns, now_ns);
}

uint64_t io_rate_take(struct io_rate *rate, uint64_t now_ns, uint64_t bytes)
{
    const uint64_t oldest = now_ns < IO_RATE_SAVED_NS ? 0 : now_ns - IO_RATE_SAVED_NS;
    const uint64_t seconds = bytes / rate->per_second, rest = bytes % rate->per_second;
    const uint64_t cost = seconds * RATE_SECOND +
                          (uint64_t)((double)rest / (double)rate->per_second * (double)RATE_SECOND);
    uint64_t due = atomic_load(&rate->due_ns), start;

    do
        start = due > oldest ? due : oldest;
    while (!atomic_compare_exchange_weak(&rate->due_ns, &due, start + cost));
    return start > now_ns ? start - now_ns : 0;
}

void io_rate_pay(struct io_rate *rate, uint64_t bytes)
{
    if (rate->per_second == 0)
        return;
    uint64_t left = io_rate_take(rate, clock_now(CLOCK_MONOTONIC), bytes);
    const uint64_t until = clock_now(CLOCK_MONOTONIC) + left;

    while (left > 0 && (rate->stop == NULL || !rate->stop())) {
        const struct timespec step = { .tv_nsec =
                                           (long)(left < RATE_STEP_NS ? left : RATE_STEP_NS) };
        nanosleep(&step, NULL);
        const uint64_t now = clock_now(CLOCK_MONOTONIC);
        left = now < until ? until - now : 0;
    }
}
