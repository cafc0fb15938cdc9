/* SPDX-License-Identifier: Apache-2.0
 * db/linked_hold.c - spans of shards that were read stay in memory a while: see linked.h. Whoever
 * walks over objects asks again and again for the same ones.
 */
#include <stdlib.h>

#include "db/linked.h"

static void hold_free(struct linked_hits *hits)
{
    linked_hits_release(hits);
    free(hits);
}

void linked_let_go(struct linked_hits *hits)
{
    if (hits != NULL && --hits->holders == 0 && hits->dead)
        hold_free(hits);
}

static void hold_drop(struct linked *linked, uint32_t at)
{
    struct linked_hits *hits = linked->idle[at];

    linked->idle[at] = NULL;
    if (hits == NULL)
        return;
    hits->dead = true;
    if (hits->holders == 0)
        hold_free(hits);
}

void linked_forget(struct linked *linked)
{
    for (uint32_t i = 0; i < LINKED_IDLE; i++)
        hold_drop(linked, i);
}

/* The place of what was held longest ago. */
static uint32_t hold_oldest(const struct linked *linked)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < LINKED_IDLE; i++) {
        if (linked->idle[i] == NULL)
            return i;
        if (linked->idle[i]->used < linked->idle[at]->used)
            at = i;
    }
    return at;
}

enum err_code linked_hold(struct linked *linked, const struct linked_span *span,
                          struct linked_hits **out, struct err *err)
{
    struct linked_hits *hits = NULL;

    *out = NULL;
    linked->held++;
    for (uint32_t i = 0; i < LINKED_IDLE && hits == NULL; i++)
        if (linked->idle[i] != NULL && linked->idle[i]->span.first_id == span->first_id)
            hits = linked->idle[i];
    if (hits == NULL) {
        const uint32_t at = hold_oldest(linked);

        hits = calloc(1, sizeof *hits);
        if (hits == NULL)
            return ERR_NO_MEMORY(err, sizeof *hits);
        const enum err_code rc = linked_read(linked, span, hits, err);
        if (rc != ERR_OK) {
            hold_free(hits);
            return rc;
        }
        hold_drop(linked, at);
        linked->idle[at] = hits;
    }
    hits->holders++;
    hits->used = linked->held;
    *out = hits;
    return ERR_OK;
}

size_t linked_span_at(const struct linked *linked, int64_t id)
{
    size_t low = 0, high = linked->span_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct linked_span *span = &linked->spans[middle];

        if (span->first_id + (int64_t)span->hits > id)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

uint32_t linked_object_at(const struct linked_hits *hits, int64_t id)
{
    uint32_t low = 0, high = hits->object_count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (hits->objects[middle].id >= id)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}
