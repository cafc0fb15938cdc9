/* SPDX-License-Identifier: Apache-2.0
 * match/offload/offload_open.c - the opening of an engine's devices: before the first segment, or
 * in a thread of its own while the CPU already searches, for a runtime takes as long to start as a
 * disk does to give some gigabytes.
 *
 * Each device is opened once. Each matcher has a queue of its own to it: whoever comes second, the
 * device or the matcher, sees that it is opened.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/steady.h"
#include "match/offload/offload_early.h"

enum {
    OFFLOAD_WORTH = 3, /* times the device delay: devices are started if at least that is left */
    OFFLOAD_SOON = 10, /* milliseconds of a delay that is over before the CPU's tables are made */
    OFFLOAD_LOOKS = 4, /* at whether it is, in the time of the delay */
    OFFLOAD_AC_MAX = 100000, /* patterns of which an automaton is small enough to be made for no
                                more than that */
};

/* Whether the form searches with the automaton, on the device or behind it; or the list is short
 * enough for it to search what devices lose. */
static bool offload_wants_ac(const struct offload_source *source)
{
    const struct offload_form *form = source->form;

    return form->rows != TABLES_WITHOUT || form->collect != NULL ||
           match_dictionary_count(source->dictionary) <= OFFLOAD_AC_MAX;
}

/* What all devices get. */
static enum err_code offload_make_source(struct offload_shared *shared, struct err *err)
{
    struct offload_source *source = &shared->source;
    enum err_code rc = ERR_OK;

    if (offload_wants_ac(source))
        rc = ac_build(source->dictionary, &source->ac, err);
    if (rc == ERR_OK && source->form->extra != NULL)
        rc = source->form->extra(source->dictionary, &source->extra, &source->extra_size, err);
    return rc;
}

/* Locks a slot's memory, which nobody else does. Nothing of it goes to a device before. */
static enum err_code offload_pin_slot(struct offload_shared *shared, struct offload_slot *slot,
                                      struct err *err)
{
    const enum err_code rc = device_pin(shared->pinner, slot->memory, slot->size, err);

    pthread_mutex_lock(&shared->lock);
    slot->pin = rc == ERR_OK ? OFFLOAD_PINNED : OFFLOAD_LOOSE;
    pthread_mutex_unlock(&shared->lock);
    return rc;
}

/* A slot that is attached, and that nobody has locked or locks; NULL: there is none. */
static struct offload_slot *offload_loose(struct offload *offload)
{
    struct offload_slot *loose = NULL;

    pthread_mutex_lock(&offload->shared->lock);
    for (uint32_t i = 0; loose == NULL && i < offload->slot_count; i++)
        if (offload->slots[i].memory != NULL && offload->slots[i].pin == OFFLOAD_LOOSE)
            loose = &offload->slots[i];
    if (loose != NULL)
        loose->pin = OFFLOAD_PINNING;
    pthread_mutex_unlock(&offload->shared->lock);
    return loose;
}

static enum err_code offload_pin(struct offload *offload, struct err *err)
{
    struct offload_slot *slot;
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && (slot = offload_loose(offload)) != NULL)
        rc = offload_pin_slot(offload->shared, slot, err);
    return rc;
}

static void offload_unpin(struct offload *offload)
{
    for (uint32_t i = 0; i < offload->slot_count; i++) {
        if (offload->slots[i].pin == OFFLOAD_PINNED)
            device_unpin(offload->shared->pinner, offload->slots[i].memory);
        offload->slots[i].pin = OFFLOAD_LOOSE;
    }
}

/* The matcher's queue to a device that is open; offload->asked is set. */
static enum err_code offload_reach(struct offload *offload, uint32_t at, struct err *err)
{
    struct offload_shared *shared = offload->shared;
    struct offload_part *part = &shared->parts[at];
    struct offload_queue queue;
    enum err_code rc = offload_queue_open(&queue, &part->device, offload->slot_count, err);

    if (rc != ERR_OK)
        return rc;
    rc = offload_pin(offload, err);
    pthread_mutex_lock(&shared->lock);
    if (rc == ERR_OK) {
        offload->queues[at] = queue;
        part->queues++;
    }
    pthread_mutex_unlock(&shared->lock);
    if (rc != ERR_OK)
        offload_queue_close(&queue);
    return rc;
}

/* Takes on the next matcher that has no queue to the device yet; NULL: there is none, or the end
 * is near. */
static struct offload *offload_next(struct offload_shared *shared, uint32_t at)
{
    struct offload *next = NULL;

    pthread_mutex_lock(&shared->lock);
    for (struct offload *o = shared->first; next == NULL && o != NULL && !shared->stop; o = o->next)
        if (!o->asked[at])
            next = o;
    if (next != NULL)
        next->asked[at] = next->opening = true;
    pthread_mutex_unlock(&shared->lock);
    return next;
}

