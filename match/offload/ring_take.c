/* SPDX-License-Identifier: Apache-2.0
 * match/offload/ring_take.c - see ring.h: what a ring's segments end in, hits and times. */
#include "match/offload/ring_parts.h"
#include "match/offload/ring_sort.h"

enum {
    RING_RECENT = 64,       /* segments */
    RING_ROOM_LEAST = 1024, /* hits; less saves no time */
};

/* Appends the hits of a result that end in text [from, to); false, with sink as it was, when there
 * is no room. */
static bool ring_give(const struct ring_found *found, uint64_t offset, uint32_t from, uint32_t to,
                      struct match_sink *sink)
{
    const struct ring_hit *hits = (const struct ring_hit *)(found + 1);
    const uint32_t before = sink->count;

    for (uint32_t i = 0; i < found->count; i++) {
        const uint32_t len = ring_hit_len(&hits[i]);
        const uint32_t last = hits[i].start + len - 1;

        if (last < from || last >= to)
            continue;
        if (sink->count == sink->max) {
            sink->count = before;
            return false;
        }
        sink->items[sink->count++] = (struct hit){ .offset = offset + hits[i].start,
                                                   .pattern = ring_hit_pattern(&hits[i]),
                                                   .len = len };
    }
    return true;
}

/*
 * Appends the hits of a text's result that end in text [from, to). False, with sink as it was, when
 * there is no room in it, or when there was none in the result, which has room for so many: then
 * *roomy is false.
 */
static bool ring_result_give(const struct ring *ring, const void *result, uint32_t room,
                             const struct match_text *text, uint32_t from, uint32_t to,
                             struct match_sink *sink, bool *roomy)
{
    const struct ring_found *found = result;

    *roomy = true;
    if (ring->search.collect != NULL)
        return ring->search.collect(ring->search.arg, result, text, from, to, sink);
    *roomy = found->count <= room;
    return *roomy && ring_give(found, text->offset, from, to, sink);
}

/* Sorts the hits of a result that has them all. */
static void ring_order(const struct ring *ring, struct ring_found *found, uint32_t room,
                       uint32_t text_len)
{
    if (ring->search.collect == NULL && found->count <= room)
        ring_sort((struct ring_hit *)(found + 1), found->count, text_len);
}

enum err_code ring_find(struct ring *ring, const struct match_text *text, uint32_t from,
                        uint32_t to, struct match_sink *sink, bool *fits, struct err *err)
{
    const uint32_t start = from - (from < ring->options.before ? from : ring->options.before);
    struct ring_buffer *buffer = &ring->buffers[ring->options.buffers];
    struct device_stream *stream = buffer->streams[RING_WRITE];

    pthread_mutex_lock(&ring->again_lock);
    const struct ring_view view = ring_view(ring, buffer, to - start, from - start);
    const struct match_text part = { .bytes = text->bytes + start,
                                     .len = to - start,
                                     .offset = text->offset + start };
    bool roomy = true;
    enum err_code rc = device_copy_in(stream, view.text, text->bytes + start, view.len, err);
    if (rc == ERR_OK)
        rc = ring_search(ring, stream, &view, err);
    if (rc == ERR_OK)
        rc =
            ring_copy_out(ring, buffer, stream, ring->again, view.len, ring->options.hits_max, err);
    if (rc == ERR_OK)
        rc = device_stream_wait(stream, err);
    if (rc == ERR_OK) {
        ring_order(ring, ring->again, ring->options.hits_max, view.len);
        *fits = ring_result_give(ring, ring->again, ring->options.hits_max, &part, from - start,
                                 to - start, sink, &roomy);
    }
    pthread_mutex_unlock(&ring->again_lock);
    return rc;
}

