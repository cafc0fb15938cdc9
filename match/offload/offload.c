/* SPDX-License-Identifier: Apache-2.0
 * match/offload/offload.c - see offload.h: the way of a segment to one of the devices, and from one
 * that is lost to another. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "match/offload/offload_parts.h"

enum {
    OFFLOAD_LINE = 1024, /* bytes of what is said of one device */
};

/* The device that has the least to do, in turn where they are equal; NULL: none is ready for the
 * slot, or none is left. With the lock held. */
static struct offload_part *offload_pick(const struct offload *offload,
                                         const struct offload_slot *slot)
{
    struct offload_shared *shared = offload->shared;
    struct offload_part *best = NULL;

    if (slot->pin != OFFLOAD_PINNED || shared->trial.slower)
        return NULL;
    for (uint32_t i = 1; i <= shared->part_count; i++) {
        const uint32_t at = (shared->last + i) % shared->part_count;
        struct offload_part *part = &shared->parts[at];

        if (part->state == OFFLOAD_OPEN && offload->queues[at].ring != NULL &&
            (best == NULL || part->busy < best->busy))
            best = part;
    }
    return best;
}

static struct offload_queue *offload_queue(struct offload *offload, const struct offload_part *part)
{
    return &offload->queues[part - offload->shared->parts];
}

static void offload_expect(void *program, uint64_t bytes)
{
    struct offload_shared *shared = ((struct offload *)program)->shared;

    pthread_mutex_lock(&shared->lock);
    shared->expected = bytes;
    pthread_mutex_unlock(&shared->lock);
}

static bool offload_beside(void *program)
{
    const struct offload *offload = program;
    struct offload_shared *shared = offload->shared;
    bool beside = false;

    pthread_mutex_lock(&shared->lock);
    for (uint32_t i = 0; i < shared->part_count; i++)
        beside =
            beside || (shared->parts[i].state == OFFLOAD_OPEN && offload->queues[i].ring != NULL);
    beside = beside && !shared->trial.slower;
    pthread_mutex_unlock(&shared->lock);
    return beside;
}

static void offload_start(void *program, uint32_t index, const struct match_text *text,
                          uint32_t from)
{
    struct offload *offload = program;
    struct offload_shared *shared = offload->shared;
    struct offload_slot *slot = &offload->slots[index];
    const uint64_t now = clock_now(CLOCK_MONOTONIC);

    pthread_mutex_lock(&shared->lock);
    struct offload_part *part = offload_pick(offload, slot);
    if (shared->bytes == 0)
        shared->began_ns = shared->trial.since_ns = now;
    if (shared->source.setup.devices_auto)
        offload_trial_note(&shared->trial, now, shared->bytes, part != NULL);
    shared->bytes += text->len - from;
    slot->on = part;
    slot->taken = part == NULL;
    if (part != NULL) {
        part->busy++;
        shared->last = (uint32_t)(part - shared->parts);
        shared->device_segments++;
    } else {
        shared->cpu_segments++;
    }
    pthread_mutex_unlock(&shared->lock);
    if (part != NULL)
        offload_queue_start(offload_queue(offload, part), index, text, from);
}

static void offload_hurry(void *program, uint32_t index)
{
    struct offload *offload = program;
    const struct offload_part *part = offload->slots[index].on;

    if (part != NULL)
        ring_hurry(offload_queue(offload, part)->ring, index);
}

void offload_lose(struct offload_shared *shared, struct offload_part *part, const struct err *why)
{
    pthread_mutex_lock(&shared->lock);
    if (part->state == OFFLOAD_OPEN)
        part->why = *why;
    part->state = OFFLOAD_LOST;
    pthread_mutex_unlock(&shared->lock);
}

/* Its bytes are still in the slot: another device searches them, at once and while the caller
 * waits. */
static bool offload_elsewhere(struct offload *offload, const struct match_text *text, uint32_t from,
                              uint32_t to, struct match_sink *sink, bool *fits)
{
    struct offload_shared *shared = offload->shared;

    for (uint32_t i = 0; i < shared->part_count; i++) {
        struct offload_part *part = &shared->parts[i];
        struct err why;

        pthread_mutex_lock(&shared->lock);
        struct ring *ring = part->state == OFFLOAD_OPEN ? offload->queues[i].ring : NULL;
        pthread_mutex_unlock(&shared->lock);
        if (ring == NULL)
            continue;
        if (ring_find(ring, text, from, to, sink, fits, &why) == ERR_OK)
            return true;
        offload_lose(shared, part, &why);
    }
    return false;
}

