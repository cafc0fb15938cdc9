/* match/offload/ring_open.c - the opening and closing of a ring: buffers on both sides, streams,
 * events. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "match/offload/ring_parts.h"

static size_t ring_round(size_t size)
{
    return (size + RING_BLOCK - 1) / RING_BLOCK * RING_BLOCK;
}

static size_t ring_text_size(const struct ring *ring)
{
    return RING_BLOCK + ring_round(ring->options.text_max) + RING_BLOCK;
}

static void ring_slot_close(struct ring *ring, struct ring_slot *slot)
{
    if (slot->own != NULL) {
        device_stream_close(slot->own);
    } else if (slot->streams[RING_PROCESS] !=
               NULL) { /* what is enqueued for the slot is done, or the device lost */
        const enum err_code rc = device_stream_wait(slot->streams[RING_PROCESS], NULL);

        (void)rc;
    }
    device_free(ring->device, slot->memory);
    device_free(ring->device, slot->found);
    device_free(ring->device, slot->scratch);
    *slot = (struct ring_slot){ 0 };
}

static enum err_code ring_slot_open(struct ring *ring, struct ring_slot *slot, bool own_stream,
                                    struct err *err)
{
    const size_t size = ring_text_size(ring),
                 scratch = ring->search.scratch(ring->options.text_max);
    void *memory = NULL, *found = NULL;

    *slot = (struct ring_slot){ 0 };
    enum err_code rc = device_alloc(ring->device, size, &memory, err);
    slot->memory = memory;
    if (rc == ERR_OK)
        rc = device_alloc(ring->device, ring->result_size, &found, err);
    slot->found = found;
    if (rc == ERR_OK && scratch > 0)
        rc = device_alloc(ring->device, scratch, &slot->scratch, err);
    if (rc == ERR_OK && own_stream)
        rc = device_stream_open(ring->device, &slot->own, err);
    for (uint32_t i = 0; rc == ERR_OK && i < RING_STEPS; i++)
        slot->streams[i] = own_stream ? slot->own : ring->streams[i];
    if (rc == ERR_OK) /* what lies around a text is read, though it counts for nothing */
        rc = device_fill(slot->streams[RING_PROCESS], slot->memory, 0, size, err);
    if (rc == ERR_OK)
        rc = device_fill(slot->streams[RING_PROCESS], slot->found, 0, ring->result_size, err);
    if (rc == ERR_OK && ring->search.collect !=
                            NULL) /* what comes back is whole blocks of cells, some of no byte */
        rc = device_fill(slot->streams[RING_PROCESS], slot->scratch, 0, scratch, err);
    if (rc == ERR_OK)
        rc = device_stream_wait(slot->streams[RING_PROCESS], err);
    if (rc != ERR_OK)
        ring_slot_close(ring, slot);
    return rc;
}

/* A pinned block for results. */
static enum err_code ring_result_open(struct ring *ring, void **out, struct err *err)
{
    const size_t page = 4096, size = (ring->host_size + page - 1) / page * page;
    void *memory = aligned_alloc(page, size);

    if (memory == NULL)
        return ERR_NO_MEMORY(err, size);
    memset(memory, 0, size);
    enum err_code rc = device_pin(ring->device, memory, size, err);
    if (rc == ERR_OK)
        *out = memory;
    else
        free(memory);
    return rc;
}

static void ring_result_close(struct ring *ring, void *result)
{
    if (result == NULL)
        return;
    device_unpin(ring->device, result);
    free(result);
}

static enum err_code ring_marks_open(struct ring *ring, struct ring_marks *marks, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < RING_STEPS; i++) {
        rc = device_event_open(ring->device, false, &marks->begin[i], err);
        if (rc == ERR_OK)
            rc = device_event_open(ring->device, i == RING_READ, &marks->end[i], err);
    }
    return rc;
}

/* As many slots as were asked for, or as fit on the device. */
static enum err_code ring_slots_open(struct ring *ring, struct err *err)
{
    enum err_code rc = ring_slot_open(ring, &ring->slots[ring->options.slots], true, err);

