/* SPDX-License-Identifier: Apache-2.0
 * match/offload/ring_parts.h - what a ring is made of; for ring.c, ring_take.c and ring_open.c
 * alone.
 */
#ifndef BURIN_MATCH_OFFLOAD_RING_PARTS_H
#define BURIN_MATCH_OFFLOAD_RING_PARTS_H

#include <pthread.h>

#include "match/offload/ring.h"

enum {
    /* Texts on the device begin so that their first fresh byte stands at a multiple of it */
    RING_BLOCK = 256,
    RING_NONE = UINT32_MAX,
};

enum { RING_WRITE, RING_PROCESS, RING_READ, RING_STEPS };

/*
 * Events that mark where the steps of a segment begin and end. Segment n uses marks[n %
 * mark_count]; segment n + mark_count uses the same ones.
 */
struct ring_marks {
    struct device_event *begin[RING_STEPS], *end[RING_STEPS];
    bool timed; /* begin was recorded as well, so the steps can be timed */
};

/* Buffers on the device, all in one piece of its memory. */
struct ring_buffer {
    uint8_t *memory; /* RING_BLOCK, text_max, RING_BLOCK bytes; what follows is behind them */
    struct ring_found *found;
    void *scratch;                             /* NULL: the search needs none */
    struct device_stream *own;                 /* NULL: all streams are the ring's */
    struct device_stream *streams[RING_STEPS]; /* for the three steps */
    /* Number of the segment that had it last, plus 1; 0: none had */
    uint64_t user;
};

struct ring_slot {
    void
        *result; /* in the ring's results: struct ring_found and the hits, or the search's output */
    uint8_t *mapped; /* where kernels find the text, if the search is in place */
    struct match_text text;
    uint32_t from;
    uint64_t number; /* of the segment, in the order of ring_start */
    uint32_t buffer;
    uint32_t room; /* hits that are read back */
    enum { RING_IDLE, RING_WRITTEN, RING_ISSUED } state;
    bool counted; /* its times are in the sums */
};

struct ring {
    struct device *device;
    struct ring_search search;
    struct ring_options options;
    size_t result_size; /* of struct ring_found and the hits */
    size_t host_size;   /* of a result on the host, whole pages */
    uint8_t *results;   /* pinned: one for each slot, and one for what is searched anew */
    struct device_stream *streams[RING_STEPS];
    uint32_t buffer_count;       /* made */
    uint32_t buffer_used;        /* of them */
    struct ring_buffer *buffers; /* [buffer_count] and one more for what is searched anew */
    struct ring_slot *slots;
    struct ring_marks *marks; /* [mark_count] */
    uint32_t mark_count;

    pthread_mutex_t lock; /* of all below, and of the slots' states */
    pthread_cond_t issued;
    pthread_mutex_t again_lock; /* of the last buffer and its result */
    void *again;
    uint64_t started;
    uint64_t last[RING_STEPS]; /* number of the segment whose step was enqueued last, plus 1 */
    double began;              /* of the first segment */
    uint32_t held;             /* slot that is written and waits for its turn, or RING_NONE */
    uint32_t room;             /* hits that are read back of the next segment */
    uint32_t most[2];          /* hits of a segment since a while, and in the while before */
    struct err loss;
    bool lost;
    struct ring_times times;
};

static inline struct ring_marks *ring_marks(struct ring *ring, uint64_t number)
{
    return &ring->marks[number % ring->mark_count];
}

/* With the lock held: keeps the first error of the device. */
void ring_lose(struct ring *ring, const struct err *err);

double ring_now(void);

struct ring_view ring_view(const struct ring *ring, const struct ring_buffer *buffer, uint32_t len,
                           uint32_t from);
ERR_MUST_CHECK enum err_code ring_search(struct ring *ring, struct device_stream *stream,
                                         const struct ring_view *view, struct err *err);

/*
 * What the search of a text of len bytes in the buffer has left there, to the host: of hits, so
 * many at most.
 */
ERR_MUST_CHECK enum err_code ring_copy_out(const struct ring *ring,
                                           const struct ring_buffer *buffer,
                                           struct device_stream *stream, void *result, uint32_t len,
                                           uint32_t room, struct err *err);

#endif
