/* SPDX-License-Identifier: Apache-2.0
 * match/offload/offload_queue.h - one matcher's way to one device: its ring of segments there, and
 * the choice of a strategy.
 *
 * Threads: as of a ring.
 */
#ifndef BURIN_MATCH_OFFLOAD_OFFLOAD_QUEUE_H
#define BURIN_MATCH_OFFLOAD_OFFLOAD_QUEUE_H

#include "match/lab.h"
#include "match/offload/offload_device.h"

struct offload_queue {
    const struct offload_device *device;
    struct ring *ring; /* NULL: there is none */
    bool chosen;       /* auto has */
};

/* device must outlive it. Errors: ERR_ENV, as those of ring_open; out->ring is NULL then. */
ERR_MUST_CHECK enum err_code offload_queue_open(struct offload_queue *out,
                                                const struct offload_device *device, uint32_t slots,
                                                struct err *err);
void offload_queue_close(struct offload_queue *queue); /* waits for work in flight; twice is once */

/* As start of struct match_offload. */
void offload_queue_start(struct offload_queue *queue, uint32_t slot, const struct match_text *text,
                         uint32_t from);

/* The times of several queues to one device, [count], together. */
struct match_transfer offload_queue_transfer(const struct offload_queue *const *queues,
                                             uint32_t count);

/* A line for people about them: times, strategy, prediction. */
void offload_queue_say(const struct offload_queue *const *queues, uint32_t count, char *text,
                       size_t size);

#endif
