/* SPDX-License-Identifier: Apache-2.0
 * match/offload/offload_parts.h - what an engine's devices and its matchers are together; for the
 * files offload*.c alone.
 *
 *   struct offload         of each matcher: its slots, and a queue to each device
 *   struct offload_shared  of all of them: the devices, with the tables on them, and the CPU's
 * engine
 */
#ifndef BURIN_MATCH_OFFLOAD_OFFLOAD_PARTS_H
#define BURIN_MATCH_OFFLOAD_OFFLOAD_PARTS_H

#include <pthread.h>

#include "base/thread.h"
#include "match/offload/offload_queue.h"
#include "match/offload/offload_worth.h"

/* A device that is opened, at work, or given up. */
struct offload_part {
    struct offload_device device;
    uint32_t index; /* of the device */
    enum { OFFLOAD_OPENING, OFFLOAD_OPEN, OFFLOAD_LOST } state;
    struct err why;  /* lost */
    bool told;       /* as a warning */
    uint32_t busy;   /* slots on it that nobody has taken yet */
    uint32_t queues; /* matchers that have one to it */
};

struct offload_slot {
    struct offload_part *on; /* searches it; NULL: the CPU */
    bool taken;
    void *memory; /* NULL: it is not attached yet */
    size_t size;
    enum { OFFLOAD_LOOSE, OFFLOAD_PINNING, OFFLOAD_PINNED } pin;
};

struct offload {
    struct offload_shared *shared;
    struct offload *next; /* of those that share */
    uint32_t slot_count;
    struct offload_slot *slots;
    struct offload_queue queues[DEVICE_MAX]; /* to the part of the same number */
    bool asked[DEVICE_MAX];                  /* somebody opens it, or has */
    bool opening;                            /* the opener works for it */
};

struct offload_shared {
    struct offload_source source; /* whoever opens devices makes it */
    struct device_provider provider;

    /* Searches what no device does. */
    const struct match_engine *cpu;
    void *cpu_program;

    struct thread opener;  /* not started: devices open before the first segment */
    struct device *pinner; /* locks the slots' memory: the first one that is open */

    pthread_mutex_t
        lock; /* of all below but the parts' devices, which are themselves safe once open */
    pthread_cond_t changed; /* stop is set, or some matcher's `opening` ends */
    bool stop;              /* the opener shall end */
    struct offload *first;  /* of those that share */
    struct offload_part parts[DEVICE_MAX];
    uint32_t part_count;
    uint32_t last; /* part that took the last segment */
    uint64_t cpu_segments, device_segments;
    uint64_t bytes;       /* of all segments so far, */
    uint64_t expected;    /* and of all that there will be; 0: not known */
    uint64_t began_ns;    /* the first of them */
    uint64_t matching_ns; /* of processors, of all threads, up to the first segment of a device */
    struct offload_trial trial;
};

/* With the lock held: what the search has been like so far. */
struct offload_pace offload_pace(const struct offload_shared *shared);

/* Of all that share: a device is given up. */
void offload_lose(struct offload_shared *shared, struct offload_part *part, const struct err *why);

/* These implement share of struct match_offload. */
ERR_MUST_CHECK enum err_code offload_share_program(void *program, uint32_t slots, void **out,
                                                   struct err *err);

#endif
