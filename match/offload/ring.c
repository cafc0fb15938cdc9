/* SPDX-License-Identifier: Apache-2.0
 * match/offload/ring.c - see ring.h: the way of segments through an open ring. */
#include <assert.h>
#include <time.h>

#include "match/offload/ring_parts.h"

enum {
    RING_TIMED = 64,  /* segments that are timed; */
    RING_SAMPLE = 16, /* then one of so many, for each event costs a call */
};

void ring_lose(struct ring *ring, const struct err *err)
{
    if (!ring->lost)
        ring->loss = *err;
    ring->lost = true;
    pthread_cond_broadcast(&ring->issued);
}

uint32_t ring_buffers(const struct ring *ring)
{
    return ring->buffer_used;
}

void ring_use(struct ring *ring, uint32_t buffers)
{
    assert(buffers >= 1 && buffers <= ring->buffer_count && !ring->options.in_turns);
    pthread_mutex_lock(&ring->lock);
    ring->buffer_used = buffers;
    pthread_mutex_unlock(&ring->lock);
}

double ring_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Where text [0, len) goes in a buffer: its byte `from` to a multiple of RING_BLOCK. */
static uint8_t *ring_place(const struct ring_buffer *buffer, uint32_t from)
{
    return buffer->memory + (RING_BLOCK - from % RING_BLOCK) % RING_BLOCK;
}

struct ring_view ring_view(const struct ring *ring, const struct ring_buffer *buffer, uint32_t len,
                           uint32_t from)
{
    return (struct ring_view){
        .text = ring_place(buffer, from),
        .len = len,
        .from = from,
        .to = len,
        .found = buffer->found,
        .hits = (struct ring_hit *)(buffer->found + 1),
        .hits_max = ring->options.hits_max,
        .scratch = buffer->scratch,
        .launch = ring->options.launch,
    };
}

static bool ring_times_it(uint64_t number)
{
    return number < RING_TIMED || number % RING_SAMPLE == 0;
}

/* What is enqueued in stream from here on waits for a step of a segment, `segment` being its number
 * plus 1, or 0 for none. */
static enum err_code ring_follow(struct ring *ring, struct device_stream *stream, uint64_t segment,
                                 uint32_t step, struct err *err)
{
    if (segment == 0 ||
        segment - 1 + ring->mark_count < ring->started) /* long done, its marks are another's */
        return ERR_OK;
    return device_event_follow(stream, ring_marks(ring, segment - 1)->end[step], err);
}

static enum err_code ring_step_begin(struct ring *ring, const struct ring_slot *slot, uint32_t step,
                                     struct err *err)
{
    struct ring_marks *marks = ring_marks(ring, slot->number);

    return marks->timed ? device_event_record(marks->begin[step],
                                              ring->buffers[slot->buffer].streams[step], err)
                        : ERR_OK;
}

static enum err_code ring_step_end(struct ring *ring, const struct ring_slot *slot, uint32_t step,
                                   struct err *err)
{
    ring->last[step] = slot->number + 1;
    return device_event_record(ring_marks(ring, slot->number)->end[step],
                               ring->buffers[slot->buffer].streams[step], err);
}

static enum err_code ring_map(const struct ring *ring, struct ring_slot *slot, struct err *err)
{
    void *mapped = NULL;
    const enum err_code rc = device_map(ring->device, slot->text.bytes, &mapped, err);

    slot->mapped = mapped;
    return rc;
}

static enum err_code ring_write(struct ring *ring, struct ring_slot *slot, struct err *err)
{
    struct ring_buffer *buffer = &ring->buffers[slot->buffer];
    enum err_code rc = ring_step_begin(ring, slot, RING_WRITE, err);

    if (rc == ERR_OK && ring->search.in_place)
        rc = ring_map(ring, slot, err);
    else if (rc == ERR_OK)
        rc = device_copy_in(buffer->streams[RING_WRITE], ring_place(buffer, slot->from),
                            slot->text.bytes, slot->text.len, err);
    return rc == ERR_OK ? ring_step_end(ring, slot, RING_WRITE, err) : rc;
}

enum err_code ring_search(struct ring *ring, struct device_stream *stream,
                          const struct ring_view *view, struct err *err)
{
    enum err_code rc = device_fill(stream, view->found, 0, sizeof *view->found, err);

    return rc == ERR_OK ? ring->search.enqueue(ring->search.arg, stream, view, err) : rc;
}

static enum err_code ring_process(struct ring *ring, struct ring_slot *slot, struct err *err)
{
    struct ring_buffer *buffer = &ring->buffers[slot->buffer];
    struct ring_view view = ring_view(ring, buffer, slot->text.len, slot->from);
    enum err_code rc = ring_step_begin(ring, slot, RING_PROCESS, err);

    if (ring->search.in_place)
        view.text = slot->mapped;
    if (rc == ERR_OK)
        rc = ring_search(ring, buffer->streams[RING_PROCESS], &view, err);
    return rc == ERR_OK ? ring_step_end(ring, slot, RING_PROCESS, err) : rc;
}

enum err_code ring_copy_out(const struct ring *ring, const struct ring_buffer *buffer,
                            struct device_stream *stream, void *result, uint32_t len, uint32_t room,
                            struct err *err)
{
    if (ring->search.collect != NULL)
        return device_copy_out(stream, result, buffer->scratch,
                               ring->search.output(ring->search.arg, len), err);
    return device_copy_out(stream, result, buffer->found,
                           sizeof *buffer->found + room * sizeof(struct ring_hit), err);
}

