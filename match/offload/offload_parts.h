/* match/offload/offload_parts.h - what an engine's devices are together; for offload.c and
 * offload_open.c alone. */
#ifndef BURIN_MATCH_OFFLOAD_OFFLOAD_PARTS_H
#define BURIN_MATCH_OFFLOAD_OFFLOAD_PARTS_H

#include <pthread.h>
#include <time.h>

#include "base/thread.h"
#include "match/offload/offload_device.h"

/* A device that is opened, at work, or given up. */
struct offload_part {
    struct offload_device device;
    uint32_t index; /* of the device */
    enum { OFFLOAD_OPENING, OFFLOAD_OPEN, OFFLOAD_LOST } state;
    struct err why; /* lost */
    bool told;      /* as a warning */
    uint32_t busy;  /* slots on it that nobody has taken yet */
};

struct offload_slot {
    struct offload_part *on; /* searches it; NULL: the CPU */
    bool taken;
    void *memory;
    size_t size;
    bool pinned;
};

struct offload {
    struct offload_source source; /* whoever opens devices makes it */
    const struct match_dictionary *dictionary;
    struct device_provider provider;
    uint32_t slot_count;

    /* Searches what no device does. */
    const struct match_engine *cpu;
    void *cpu_program;

    struct thread opener; /* not started: devices open before the first segment */
    struct device
        *pinner; /* locked the slots' memory; the opener's, if there is one, until it ends */

    pthread_mutex_t
        lock; /* of all below but the parts' devices, which are themselves safe once open */
    pthread_cond_t attached; /* a slot is, or stop is set */
    bool stop;               /* the opener shall end */
    struct offload_slot *slots;
    struct offload_part parts[DEVICE_MAX];
    uint32_t part_count;
    uint32_t last; /* part that took the last segment */
    uint64_t cpu_segments;
    uint64_t bytes;        /* of all segments so far */
    struct timespec began; /* the first of them */
};

#endif
