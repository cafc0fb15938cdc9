/* match/cuda/ring.c - see ring.h: the way of segments through an open ring. */
#include <assert.h>
#include <time.h>

#include "match/cuda/ring_parts.h"

/* Keeps the first error of the device. */
static void ring_lose(struct ring *ring, const struct err *err)
{
    if (!ring->lost)
        ring->loss = *err;
    ring->lost = true;
    pthread_cond_broadcast(&ring->issued);
}

uint32_t ring_slots(const struct ring *ring)
{
    return ring->slot_used;
}

void ring_use(struct ring *ring, uint32_t slots)
{
    assert(slots >= 1 && slots <= ring->slot_count && !ring->options.in_turns);
    pthread_mutex_lock(&ring->lock);
    ring->slot_used = slots;
    pthread_mutex_unlock(&ring->lock);
}

static double ring_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Where text [0, len) goes in a slot: its byte `from` to a multiple of RING_BLOCK. */
static uint8_t *ring_place(const struct ring_slot *slot, uint32_t from)
{
    return slot->memory + (RING_BLOCK - from % RING_BLOCK) % RING_BLOCK;
}

static struct ring_view ring_view(const struct ring *ring, const struct ring_slot *slot, uint32_t len, uint32_t from)
{
    return (struct ring_view){
        .text = ring_place(slot, from),
        .len = len,
        .from = from,
        .to = len,
        .found = slot->found,
        .hits = (struct ring_hit *)(slot->found + 1),
        .hits_max = ring->options.hits_max,
        .scratch = slot->scratch,
    };
}

/* Begins a step of the lane in its slot's stream, after the same slot's `after` step of the lane that had it before. */
static enum err_code ring_step_begin(struct ring *ring, struct ring_lane *lane, uint32_t step, uint32_t before_lane,
                                     uint32_t after, struct err *err)
{
    struct device_stream *stream = ring->slots[lane->slot].streams[step];
    enum err_code rc = ERR_OK;

    if (before_lane != RING_NONE)
        rc = device_event_follow(stream, ring->lanes[before_lane].end[after], err);
    if (rc == ERR_OK && step > RING_WRITE)
        rc = device_event_follow(stream, lane->end[step - 1], err);
    if (rc == ERR_OK)
        rc = device_event_record(lane->begin[step], stream, err);
    return rc;
}

static enum err_code ring_write(struct ring *ring, struct ring_lane *lane, struct err *err)
{
    struct ring_slot *slot = &ring->slots[lane->slot];
    enum err_code rc = ring_step_begin(ring, lane, RING_WRITE, slot->lane, RING_PROCESS, err);

    if (rc == ERR_OK)
        rc = device_copy_in(slot->streams[RING_WRITE], ring_place(slot, lane->from), lane->text.bytes, lane->text.len,
                            err);
    return rc == ERR_OK ? device_event_record(lane->end[RING_WRITE], slot->streams[RING_WRITE], err) : rc;
}

static enum err_code ring_search(struct ring *ring, struct device_stream *stream, const struct ring_view *view,
                                 struct err *err)
{
    enum err_code rc = device_fill(stream, view->found, 0, sizeof *view->found, err);

    return rc == ERR_OK ? ring->search.enqueue(ring->search.arg, stream, view, err) : rc;
}

static enum err_code ring_process(struct ring *ring, struct ring_lane *lane, uint32_t before_lane, struct err *err)
{
    struct ring_slot *slot = &ring->slots[lane->slot];
    const struct ring_view view = ring_view(ring, slot, lane->text.len, lane->from);
    enum err_code rc = ring_step_begin(ring, lane, RING_PROCESS, before_lane, RING_READ, err);

    if (rc == ERR_OK)
        rc = ring_search(ring, slot->streams[RING_PROCESS], &view, err);
    return rc == ERR_OK ? device_event_record(lane->end[RING_PROCESS], slot->streams[RING_PROCESS], err) : rc;
}

