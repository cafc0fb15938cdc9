/* match/offload/offload.c - see offload.h: the way of a segment to one of the devices, and from one
 * that is lost to another. */
#include <stdio.h>
#include <string.h>

#include "match/offload/offload_parts.h"

/* The device that has the least to do, in turn where they are equal; NULL: none is ready, or none
 * is left. */
static struct offload_part *offload_pick(struct offload *offload)
{
    struct offload_part *best = NULL;

    for (uint32_t i = 1; i <= offload->part_count; i++) {
        const uint32_t at = (offload->last + i) % offload->part_count;
        struct offload_part *part = &offload->parts[at];

        if (part->state == OFFLOAD_OPEN && (best == NULL || part->busy < best->busy))
            best = part;
    }
    return best;
}

static void offload_start(void *program, uint32_t index, const struct match_text *text,
                          uint32_t from)
{
    struct offload *offload = program;
    struct offload_slot *slot = &offload->slots[index];

    pthread_mutex_lock(&offload->lock);
    struct offload_part *part = offload_pick(offload);
    if (offload->bytes == 0)
        clock_gettime(CLOCK_MONOTONIC, &offload->began);
    offload->bytes += text->len - from;
    slot->on = part;
    slot->taken = part == NULL;
    if (part != NULL) {
        part->busy++;
        offload->last = (uint32_t)(part - offload->parts);
    } else {
        offload->cpu_segments++;
    }
    pthread_mutex_unlock(&offload->lock);
    if (part != NULL)
        offload_device_start(&part->device, index, text, from);
}

static void offload_hurry(void *program, uint32_t index)
{
    const struct offload *offload = program;
    const struct offload_part *part = offload->slots[index].on;

    if (part != NULL)
        ring_hurry(part->device.ring, index);
}

static void offload_lose(struct offload *offload, struct offload_part *part, const struct err *why)
{
    pthread_mutex_lock(&offload->lock);
    if (part->state == OFFLOAD_OPEN)
        part->why = *why;
    part->state = OFFLOAD_LOST;
    pthread_mutex_unlock(&offload->lock);
}

/* Its bytes are still in the slot: another device searches them, at once and while the caller
 * waits. */
static bool offload_elsewhere(struct offload *offload, const struct match_text *text, uint32_t from,
                              uint32_t to, struct match_sink *sink, bool *fits)
{
    for (uint32_t i = 0; i < offload->part_count; i++) {
        struct offload_part *part = &offload->parts[i];
        struct err why;

        pthread_mutex_lock(&offload->lock);
        const bool open = part->state == OFFLOAD_OPEN;
        pthread_mutex_unlock(&offload->lock);
        if (!open)
            continue;
        if (ring_find(part->device.ring, text, from, to, sink, fits, &why) == ERR_OK)
            return true;
        offload_lose(offload, part, &why);
    }
    return false;
}

static bool offload_take(void *program, uint32_t index, const struct match_text *text,
                         uint32_t from, uint32_t to, struct match_sink *sink)
{
    struct offload *offload = program;
    struct offload_slot *slot = &offload->slots[index];
    bool fits = false;

    if (slot->on == NULL)
        return offload->cpu->scan(offload->cpu_program, text, from, to, sink);
    struct err why;
    const enum err_code rc =
        ring_take(slot->on->device.ring, index, text, from, to, sink, &fits, &why);
    pthread_mutex_lock(&offload->lock);
    slot->on->busy -= !slot->taken;
    slot->taken = true;
    pthread_mutex_unlock(&offload->lock);
    if (rc == ERR_OK)
        return fits;
    offload_lose(offload, slot->on, &why);
    if (offload_elsewhere(offload, text, from, to, sink, &fits))
        return fits;
    return offload->cpu->scan(offload->cpu_program, text, from, to, sink);
}

static bool offload_warning(void *program, char *text, size_t size)
{
    struct offload *offload = program;
    struct offload_part *failed = NULL;

    pthread_mutex_lock(&offload->lock);
    for (uint32_t i = 0; failed == NULL && i < offload->part_count; i++)
        if (offload->parts[i].state == OFFLOAD_LOST && !offload->parts[i].told)
            failed = &offload->parts[i];
    if (failed != NULL) {
        const struct offload_part *left = offload_pick(offload);

        failed->told = true;
        snprintf(text, size, "device %u is given up: %s; its segments are searched by %s",
                 failed->index, failed->why.text, left == NULL ? "the CPU" : "the other devices");
    }
    pthread_mutex_unlock(&offload->lock);
    return failed != NULL;
}

static void offload_describe(void *program, char *text, size_t size)
{
    struct offload *offload = program;

    text[0] = '\0';
    pthread_mutex_lock(&offload->lock);
    if (offload->cpu_segments > 0)
        snprintf(text, size, "%llu segments on the CPU, no device being ready",
                 (unsigned long long)offload->cpu_segments);
    for (uint32_t i = 0; i < offload->part_count; i++) {
        const struct offload_part *part = &offload->parts[i];

        size_t used = strlen(text);
        if (used + 2 < size && used > 0 && part->state != OFFLOAD_OPENING) {
            memcpy(text + used, "; ", 3);
            used += 2;
        }
        if (part->state == OFFLOAD_OPEN)
            offload_device_say(&part->device, text + used, size - used);
        else if (part->state == OFFLOAD_LOST)
            snprintf(text + used, size - used,
                     "device %u was lost and its segments searched elsewhere: %s", part->index,
                     part->why.text);
    }
    pthread_mutex_unlock(&offload->lock);
}

/* The first device that is open. */
static enum err_code offload_first(struct offload *offload, struct offload_device **out,
                                   struct err *err)
{
    *out = NULL;
    pthread_mutex_lock(&offload->lock);
    for (uint32_t i = 0; *out == NULL && i < offload->part_count; i++)
        if (offload->parts[i].state == OFFLOAD_OPEN)
            *out = &offload->parts[i].device;
    pthread_mutex_unlock(&offload->lock);
    if (*out == NULL)
        return ERR_RAISE(err, ERR_ENV, "no device is open on which engine %s could be measured",
                         offload->source.form->name);
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
    struct offload *offload = program;
    uint32_t count = 0;

    pthread_mutex_lock(&offload->lock);
    for (uint32_t i = 0; count < max && i < offload->part_count; i++)
        if (offload->parts[i].state == OFFLOAD_OPEN)
            out[count++] = offload_device_transfer(&offload->parts[i].device);
    pthread_mutex_unlock(&offload->lock);
    return count;
}

static const struct match_launch *offload_launches(void *program, uint32_t *count)
{
    const struct offload *offload = program;

    *count = offload->source.form->launch_count;
    return offload->source.form->launches;
}

static const struct match_lab offload_lab = {
    .time = offload_time,
    .tune = offload_tune,
    .transfers = offload_transfers,
    .launches = offload_launches,
};

const struct match_offload offload_calls = {
    .attach = offload_attach,
    .start = offload_start,
    .hurry = offload_hurry,
    .take = offload_take,
    .warning = offload_warning,
    .describe = offload_describe,
    .lab = &offload_lab,
};