/*
 * Opens the queues of all matchers to a device. One that cannot be opened leaves its matcher to the
 * other devices and the CPU; a device to which there is none is of no use.
 */
static enum err_code offload_reach_all(struct offload_shared *shared, uint32_t at, struct err *err)
{
    struct offload *offload;
    enum err_code rc = ERR_OK;

    while ((offload = offload_next(shared, at)) != NULL) {
        const enum err_code status = offload_reach(offload, at, rc == ERR_OK ? err : NULL);

        rc = rc == ERR_OK ? status : rc;
        pthread_mutex_lock(&shared->lock);
        offload->opening = false;
        pthread_cond_broadcast(&shared->changed);
        pthread_mutex_unlock(&shared->lock);
    }
    pthread_mutex_lock(&shared->lock);
    const bool reached = shared->parts[at].queues > 0;
    pthread_mutex_unlock(&shared->lock);
    return reached ? ERR_OK : rc;
}

/* A part whose device is there, unless part->why says why not, goes to work. Nobody else looks at
 * it before it is open. */
static void offload_open_part(struct offload_shared *shared, uint32_t at)
{
    struct offload_part *part = &shared->parts[at];
    struct err why = part->why;
    enum err_code rc = ERR_ENV;

    if (part->device.device != NULL)
        rc = offload_device_load(&part->device, &shared->source, &why);
    pthread_mutex_lock(&shared->lock);
    part->state = rc == ERR_OK ? OFFLOAD_OPEN : OFFLOAD_LOST;
    part->why = why;
    if (rc == ERR_OK && shared->pinner == NULL)
        shared->pinner = part->device.device;
    pthread_mutex_unlock(&shared->lock);
    if (rc == ERR_OK && offload_reach_all(shared, at, &why) != ERR_OK)
        offload_lose(shared, part, &why);
}

/* Why there is no device at work; ERR_OK: there is one. */
static enum err_code offload_none(struct offload_shared *shared, struct err *err)
{
    enum err_code rc = ERR_ENV;

    pthread_mutex_lock(&shared->lock);
    for (uint32_t i = 0; i < shared->part_count; i++)
        if (shared->parts[i].state == OFFLOAD_OPEN)
            rc = ERR_OK;
    if (rc != ERR_OK && err != NULL)
        *err = shared->parts[0].why;
    pthread_mutex_unlock(&shared->lock);
    return rc;
}

/* Opens the devices one after the other; each goes to work at once. Fails when none can be opened.
 */
static enum err_code offload_open(struct offload_shared *shared, struct err *err)
{
    struct offload_early early;
    bool stop = false;

    offload_early_begin(&early, shared);
    enum err_code rc = offload_make_source(shared, err);
    if (rc == ERR_OK)
        rc = offload_early_list(&early, err);
    for (uint32_t i = 0; rc == ERR_OK && !stop && i < shared->part_count; i++) {
        stop = !offload_early_wait(&early, i);
        if (!stop)
            offload_open_part(shared, i);
    }
    offload_early_end(&early);
    return rc == ERR_OK && !stop ? offload_none(shared, err) : rc;
}

struct offload_pace offload_pace(const struct offload_shared *shared)
{
    const struct match_setup *setup = &shared->source.setup;
    const uint64_t now = clock_now(CLOCK_MONOTONIC);

    return (struct offload_pace){
        .bytes = shared->bytes,
        .left = shared->expected > shared->bytes ? shared->expected - shared->bytes : 0,
        .seconds = shared->bytes == 0 ? 0 : (double)(now - shared->began_ns) * 1e-9,
        .matching = (double)shared->matching_ns * 1e-9,
        .threads = setup->threads,
    };
}

/*
 * With the lock held: true when what is left takes so long, at the speed so far, that devices are
 * worth their start and their end. A start takes memory and the bus from the reader, and what is
 * searched as fast as it is read cannot be searched faster.
 */
static bool offload_pays(const struct offload_shared *shared)
{
    const struct match_setup *setup = &shared->source.setup;
    const struct offload_pace pace = offload_pace(shared);

    if (setup->devices_auto)
        return offload_worth(&pace);
    return shared->expected == 0 || pace.bytes == 0 ||
           (double)pace.left * pace.seconds >=
               (double)pace.bytes * OFFLOAD_WORTH * setup->device_delay * 1e-3;
}

/* With the lock held: waits for some milliseconds, or until there is to be an end. */
static void offload_wait(struct offload_shared *shared, uint32_t ms)
{
    const struct timespec until = steady_after(ms);
    int status = 0;

    while (!shared->stop && status == 0)
        status = pthread_cond_timedwait(&shared->changed, &shared->lock, &until);
}

