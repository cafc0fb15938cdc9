/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/plan_queue.h - hits that wait for the bytes behind them, in the order in which they
 * will be looked at. */
#ifndef BURIN_CARVER_PLAN_PLAN_QUEUE_H
#define BURIN_CARVER_PLAN_PLAN_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hit.h"

struct plan_queue {
    struct hit *items;
    uint32_t first, count, room;
};

/* Adds hits, putting each into its place by (offset, pattern). */
ERR_MUST_CHECK enum err_code plan_queue_add(struct plan_queue *queue, const struct hit *hits,
                                            uint32_t count, struct err *err);

/* Takes the first hit if it begins below known. */
bool plan_queue_take(struct plan_queue *queue, uint64_t known, struct hit *out);

void plan_queue_release(struct plan_queue *queue);

#endif