static enum err_code ring_read(struct ring *ring, struct ring_lane *lane, struct err *err)
{
    struct ring_slot *slot = &ring->slots[lane->slot];
    enum err_code rc = ring_step_begin(ring, lane, RING_READ, RING_NONE, 0, err);

    if (rc == ERR_OK)
        rc = device_copy_out(slot->streams[RING_READ], lane->result, slot->found, ring->result_size, err);
    if (rc == ERR_OK)
        rc = device_event_record(lane->end[RING_READ], slot->streams[RING_READ], err);
    lane->state = RING_ISSUED;
    return rc;
}

/* Only the thread that starts lanes changes anything meanwhile; those that take their hits must not wait as long. */
static enum err_code ring_wait_all(struct ring *ring, struct err *err)
{
    enum err_code rc = ERR_OK;

    pthread_mutex_unlock(&ring->lock);
    for (uint32_t i = 0; rc == ERR_OK && i < RING_STEPS; i++)
        rc = device_stream_wait(ring->streams[i], err);
    pthread_mutex_lock(&ring->lock);
    return rc;
}

/* One turn of Figure 5: the segment before is searched while this one is written, all is waited for, its hits are read. */
static enum err_code ring_turn(struct ring *ring, struct ring_lane *lane, struct err *err)
{
    struct ring_lane *before = ring->held == RING_NONE ? NULL : &ring->lanes[ring->held];
    enum err_code rc = ring_write(ring, lane, err);

    lane->state = RING_WRITTEN;
    if (before != NULL && rc == ERR_OK)
        rc = ring_process(ring, before, RING_NONE, err);
    if (rc == ERR_OK)
        rc = ring_wait_all(ring, err);
    if (before != NULL && rc == ERR_OK)
        rc = ring_read(ring, before, err);
    ring->held = (uint32_t)(lane - ring->lanes);
    return rc;
}

/* Waiting for events that the lane will record anew would be waiting for the wrong thing; they are done. */
static void ring_forget(struct ring *ring, uint32_t lane)
{
    for (uint32_t i = 0; i < ring->slot_count; i++)
        if (ring->slots[i].lane == lane)
            ring->slots[i].lane = RING_NONE;
}

void ring_start(struct ring *ring, uint32_t index, const struct match_text *text, uint32_t from)
{
    struct ring_lane *lane = &ring->lanes[index];
    struct err err;
    enum err_code rc = ERR_OK;

    assert(index < ring->options.lanes && text->len <= ring->options.text_max && from <= text->len);
    pthread_mutex_lock(&ring->lock);
    ring_forget(ring, index);
    if (ring->started == 0)
        ring->began = ring_now();
    lane->text = *text;
    lane->from = from;
    lane->counted = false;
    lane->slot = (uint32_t)(ring->started++ % ring->slot_used);
    const uint32_t before = ring->slots[lane->slot].lane;
    if (ring->lost) {
        lane->state = RING_ISSUED;
    } else if (ring->options.in_turns) {
        rc = ring_turn(ring, lane, &err);
    } else {
        rc = ring_write(ring, lane, &err);
        if (rc == ERR_OK)
            rc = ring_process(ring, lane, before, &err);
        if (rc == ERR_OK)
            rc = ring_read(ring, lane, &err);
    }
    ring->slots[lane->slot].lane = index;
    if (rc != ERR_OK)
        ring_lose(ring, &err);
    pthread_cond_broadcast(&ring->issued);
    pthread_mutex_unlock(&ring->lock);
}

void ring_hurry(struct ring *ring, uint32_t index)
{
    struct ring_lane *lane = &ring->lanes[index];
    struct err err;
    enum err_code rc = ERR_OK;

    pthread_mutex_lock(&ring->lock);
    if (ring->held == index) {
        if (!ring->lost)
            rc = ring_process(ring, lane, RING_NONE, &err);
        if (!ring->lost && rc == ERR_OK)
            rc = ring_read(ring, lane, &err);
        if (rc != ERR_OK)
            ring_lose(ring, &err);
        lane->state = RING_ISSUED;
        ring->held = RING_NONE;
        pthread_cond_broadcast(&ring->issued);
    }
    pthread_mutex_unlock(&ring->lock);
}