/* True when the scan has gone on for so long, and will, that devices are to be started; looked at
 * again, for a disk may become slow. */
static bool offload_device_delay(struct offload_shared *shared)
{
    const uint32_t ms = shared->source.setup.device_delay;

    pthread_mutex_lock(&shared->lock);
    offload_wait(shared, ms);
    while (!shared->stop && !offload_pays(shared))
        offload_wait(shared, ms / OFFLOAD_LOOKS + 1);
    const bool stop = shared->stop;
    pthread_mutex_unlock(&shared->lock);
    return !stop;
}

static void offload_open_later(void *arg)
{
    struct offload_shared *shared = arg;
    struct err why = { 0 };

    if (!offload_device_delay(shared) || offload_open(shared, &why) == ERR_OK)
        return;
    pthread_mutex_lock(&shared->lock);
    if (shared->part_count == 0) { /* not even a list of devices: say it of the first */
        shared->part_count = 1;
        shared->parts[0].state = OFFLOAD_LOST;
        shared->parts[0].why = why;
    }
    pthread_mutex_unlock(&shared->lock);
}

/* The CPU engine that takes any dictionary; devices need none in its setup. */
static enum err_code offload_begin_cpu(struct offload_shared *shared, struct err *err)
{
    struct match_setup setup = shared->source.setup;

    setup.devices = NULL;
    shared->cpu = &match_auto_engine;
    return match_auto_engine.compile(shared->source.dictionary, &setup, &shared->cpu_program, err);
}

/* Devices open now; what they lose, the automaton searches where one was built for them. */
static enum err_code offload_begin_now(struct offload_shared *shared, struct err *err)
{
    const enum err_code rc = offload_open(shared, err);

    if (rc == ERR_OK && shared->source.ac == NULL)
        return offload_begin_cpu(shared, err);
    shared->cpu = &match_ac_engine;
    shared->cpu_program = shared->source.ac;
    return rc;
}

/* Devices open in a thread of their own; until then the CPU searches, as fast as it can. */
static enum err_code offload_begin_later(struct offload_shared *shared, struct err *err)
{
    const struct match_setup *setup = &shared->source.setup;
    const bool soon = !setup->devices_auto && setup->device_delay <= OFFLOAD_SOON;
    enum err_code rc = ERR_OK;

    if (soon)
        rc = thread_start(&shared->opener, "devices", offload_open_later, shared, err);
    if (rc == ERR_OK)
        rc = offload_begin_cpu(shared, err);
    if (rc == ERR_OK && !soon)
        rc = thread_start(&shared->opener, "devices", offload_open_later, shared, err);
    return rc;
}

static uint32_t offload_longest(const struct match_dictionary *dictionary)
{
    uint32_t longest = 0;

    for (uint32_t i = 0; i < match_dictionary_count(dictionary); i++) {
        const struct match_pattern *pattern = match_dictionary_get(dictionary, i);

        if (pattern->kind == MATCH_LITERAL && pattern->len > longest)
            longest = pattern->len;
    }
    return longest;
}

static void offload_init_locks(struct offload_shared *shared)
{
    pthread_mutex_init(&shared->lock, NULL);
    steady_init(&shared->changed);
}

/* A matcher's part of it, which the devices that are open do not know yet. */
static enum err_code offload_create(struct offload_shared *shared, uint32_t slots,
                                    struct offload **out, struct err *err)
{
    struct offload *offload = calloc(1, sizeof *offload);

    *out = NULL;
    if (offload == NULL)
        return ERR_NO_MEMORY(err, sizeof *offload);
    offload->shared = shared;
    offload->slot_count = slots;
    offload->slots = calloc(slots, sizeof *offload->slots);
    if (offload->slots == NULL) {
        free(offload);
        return ERR_NO_MEMORY(err, slots * sizeof *offload->slots);
    }
    pthread_mutex_lock(&shared->lock);
    offload->next = shared->first;
    shared->first = offload;
    pthread_mutex_unlock(&shared->lock);
    *out = offload;
    return ERR_OK;
}

static void offload_join(struct offload_shared *shared)
{
    pthread_mutex_lock(&shared->lock);
    shared->stop = true;
    pthread_cond_broadcast(&shared->changed);
    pthread_mutex_unlock(&shared->lock);
    thread_join(&shared->opener);
}

/* Nobody uses it any more. */
static void offload_destroy(struct offload_shared *shared)
{
    assert(shared->first == NULL && !shared->opener.started);
    for (uint32_t i = 0; i < shared->part_count; i++)
        offload_device_close(&shared->parts[i].device);
    if (shared->cpu != NULL && shared->cpu_program != shared->source.ac)
        shared->cpu->release(shared->cpu_program);
    ac_destroy(shared->source.ac);
    free(shared->source.extra);
    pthread_cond_destroy(&shared->changed);
    pthread_mutex_destroy(&shared->lock);
    free(shared);
}

