/* SPDX-License-Identifier: Apache-2.0
 * match/offload/ring_open.c - the opening and closing of a ring: buffers on both sides, streams,
 * events. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "match/offload/ring_parts.h"

enum { RING_PAGE = 4096 }; /* bytes */

static size_t ring_round(size_t size)
{
    return (size + RING_BLOCK - 1) / RING_BLOCK * RING_BLOCK;
}

static size_t ring_text_size(const struct ring *ring)
{
    return RING_BLOCK + ring_round(ring->options.text_max) + RING_BLOCK;
}

static void ring_buffer_close(struct ring *ring, struct ring_buffer *buffer)
{
    if (buffer->own != NULL) {
        device_stream_close(buffer->own);
    } else if (buffer->streams[RING_PROCESS] !=
               NULL) { /* what is enqueued for the buffer is done, or the device lost */
        const enum err_code rc = device_stream_wait(buffer->streams[RING_PROCESS], NULL);

        (void)rc;
    }
    device_free(ring->device, buffer->memory);
    *buffer = (struct ring_buffer){ 0 };
}

static enum err_code ring_buffer_open(struct ring *ring, struct ring_buffer *buffer,
                                      bool own_stream, struct err *err)
{
    const size_t text = ring_text_size(ring), found = ring_round(ring->result_size);
    const size_t scratch = ring->search.scratch(ring->options.text_max);
    void *memory = NULL;

    *buffer = (struct ring_buffer){ 0 };
    enum err_code rc = device_alloc(ring->device, text + found + scratch, &memory, err);
    if (rc == ERR_OK) {
        buffer->memory = memory;
        buffer->found = (struct ring_found *)(void *)(buffer->memory + text);
        buffer->scratch = scratch > 0 ? buffer->memory + text + found : NULL;
    }
    if (rc == ERR_OK && own_stream)
        rc = device_stream_open(ring->device, &buffer->own, err);
    for (uint32_t i = 0; rc == ERR_OK && i < RING_STEPS; i++)
        buffer->streams[i] = own_stream ? buffer->own : ring->streams[i];
    /* What lies around a text is read, though it counts for nothing; and what comes back may be
     * whole blocks of cells, some of no byte. */
    if (rc == ERR_OK)
        rc = device_fill(buffer->streams[RING_PROCESS], memory, 0, text + found + scratch, err);
    if (rc == ERR_OK)
        rc = device_stream_wait(buffer->streams[RING_PROCESS], err);
    if (rc != ERR_OK)
        ring_buffer_close(ring, buffer);
    return rc;
}

/* The pinned blocks for results: one call for all, each of which takes as long as to lock a MiB. */
static enum err_code ring_results_open(struct ring *ring, struct err *err)
{
    const uint32_t slots = ring->options.slots;
    const size_t size = (slots + 1) * ring->host_size;
    uint8_t *memory = aligned_alloc(RING_PAGE, size);

    if (memory == NULL)
        return ERR_NO_MEMORY(err, size);
    memset(memory, 0, size);
    const enum err_code rc = device_pin(ring->device, memory, size, err);
    if (rc != ERR_OK) {
        free(memory);
        return rc;
    }
    ring->results = memory;
    for (uint32_t i = 0; i < slots; i++)
        ring->slots[i].result = memory + i * ring->host_size;
    ring->again = memory + slots * ring->host_size;
    return ERR_OK;
}

static void ring_results_close(struct ring *ring)
{
    if (ring->results == NULL)
        return;
    device_unpin(ring->device, ring->results);
    free(ring->results);
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

/* As many buffers as were asked for, or as fit on the device. */
static enum err_code ring_buffers_open(struct ring *ring, struct err *err)
{
    enum err_code rc = ring_buffer_open(ring, &ring->buffers[ring->options.buffers], true, err);

    while (rc == ERR_OK && ring->buffer_count < ring->options.buffers) {
        rc = ring_buffer_open(ring, &ring->buffers[ring->buffer_count], ring->options.own_streams,
                              err);
        if (rc != ERR_OK && ring->buffer_count >= (ring->options.in_turns ? 2u : 1u))
            return ERR_OK;
        if (rc == ERR_OK) /* copies in many streams would share the bus and all come late; in one
                             they keep their order */
            ring->buffers[ring->buffer_count++].streams[RING_WRITE] = ring->streams[RING_WRITE];
    }
    return rc;
}

enum err_code ring_open(struct device *device, const struct ring_search *search,
                        const struct ring_options *options, struct ring **out, struct err *err)
{
    struct ring *ring = calloc(1, sizeof *ring);

    assert(options->buffers >= 1 &&
           (!options->in_turns || (options->buffers == 2 && !options->own_streams)));
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
    const size_t most = output > ring->result_size ? output : ring->result_size;
    ring->host_size = (most + RING_PAGE - 1) / RING_PAGE * RING_PAGE;
    pthread_mutex_init(&ring->lock, NULL);
    pthread_mutex_init(&ring->again_lock, NULL);
    pthread_cond_init(&ring->issued, NULL);
    ring->buffers = calloc(options->buffers + 1, sizeof *ring->buffers);
    ring->slots = calloc(options->slots, sizeof *ring->slots);
    ring->mark_count = options->slots;
    ring->room = options->hits_max;
    ring->marks = calloc(ring->mark_count, sizeof *ring->marks);
    enum err_code rc = ERR_OK;
    if (ring->buffers == NULL || ring->slots == NULL || ring->marks == NULL)
        rc = ERR_NO_MEMORY(err, options->buffers * sizeof *ring->buffers +
                                    options->slots * sizeof *ring->slots);
    for (uint32_t i = 0; rc == ERR_OK && i < RING_STEPS; i++)
        rc = device_stream_open(device, &ring->streams[i], err);
    if (rc == ERR_OK)
        rc = ring_results_open(ring, err);
    for (uint32_t i = 0; rc == ERR_OK && i < ring->mark_count; i++)
        rc = ring_marks_open(ring, &ring->marks[i], err);
    if (rc == ERR_OK)
        rc = ring_buffers_open(ring, err);
    ring->buffer_used = ring->buffer_count;
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
    for (uint32_t i = 0; ring->buffers != NULL && i <= ring->options.buffers; i++) {
        device_stream_close(ring->buffers[i].own);
        ring->buffers[i].own = NULL;
        ring->buffers[i].streams[RING_PROCESS] = NULL;
    }
    for (uint32_t i = 0; i < RING_STEPS; i++)
        device_stream_close(ring->streams[i]);
}

void ring_close(struct ring *ring)
{
    if (ring == NULL)
        return;
    ring_close_streams(ring);
    for (uint32_t i = 0; ring->buffers != NULL && i <= ring->options.buffers; i++)
        ring_buffer_close(ring, &ring->buffers[i]);
    ring_results_close(ring);
    pthread_cond_destroy(&ring->issued);
    pthread_mutex_destroy(&ring->again_lock);
    pthread_mutex_destroy(&ring->lock);
    free(ring->buffers);
    free(ring->slots);
    free(ring->marks);
    free(ring);
}
