/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/pair_fifo.h - the open headers of one rule: a queue of (offset, tag) in ascending
 * order of offset, kept small.
 *
 * An image made of nothing but headers under a rule with a large maximum holds as many open headers
 * as the maximum has bytes, so what is kept is differences: a run of headers at equal distances
 * with tags at equal distances is one entry, and any other header takes two bytes as a rule. Push
 * and pop are amortised O(1). Not thread-safe.
 */
#ifndef BURIN_CARVER_PLAN_PAIR_FIFO_H
#define BURIN_CARVER_PLAN_PAIR_FIFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pack.h"

struct pair_fifo_block;

struct pair_fifo_run {
    uint64_t delta;     /* bytes from one header to the next */
    uint64_t tag_delta; /* modulo 2^64 */
    uint64_t count;
};

/* Zeroed is empty. */
struct pair_fifo {
    uint64_t count;
    uint64_t head, head_tag; /* first in the queue; valid while count > 0 */
    uint64_t tail, tail_tag; /* last in the queue */
    struct pair_fifo_run first,
        last; /* runs behind the head, and just before the end; between them the blocks */
    struct pair_fifo_block *oldest, *newest;
};

/*
 * Appends; offset >= tail, offset < 2^63. budget: bytes of blocks that may still be taken. False:
 * budget or memory is out.
 */
bool pair_fifo_push(struct pair_fifo *fifo, uint64_t offset, uint64_t tag, size_t *budget);

/* Takes the head away; count > 0. */
void pair_fifo_pop(struct pair_fifo *fifo, size_t *budget);

void pair_fifo_release(struct pair_fifo *fifo, size_t *budget);

/* Writes the queue down, in proportion to its runs, and fills an empty one from that. Offsets that
 * are read lie below end; of others, and without memory, in->failed is set. */
void pair_fifo_save(const struct pair_fifo *fifo, struct pack *out);
void pair_fifo_restore(struct pair_fifo *fifo, struct unpack *in, uint64_t end, size_t *budget);

#endif