/* The CPU searches; while no device does, it is counted how long. */
static bool offload_scan(struct offload_shared *shared, const struct match_text *text,
                         uint32_t from, uint32_t to, struct match_sink *sink)
{
    if (!shared->source.setup.devices_auto)
        return shared->cpu->scan(shared->cpu_program, text, from, to, sink);
    const uint64_t begin = clock_now(CLOCK_THREAD_CPUTIME_ID);
    const bool fits = shared->cpu->scan(shared->cpu_program, text, from, to, sink);
    const uint64_t took = clock_now(CLOCK_THREAD_CPUTIME_ID) - begin;

    pthread_mutex_lock(&shared->lock);
    if (shared->device_segments == 0)
        shared->matching_ns += took;
    pthread_mutex_unlock(&shared->lock);
    return fits;
}

static bool offload_take(void *program, uint32_t index, const struct match_text *text,
                         uint32_t from, uint32_t to, struct match_sink *sink)
{
    struct offload *offload = program;
    struct offload_shared *shared = offload->shared;
    struct offload_slot *slot = &offload->slots[index];
    bool fits = false;

    if (slot->on == NULL)
        return offload_scan(shared, text, from, to, sink);
    struct err why;
    const enum err_code rc =
        ring_take(offload_queue(offload, slot->on)->ring, index, text, from, to, sink, &fits, &why);
    pthread_mutex_lock(&shared->lock);
    slot->on->busy -= !slot->taken;
    slot->taken = true;
    pthread_mutex_unlock(&shared->lock);
    if (rc == ERR_OK)
        return fits;
    offload_lose(shared, slot->on, &why);
    if (offload_elsewhere(offload, text, from, to, sink, &fits))
        return fits;
    return offload_scan(shared, text, from, to, sink);
}

/* Whether some device is at work. With the lock held. */
static bool offload_any(const struct offload_shared *shared)
{
    bool any = false;

    for (uint32_t i = 0; i < shared->part_count; i++)
        any = any || shared->parts[i].state == OFFLOAD_OPEN;
    return any;
}

static bool offload_warning(void *program, char *text, size_t size)
{
    struct offload_shared *shared = ((struct offload *)program)->shared;
    struct offload_part *failed = NULL;

    pthread_mutex_lock(&shared->lock);
    /* Nobody asked for a device that never came to work: that is for the log. */
    const bool asked = !shared->source.setup.devices_auto || shared->device_segments > 0;
    for (uint32_t i = 0; asked && failed == NULL && i < shared->part_count; i++)
        if (shared->parts[i].state == OFFLOAD_LOST && !shared->parts[i].told)
            failed = &shared->parts[i];
    if (failed != NULL) {
        failed->told = true;
        snprintf(text, size, "device %u is given up: %s; its segments are searched by %s",
                 failed->index, failed->why.text,
                 offload_any(shared) ? "the other devices" : "the CPU");
    }
    pthread_mutex_unlock(&shared->lock);
    return failed != NULL;
}

/* The queues of all matchers to part `at`; returns how many. With the lock held. */
static uint32_t offload_queues(const struct offload_shared *shared, uint32_t at,
                               const struct offload_queue *out[LIMIT_THREADS])
{
    uint32_t count = 0;

    for (const struct offload *o = shared->first; o != NULL && count < LIMIT_THREADS; o = o->next)
        if (o->queues[at].ring != NULL)
            out[count++] = &o->queues[at];
    return count;
}

/* Appends to a text of at most size bytes with its NUL; "; " goes between. */
static void offload_say(char *text, size_t size, const char *more)
{
    const size_t used = strlen(text);

    snprintf(text + used, size - used, "%s%s", used > 0 ? "; " : "", more);
}

static void offload_say_part(const struct offload_shared *shared, uint32_t at, char *line,
                             size_t size)
{
    const struct offload_part *part = &shared->parts[at];
    const struct offload_queue *queues[LIMIT_THREADS];
    const uint32_t count = offload_queues(shared, at, queues);

    line[0] = '\0';
    if (part->state == OFFLOAD_OPEN && count > 0)
        offload_queue_say(queues, count, line, size);
    else if (part->state == OFFLOAD_LOST)
        snprintf(line, size, "device %u was lost and its segments searched elsewhere: %s",
                 part->index, part->why.text);
}