/* Adds the slot's times to the sums; its events have been waited for. */
static enum err_code ring_count(struct ring *ring, struct ring_slot *slot, struct err *err)
{
    const struct ring_marks *marks = ring_marks(ring, slot->number);
    double seconds[RING_STEPS] = { 0 };
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && marks->timed && i < RING_STEPS; i++)
        rc = device_event_elapsed(marks->begin[i], marks->end[i], &seconds[i], err);
    pthread_mutex_lock(&ring->lock);
    if (rc == ERR_OK) {
        ring->times.segments++;
        ring->times.bytes += slot->text.len - slot->from;
        ring->times.timed += marks->timed;
        ring->times.write += seconds[RING_WRITE];
        ring->times.process += seconds[RING_PROCESS];
        ring->times.read += seconds[RING_READ];
        ring->times.all = ring_now() - ring->began;
    }
    slot->counted = true;
    pthread_mutex_unlock(&ring->lock);
    return rc;
}

/* So many hits are read back of the next segments: twice as many as one of the last ones had. */
static void ring_expect(struct ring *ring, uint32_t count)
{
    pthread_mutex_lock(&ring->lock);
    const uint32_t fits = count < ring->options.hits_max ? count : ring->options.hits_max;
    ring->most[0] = fits > ring->most[0] ? fits : ring->most[0];
    if (ring->times.segments % RING_RECENT == 0) {
        ring->most[1] = ring->most[0];
        ring->most[0] = fits;
    }
    const uint32_t most = ring->most[0] > ring->most[1] ? ring->most[0] : ring->most[1];
    if (ring->times.segments >= RING_RECENT || most > ring->room / 2) {
        const uint32_t room = most < RING_ROOM_LEAST ? 2 * RING_ROOM_LEAST : 2 * most;

        ring->room = room < ring->options.hits_max ? room : ring->options.hits_max;
    }
    pthread_mutex_unlock(&ring->lock);
}

/* The result of the slot, once it is there. */
static enum err_code ring_result(struct ring *ring, struct ring_slot *slot, struct err *err)
{
    pthread_mutex_lock(&ring->lock);
    while (slot->state != RING_ISSUED && !ring->lost)
        pthread_cond_wait(&ring->issued, &ring->lock);
    const bool lost = ring->lost, counted = slot->counted;
    pthread_mutex_unlock(&ring->lock);
    if (lost || counted)
        return ERR_OK;
    enum err_code rc = device_event_wait(ring_marks(ring, slot->number)->end[RING_READ], err);
    if (rc == ERR_OK)
        rc = ring_count(ring, slot, err);
    if (rc == ERR_OK && ring->search.collect == NULL)
        ring_expect(ring, ((const struct ring_found *)slot->result)->count);
    if (rc == ERR_OK)
        ring_order(ring, slot->result, slot->room, slot->text.len);
    return rc;
}

enum err_code ring_take(struct ring *ring, uint32_t index, const struct match_text *text,
                        uint32_t from, uint32_t to, struct match_sink *sink, bool *fits,
                        struct err *err)
{
    struct ring_slot *slot = &ring->slots[index];
    struct err cause;
    bool roomy = true;
    enum err_code rc = ring_result(ring, slot, &cause);

    pthread_mutex_lock(&ring->lock);
    bool lost = ring->lost;
    pthread_mutex_unlock(&ring->lock);
    if (!lost && rc == ERR_OK) {
        *fits = ring_result_give(ring, slot->result, slot->room, text, from, to, sink, &roomy);
        if (!roomy) /* not all hits of the text are here: the stretch by itself */
            rc = ring_find(ring, text, from, to, sink, fits, &cause);
    }
    pthread_mutex_lock(&ring->lock);
    if (rc != ERR_OK)
        ring_lose(ring, &cause);
    if (lost || rc != ERR_OK) {
        rc = ERR_ENV;
        if (err != NULL)
            *err = ring->loss;
    }
    pthread_mutex_unlock(&ring->lock);
    return rc;
}

struct ring_times ring_times(struct ring *ring)
{
    pthread_mutex_lock(&ring->lock);
    const struct ring_times times = ring->times;
    pthread_mutex_unlock(&ring->lock);
    return times;
}
