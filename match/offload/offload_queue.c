/* SPDX-License-Identifier: Apache-2.0
 * match/offload/offload_queue.c - see offload_queue.h. */
#include <stdio.h>

#include "match/offload/completion_time.h"
#include "match/offload/offload_queue.h"

enum {
    QUEUE_TIMED = 8,   /* segments whose times are known before auto chooses */
    QUEUE_LONG = 1000, /* segments to choose for: how many come is not known */
    QUEUE_PERCENT =
        101, /* of the least time are good enough: the rest is noise, and memory saved */
};

enum err_code offload_queue_open(struct offload_queue *out, const struct offload_device *device,
                                 uint32_t slots, struct err *err)
{
    const struct match_setup *setup = &device->source->setup;
    const bool in_turns = setup->strategy == MATCH_STRATEGY_B;
    const struct ring_options options = {
        .slots = slots,
        .buffers = in_turns ? 2 : slots,
        .in_turns = in_turns,
        .own_streams = setup->strategy == MATCH_STRATEGY_A,
        .text_max = setup->carry + setup->segment_len,
        .before = device->source->longest - 1,
        .hits_max = setup->hits_max,
        .launch = device->launch,
    };

    *out = (struct offload_queue){ .device = device };
    return ring_open(device->device, &device->search, &options, &out->ring, err);
}

void offload_queue_close(struct offload_queue *queue)
{
    ring_close(queue->ring);
    queue->ring = NULL;
}

/* What the theorems are about, from what has been seen. */
static struct completion_time_job queue_job(const struct offload_device *device,
                                            const struct ring_times *times, uint64_t segments)
{
    const double n = times->timed == 0 ? 1 : (double)times->timed;

    return (struct completion_time_job){
        .segments = segments == 0 ? 1 : (uint32_t)segments,
        .channels = device->device->info.copy_engines >= 2 ? 2 : 1,
        .write = times->write / n,
        .process = times->process / n,
        .read = times->read / n,
    };
}

/* The fewest buffers that do, of those that fit on the device: with one for each segment it would
 * be strategy A. */
static void queue_choose(struct offload_queue *queue)
{
    const struct ring_times times = ring_times(queue->ring);

    if (queue->chosen || queue->device->source->setup.strategy != MATCH_STRATEGY_AUTO ||
        times.timed < QUEUE_TIMED)
        return;
    const struct completion_time_job job = queue_job(queue->device, &times, QUEUE_LONG);
    const uint32_t most = ring_buffers(queue->ring);
    const double enough = completion_time_ring(&job, most) * QUEUE_PERCENT / 100;
    uint32_t buffers = most < 2 ? most : 2;

    while (buffers < most && completion_time_ring(&job, buffers) > enough)
        buffers++;
    ring_use(queue->ring, buffers);
    queue->chosen = true;
}

void offload_queue_start(struct offload_queue *queue, uint32_t slot, const struct match_text *text,
                         uint32_t from)
{
    queue_choose(queue);
    ring_start(queue->ring, slot, text, from);
}

struct match_transfer offload_queue_transfer(const struct offload_queue *const *queues,
                                             uint32_t count)
{
    const struct offload_device *device = queues[0]->device;
    struct ring_times all = { 0 };
    uint32_t buffers = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct ring_times times = ring_times(queues[i]->ring);

        all.segments += times.segments;
        all.timed += times.timed;
        all.write += times.write;
        all.process += times.process;
        all.read += times.read;
        all.all = times.all > all.all ? times.all : all.all;
        buffers += ring_buffers(queues[i]->ring);
    }
    const struct completion_time_job job = queue_job(device, &all, all.segments);
    const double b = completion_time_b(&job);

    return (struct match_transfer){
        .device = device->device->index,
        .buffers = buffers,
        .segments = all.segments,
        .write = job.write,
        .process = job.process,
        .read = job.read,
        .took = all.all,
        .predicted = device->source->setup.strategy == MATCH_STRATEGY_B
                         ? b
                         : completion_time_ring(&job, buffers),
        .predicted_a = completion_time_a(&job),
        .predicted_b = b,
    };
}

void offload_queue_say(const struct offload_queue *const *queues, uint32_t count, char *text,
                       size_t size)
{
    static const char *const names[] = { "auto", "A", "B" };
    const struct offload_device *device = queues[0]->device;
    const struct match_transfer t = offload_queue_transfer(queues, count);

    snprintf(text, size,
             "strategy %s, %u buffers on device %u (%s): %llu segments, each %.3f ms to write, "
             "%.3f to search, %.3f to "
             "read; predicted %.3f s (A %.3f, B %.3f), took %.3f s",
             names[device->source->setup.strategy], t.buffers, t.device, device->device->info.name,
             (unsigned long long)t.segments, t.write * 1e3, t.process * 1e3, t.read * 1e3,
             t.predicted, t.predicted_a, t.predicted_b, t.took);
}
