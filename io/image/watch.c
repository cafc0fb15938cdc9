/* SPDX-License-Identifier: Apache-2.0
 * io/image/watch.c - see watch.h. */
#include "io/image/watch.h"

#include "base/clock.h"

enum { WATCH_NONE = IO_WATCH_READS };

/* Of a read whose offset is not there yet: in the future, and so never slow. */
#define WATCH_TAKEN UINT64_MAX

uint32_t io_watch_begin(struct io_watch *watch, uint64_t offset)
{
    uint64_t none = 0;
    uint32_t i = 0;

    while (i < IO_WATCH_READS &&
           !atomic_compare_exchange_strong(&watch->reads[i].since_ns, &none, WATCH_TAKEN)) {
        none = 0;
        i++;
    }
    if (i == WATCH_NONE)
        return WATCH_NONE;
    atomic_store(&watch->reads[i].offset, offset);
    atomic_store(&watch->reads[i].since_ns, clock_now(CLOCK_MONOTONIC));
    return i;
}

void io_watch_end(struct io_watch *watch, uint32_t read)
{
    if (read != WATCH_NONE)
        atomic_store(&watch->reads[read].since_ns, 0);
}

bool io_watch_slow(const struct io_watch *watch, uint64_t now_ns, uint64_t min_ns, uint64_t *offset,
                   uint64_t *taken_ns)
{
    uint64_t last = 0;

    for (uint32_t i = 0; i < IO_WATCH_READS; i++) {
        const uint64_t since = atomic_load(&watch->reads[i].since_ns);

        if (since <= last || since > now_ns || now_ns - since < min_ns)
            continue;
        last = since;
        *offset = atomic_load(&watch->reads[i].offset);
        *taken_ns = now_ns - since;
    }
    return last != 0;
}
