/* match/cuda/ring_parts.h - what a ring is made of; for ring.c and ring_open.c alone. */
#ifndef BURIN_MATCH_CUDA_RING_PARTS_H
#define BURIN_MATCH_CUDA_RING_PARTS_H

#include <pthread.h>

#include "match/cuda/ring.h"

enum {
    RING_BLOCK = 256, /* texts on the device begin so that their first fresh byte stands at a multiple of it */
    RING_NONE = UINT32_MAX,
};

enum { RING_WRITE, RING_PROCESS, RING_READ, RING_STEPS };

/* Buffers on the device. `lane` used them last. */
struct ring_slot {
    uint8_t *memory; /* RING_BLOCK, text_max, RING_BLOCK bytes */
    struct ring_found *found;
    void *scratch;
    struct device_stream *streams[RING_STEPS]; /* all the same one, or the ring's */
    bool owns_stream;
    uint32_t lane;
};

struct ring_lane {
    struct ring_found *result; /* pinned; hits follow */
    struct device_event *begin[RING_STEPS], *end[RING_STEPS];
    struct match_text text;
    uint32_t from;
    uint32_t slot;
    enum { RING_IDLE, RING_WRITTEN, RING_ISSUED } state;
    bool counted; /* its times are in the sums */
};

struct ring {
    struct device *device;
    struct ring_search search;
    struct ring_options options;
    size_t result_size;
    struct device_stream *streams[RING_STEPS];
    uint32_t slot_count;     /* made */
    uint32_t slot_used;      /* of them */
    struct ring_slot *slots; /* [slot_count] and one more for what is searched anew */
    struct ring_lane *lanes;

    pthread_mutex_t lock; /* of all below, and of the lanes' states */
    pthread_cond_t issued;
    pthread_mutex_t again_lock; /* of the last slot and its result */
    struct ring_found *again;
    uint64_t started;
    double began;  /* of the first segment */
    uint32_t held; /* lane that is written and waits for its turn, or RING_NONE */
    struct err loss;
    bool lost;
    struct ring_times times;
};

#endif