/* Appends the hits of a result that end in text [from, to); false, with sink as it was, when there is no room. */
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
        sink->items[sink->count++] =
            (struct hit){ .offset = offset + hits[i].start, .pattern = ring_hit_pattern(&hits[i]), .len = len };
    }
    return true;
}

enum err_code ring_find(struct ring *ring, const struct match_text *text, uint32_t from, uint32_t to,
                        struct match_sink *sink, bool *fits, struct err *err)
{
    const uint32_t start = from - (from < ring->options.before ? from : ring->options.before);
    struct ring_slot *slot = &ring->slots[ring->options.slots];
    struct device_stream *stream = slot->streams[RING_WRITE];

    pthread_mutex_lock(&ring->again_lock);
    const struct ring_view view = ring_view(ring, slot, to - start, from - start);
    enum err_code rc = device_copy_in(stream, view.text, text->bytes + start, view.len, err);
    if (rc == ERR_OK)
        rc = ring_search(ring, stream, &view, err);
    if (rc == ERR_OK)
        rc = device_copy_out(stream, ring->again, slot->found, ring->result_size, err);
    if (rc == ERR_OK)
        rc = device_stream_wait(stream, err);
    if (rc == ERR_OK)
        *fits = ring->again->count <= ring->options.hits_max &&
                ring_give(ring->again, text->offset + start, from - start, to - start, sink);
    pthread_mutex_unlock(&ring->again_lock);
    return rc;
}

/* Adds the lane's times to the sums; its events have been waited for. */
static enum err_code ring_count(struct ring *ring, struct ring_lane *lane, struct err *err)
{
    double seconds[RING_STEPS] = { 0 };
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < RING_STEPS; i++)
        rc = device_event_elapsed(lane->begin[i], lane->end[i], &seconds[i], err);
    pthread_mutex_lock(&ring->lock);
    if (rc == ERR_OK && !lane->counted) {
        ring->times.segments++;
        ring->times.bytes += lane->text.len - lane->from;
        ring->times.write += seconds[RING_WRITE];
        ring->times.process += seconds[RING_PROCESS];
        ring->times.read += seconds[RING_READ];
        ring->times.all = ring_now() - ring->began;
    }
    lane->counted = true;
    pthread_mutex_unlock(&ring->lock);
    return rc;
}

/* The result of the lane, once it is there. */
static enum err_code ring_result(struct ring *ring, struct ring_lane *lane, struct err *err)
{
    pthread_mutex_lock(&ring->lock);
    while (lane->state != RING_ISSUED && !ring->lost)
        pthread_cond_wait(&ring->issued, &ring->lock);
    const bool lost = ring->lost, counted = lane->counted;
    pthread_mutex_unlock(&ring->lock);
    if (lost || counted)
        return ERR_OK;
    enum err_code rc = device_event_wait(lane->end[RING_READ], err);
    return rc == ERR_OK ? ring_count(ring, lane, err) : rc;
}

enum err_code ring_take(struct ring *ring, uint32_t index, const struct match_text *text, uint32_t from, uint32_t to,
                        struct match_sink *sink, bool *fits, struct err *err)
{
    struct ring_lane *lane = &ring->lanes[index];
    struct err cause;
    enum err_code rc = ring_result(ring, lane, &cause);

    pthread_mutex_lock(&ring->lock);
    bool lost = ring->lost;
    pthread_mutex_unlock(&ring->lock);
    if (!lost && rc == ERR_OK) {
        if (lane->result->count <= ring->options.hits_max)
            *fits = ring_give(lane->result, text->offset, from, to, sink);
        else /* no room for all hits of the text: the stretch by itself */
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