enum err_code offload_compile(const struct offload_form *form,
                              const struct match_dictionary *dictionary,
                              const struct match_setup *setup, void **program, struct err *err)
{
    struct offload_shared *shared = calloc(1, sizeof *shared);
    struct offload *offload = NULL;

    *program = NULL;
    if (shared == NULL)
        return ERR_NO_MEMORY(err, sizeof *shared);
    shared->source.form = form;
    shared->source.setup = *setup;
    shared->provider = setup->devices == NULL ? device_cuda() : *setup->devices;
    shared->source.dictionary = dictionary;
    shared->source.longest = offload_longest(dictionary);
    offload_init_locks(shared);
    enum err_code rc = offload_create(shared, setup->slots, &offload, err);
    if (rc != ERR_OK) {
        offload_destroy(shared);
        return rc;
    }
    rc = setup->devices_later ? offload_begin_later(shared, err) : offload_begin_now(shared, err);
    if (rc != ERR_OK) {
        offload_release(offload);
        return rc;
    }
    *program = offload;
    return ERR_OK;
}

/* Queues to the devices that are open already. Fails when there are some, and none can be reached.
 */
static enum err_code offload_reach_open(struct offload *offload, struct err *err)
{
    struct offload_shared *shared = offload->shared;
    uint32_t reached = 0;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; i < DEVICE_MAX; i++) {
        pthread_mutex_lock(&shared->lock);
        const bool open =
            i < shared->part_count && shared->parts[i].state == OFFLOAD_OPEN && !offload->asked[i];
        offload->asked[i] = offload->asked[i] || open;
        pthread_mutex_unlock(&shared->lock);
        if (!open)
            continue;
        const enum err_code status = offload_reach(offload, i, rc == ERR_OK ? err : NULL);
        rc = rc == ERR_OK ? status : rc;
        reached += status == ERR_OK;
    }
    return reached > 0 || shared->source.setup.devices_later ? ERR_OK : rc;
}

enum err_code offload_share_program(void *program, uint32_t slots, void **out, struct err *err)
{
    struct offload_shared *shared = ((struct offload *)program)->shared;
    struct offload *offload = NULL;
    enum err_code rc = offload_create(shared, slots, &offload, err);

    *out = NULL;
    if (rc == ERR_OK)
        rc = offload_reach_open(offload, err);
    if (rc == ERR_OK)
        *out = offload;
    else
        offload_release(offload);
    return rc;
}

/* Takes it from the list, once the opener has done with it. Returns whether it was the last one. */
static bool offload_leave(struct offload *offload)
{
    struct offload_shared *shared = offload->shared;
    struct offload **at = &shared->first;

    pthread_mutex_lock(&shared->lock);
    while (offload->opening)
        pthread_cond_wait(&shared->changed, &shared->lock);
    while (*at != offload)
        at = &(*at)->next;
    *at = offload->next;
    const bool last = shared->first == NULL;
    pthread_mutex_unlock(&shared->lock);
    return last;
}

static bool offload_alone(const struct offload *offload)
{
    struct offload_shared *shared = offload->shared;

    pthread_mutex_lock(&shared->lock);
    const bool alone = shared->first == offload && offload->next == NULL;
    pthread_mutex_unlock(&shared->lock);
    return alone;
}

void offload_release(void *program)
{
    struct offload *offload = program;

    if (offload == NULL)
        return;
    struct offload_shared *shared = offload->shared;
    if (offload_alone(offload))
        offload_join(shared);
    const bool last = offload_leave(offload);
    for (uint32_t i = 0; i < DEVICE_MAX; i++) /* they may still read the slots */
        offload_queue_close(&offload->queues[i]);
    offload_unpin(offload);
    free(offload->slots);
    free(offload);
    if (last)
        offload_destroy(shared);
}

enum err_code offload_attach(void *program, uint32_t index, void *memory, size_t size,
                             struct err *err)
{
    struct offload *offload = program;
    struct offload_shared *shared = offload->shared;
    struct offload_slot *slot = &offload->slots[index];
    const bool later = shared->source.setup.devices_later;

    assert(index < offload->slot_count && slot->memory == NULL);
    pthread_mutex_lock(&shared->lock);
    slot->memory = memory;
    slot->size = size;
    const bool pin = shared->pinner != NULL && slot->pin == OFFLOAD_LOOSE;
    if (pin)
        slot->pin = OFFLOAD_PINNING;
    pthread_mutex_unlock(&shared->lock);
    const enum err_code rc = pin ? offload_pin_slot(shared, slot, err) : ERR_OK;
    return later ? ERR_OK : rc; /* the CPU searches what is in memory that cannot be locked */
}