static enum err_code ring_read(struct ring *ring, struct ring_slot *slot, struct err *err)
{
    struct ring_buffer *buffer = &ring->buffers[slot->buffer];
    enum err_code rc = ring_step_begin(ring, slot, RING_READ, err);

    if (rc == ERR_OK)
        rc = ring_copy_out(ring, buffer, buffer->streams[RING_READ], slot->result, slot->text.len,
                           slot->room, err);
    slot->state = RING_ISSUED;
    return rc == ERR_OK ? ring_step_end(ring, slot, RING_READ, err) : rc;
}

/*
 * What a step waits for besides what is before it in its stream: that the buffer's last user,
 * segment `before`, is done with the buffer, and for the step before.
 */
static enum err_code ring_wait(struct ring *ring, const struct ring_slot *slot, uint32_t step,
                               uint64_t before, struct err *err)
{
    const struct ring_buffer *buffer = &ring->buffers[slot->buffer];
    struct device_stream *stream = buffer->streams[step];
    enum err_code rc = ERR_OK;

    if (step == RING_WRITE || (step == RING_PROCESS && buffer->own == NULL))
        rc = ring_follow(ring, stream, before, step + 1, err);
    if (rc == ERR_OK && (step == RING_PROCESS || (step == RING_READ && buffer->own == NULL)))
        rc = ring_follow(ring, stream, slot->number + 1, step - 1, err);
    return rc;
}

/* All three steps, each as soon as what it needs is done. */
static enum err_code ring_flow(struct ring *ring, struct ring_slot *slot, uint64_t before,
                               struct err *err)
{
    enum err_code rc = ring_wait(ring, slot, RING_WRITE, before, err);

    if (rc == ERR_OK)
        rc = ring_write(ring, slot, err);
    if (rc == ERR_OK)
        rc = ring_wait(ring, slot, RING_PROCESS, before, err);
    if (rc == ERR_OK)
        rc = ring_process(ring, slot, err);
    if (rc == ERR_OK)
        rc = ring_wait(ring, slot, RING_READ, before, err);
    return rc == ERR_OK ? ring_read(ring, slot, err) : rc;
}

/* The wait for all reads, writes and kernels. It is the device that waits: a host that did would
 * come too late each time. */
static enum err_code ring_wait_all(struct ring *ring, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t stream = 0; stream < RING_STEPS; stream++)
        for (uint32_t step = 0; rc == ERR_OK && step < RING_STEPS; step++)
            if (step != stream)
                rc = ring_follow(ring, ring->streams[stream], ring->last[step], step, err);
    return rc;
}

/* One turn of Figure 5: the segment before is searched while this one is written, all is waited
 * for, its hits are read. */
static enum err_code ring_turn(struct ring *ring, struct ring_slot *slot, struct err *err)
{
    struct ring_slot *before = ring->held == RING_NONE ? NULL : &ring->slots[ring->held];
    enum err_code rc = ring_write(ring, slot, err);

    slot->state = RING_WRITTEN;
    if (before != NULL && rc == ERR_OK)
        rc = ring_process(ring, before, err);
    if (rc == ERR_OK)
        rc = ring_wait_all(ring, err);
    if (before != NULL && rc == ERR_OK)
        rc = ring_read(ring, before, err);
    ring->held = (uint32_t)(slot - ring->slots);
    return rc;
}

/* What follows the loop of Figure 5; a further segment may begin anew. */
static enum err_code ring_last_turn(struct ring *ring, struct ring_slot *slot, struct err *err)
{
    enum err_code rc = ring_process(ring, slot, err);

    if (rc == ERR_OK)
        rc = ring_wait_all(ring, err);
    if (rc == ERR_OK)
        rc = ring_read(ring, slot, err);
    return rc == ERR_OK ? ring_wait_all(ring, err) : rc;
}

void ring_start(struct ring *ring, uint32_t index, const struct match_text *text, uint32_t from)
{
    struct ring_slot *slot = &ring->slots[index];
    struct err err;
    enum err_code rc = ERR_OK;

    assert(index < ring->options.slots && text->len <= ring->options.text_max && from <= text->len);
    pthread_mutex_lock(&ring->lock);
    if (ring->started == 0)
        ring->began = ring_now();
    slot->text = *text;
    slot->from = from;
    slot->counted = false;
    slot->number = ring->started++;
    slot->buffer = (uint32_t)(slot->number % ring->buffer_used);
    slot->room = ring->room;
    ring_marks(ring, slot->number)->timed = ring_times_it(slot->number);
    const uint64_t before = ring->buffers[slot->buffer].user;
    if (ring->lost)
        slot->state = RING_ISSUED;
    else if (ring->options.in_turns)
        rc = ring_turn(ring, slot, &err);
    else
        rc = ring_flow(ring, slot, before, &err);
    ring->buffers[slot->buffer].user = slot->number + 1;
    if (rc != ERR_OK)
        ring_lose(ring, &err);
    pthread_cond_broadcast(&ring->issued);
    pthread_mutex_unlock(&ring->lock);
}

void ring_hurry(struct ring *ring, uint32_t index)
{
    struct ring_slot *slot = &ring->slots[index];
    struct err err;
    enum err_code rc = ERR_OK;

    pthread_mutex_lock(&ring->lock);
    if (ring->held == index) {
        if (!ring->lost)
            rc = ring_last_turn(ring, slot, &err);
        if (rc != ERR_OK)
            ring_lose(ring, &err);
        slot->state = RING_ISSUED;
        ring->held = RING_NONE;
        pthread_cond_broadcast(&ring->issued);
    }
    pthread_mutex_unlock(&ring->lock);
}