    while (rc == ERR_OK && ring->slot_count < ring->options.slots) {
        rc = ring_slot_open(ring, &ring->slots[ring->slot_count], ring->options.own_streams, err);
        if (rc != ERR_OK && ring->slot_count >= (ring->options.in_turns ? 2u : 1u))
            return ERR_OK;
        if (rc == ERR_OK) /* copies in many streams would share the bus and all come late; in one
                             they keep their order */
            ring->slots[ring->slot_count++].streams[RING_WRITE] = ring->streams[RING_WRITE];
    }
    return rc;
}

enum err_code ring_open(struct device *device, const struct ring_search *search,
                        const struct ring_options *options, struct ring **out, struct err *err)
{
    struct ring *ring = calloc(1, sizeof *ring);

    assert(options->slots >= 1 &&
           (!options->in_turns || (options->slots == 2 && !options->own_streams)));
    *out = NULL;
    if (ring == NULL)
        return ERR_NO_MEMORY(err, sizeof *ring);
    ring->device = device;
    ring->search = *search;
    ring->options = *options;
    ring->held = RING_NONE;
    ring->result_size = sizeof(struct ring_found) + options->hits_max * sizeof(struct ring_hit);
    const size_t output =
        search->collect == NULL ? 0 : search->output(search->arg, options->text_max);
    ring->host_size = output > ring->result_size ? output : ring->result_size;
    pthread_mutex_init(&ring->lock, NULL);
    pthread_mutex_init(&ring->again_lock, NULL);
    pthread_cond_init(&ring->issued, NULL);
    ring->slots = calloc(options->slots + 1, sizeof *ring->slots);
    ring->lanes = calloc(options->lanes, sizeof *ring->lanes);
    ring->mark_count = options->lanes;
    ring->room = options->hits_max;
    ring->marks = calloc(ring->mark_count, sizeof *ring->marks);
    enum err_code rc = ERR_OK;
    if (ring->slots == NULL || ring->lanes == NULL || ring->marks == NULL)
        rc = ERR_NO_MEMORY(err, options->slots * sizeof *ring->slots +
                                    options->lanes * sizeof *ring->lanes);
    for (uint32_t i = 0; rc == ERR_OK && i < RING_STEPS; i++)
        rc = device_stream_open(device, &ring->streams[i], err);
    for (uint32_t i = 0; rc == ERR_OK && i < options->lanes; i++)
        rc = ring_result_open(ring, &ring->lanes[i].result, err);
    for (uint32_t i = 0; rc == ERR_OK && i < ring->mark_count; i++)
        rc = ring_marks_open(ring, &ring->marks[i], err);
    if (rc == ERR_OK)
        rc = ring_result_open(ring, &ring->again, err);
    if (rc == ERR_OK)
        rc = ring_slots_open(ring, err);
    ring->slot_used = ring->slot_count;
    if (rc != ERR_OK) {
        ring_close(ring);
        return rc;
    }
    *out = ring;
    return ERR_OK;
}

/* Streams do their work to its end before they close, and so do those that events were recorded in.
 */
static void ring_close_streams(struct ring *ring)
{
    for (uint32_t i = 0; ring->marks != NULL && i < ring->mark_count; i++)
        for (uint32_t k = 0; k < RING_STEPS; k++) {
            device_event_close(ring->marks[i].begin[k]);
            device_event_close(ring->marks[i].end[k]);
        }
    for (uint32_t i = 0; ring->slots != NULL && i <= ring->options.slots; i++) {
        device_stream_close(ring->slots[i].own);
        ring->slots[i].own = NULL;
        ring->slots[i].streams[RING_PROCESS] = NULL;
    }
    for (uint32_t i = 0; i < RING_STEPS; i++)
        device_stream_close(ring->streams[i]);
}

void ring_close(struct ring *ring)
{
    if (ring == NULL)
        return;
    ring_close_streams(ring);
    for (uint32_t i = 0; ring->slots != NULL && i <= ring->options.slots; i++)
        ring_slot_close(ring, &ring->slots[i]);
    for (uint32_t i = 0; ring->lanes != NULL && i < ring->options.lanes; i++)
        ring_result_close(ring, ring->lanes[i].result);
    ring_result_close(ring, ring->again);
    pthread_cond_destroy(&ring->issued);
    pthread_mutex_destroy(&ring->again_lock);
    pthread_mutex_destroy(&ring->lock);
    free(ring->slots);
    free(ring->lanes);
    free(ring->marks);
    free(ring);
}
