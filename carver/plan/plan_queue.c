/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/plan_queue.c - see plan_queue.h. */
#include <stdlib.h>
#include <string.h>

#include "carver/plan/plan_queue.h"

static bool plan_queue_before(const struct hit *a, const struct hit *b)
{
    return a->offset != b->offset ? a->offset < b->offset : a->pattern < b->pattern;
}

static enum err_code plan_queue_grow(struct plan_queue *queue, uint32_t more, struct err *err)
{
    if (queue->first > 0) {
        memmove(queue->items, queue->items + queue->first, queue->count * sizeof *queue->items);
        queue->first = 0;
    }
    if (queue->count + more <= queue->room)
        return ERR_OK;
    const uint32_t room = (queue->count + more) * 2;
    struct hit *items = realloc(queue->items, room * sizeof *items);
    if (items == NULL)
        return ERR_NO_MEMORY(err, room * sizeof *items);
    queue->items = items;
    queue->room = room;
    return ERR_OK;
}

enum err_code plan_queue_add(struct plan_queue *queue, const struct hit *hits, uint32_t count,
                             struct err *err)
{
    if (queue->first + queue->count + count > queue->room) {
        const enum err_code rc = plan_queue_grow(queue, count, err);
        if (rc != ERR_OK)
            return rc;
    }
    struct hit *items = queue->items + queue->first;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = queue->count++;

        while (place > 0 && plan_queue_before(&hits[i], &items[place - 1])) {
            items[place] = items[place - 1];
            place--;
        }
        items[place] = hits[i];
    }
    return ERR_OK;
}

bool plan_queue_take(struct plan_queue *queue, uint64_t known, struct hit *out)
{
    if (queue->count == 0 || queue->items[queue->first].offset >= known)
        return false;
    *out = queue->items[queue->first];
    queue->first++;
    if (--queue->count == 0)
        queue->first = 0;
    return true;
}

void plan_queue_release(struct plan_queue *queue)
{
    free(queue->items);
    *queue = (struct plan_queue){ 0 };
}