/* Devices that are to be used where they make the search faster: why they were not. */
static void offload_say_unused(const struct offload_shared *shared, char *line, size_t size)
{
    const struct offload_pace pace = offload_pace(shared);

    if (shared->trial.slower)
        snprintf(line, size,
                 "with devices fewer bytes a second were searched than before, so the "
                 "CPU went on alone");
    else
        snprintf(line, size,
                 "no device was used, because the rest would not have ended earlier: matching took "
                 "%.0f %% of the threads' time",
                 offload_share(&pace) * 100);
}

static void offload_describe(void *program, char *text, size_t size)
{
    struct offload_shared *shared = ((struct offload *)program)->shared;
    const bool automatic = shared->source.setup.devices_auto;
    char line[OFFLOAD_LINE];

    text[0] = '\0';
    pthread_mutex_lock(&shared->lock);
    if (shared->cpu_segments > 0 && !automatic) {
        snprintf(line, sizeof line, "%llu segments on the CPU, no device being ready",
                 (unsigned long long)shared->cpu_segments);
        offload_say(text, size, line);
    }
    if (automatic && (shared->device_segments == 0 || shared->trial.slower)) {
        offload_say_unused(shared, line, sizeof line);
        offload_say(text, size, line);
    }
    for (uint32_t i = 0; i < shared->part_count; i++) {
        offload_say_part(shared, i, line, sizeof line);
        if (line[0] != '\0')
            offload_say(text, size, line);
    }
    pthread_mutex_unlock(&shared->lock);
}

static const char *offload_name(void *program)
{
    struct offload_shared *shared = ((struct offload *)program)->shared;

    pthread_mutex_lock(&shared->lock);
    const bool idle = shared->source.setup.devices_auto && shared->device_segments == 0;
    pthread_mutex_unlock(&shared->lock);
    if (!idle)
        return shared->source.form->name;
    return shared->cpu == &match_auto_engine ? match_auto_name(shared->cpu_program)
                                             : shared->cpu->name;
}

/* The first device that is open. */
static enum err_code offload_first(struct offload *offload, struct offload_device **out,
                                   struct err *err)
{
    struct offload_shared *shared = offload->shared;

    *out = NULL;
    pthread_mutex_lock(&shared->lock);
    for (uint32_t i = 0; *out == NULL && i < shared->part_count; i++)
        if (shared->parts[i].state == OFFLOAD_OPEN)
            *out = &shared->parts[i].device;
    pthread_mutex_unlock(&shared->lock);
    if (*out == NULL)
        return ERR_RAISE(err, ERR_ENV, "no device is open on which engine %s could be measured",
                         shared->source.form->name);
    return ERR_OK;
}

static enum err_code offload_time(void *program, struct match_timing *timing, struct err *err)
{
    struct offload_device *device;
    const enum err_code rc = offload_first(program, &device, err);

    return rc == ERR_OK ? offload_device_time(device, timing, err) : rc;
}

static enum err_code offload_tune(void *program, struct match_timing *timing,
                                  struct match_launch *best, struct err *err)
{
    struct offload_device *device;
    const enum err_code rc = offload_first(program, &device, err);

    return rc == ERR_OK ? offload_device_tune(device, timing, best, err) : rc;
}

static uint32_t offload_transfers(void *program, struct match_transfer *out, uint32_t max)
{
    struct offload_shared *shared = ((struct offload *)program)->shared;
    const struct offload_queue *queues[LIMIT_THREADS];
    uint32_t count = 0;

    pthread_mutex_lock(&shared->lock);
    for (uint32_t i = 0; count < max && i < shared->part_count; i++) {
        const uint32_t n = offload_queues(shared, i, queues);

        if (shared->parts[i].state == OFFLOAD_OPEN && n > 0)
            out[count++] = offload_queue_transfer(queues, n);
    }
    pthread_mutex_unlock(&shared->lock);
    return count;
}

static const struct match_launch *offload_launches(void *program, uint32_t *count)
{
    const struct offload_shared *shared = ((struct offload *)program)->shared;

    *count = shared->source.form->launch_count;
    return shared->source.form->launches;
}

static const struct match_lab offload_lab = {
    .time = offload_time,
    .tune = offload_tune,
    .transfers = offload_transfers,
    .launches = offload_launches,
};

const struct match_offload offload_calls = {
    .share = offload_share_program,
    .expect = offload_expect,
    .beside = offload_beside,
    .attach = offload_attach,
    .start = offload_start,
    .hurry = offload_hurry,
    .take = offload_take,
    .warning = offload_warning,
    .describe = offload_describe,
    .name = offload_name,
    .lab = &offload_lab,
};
