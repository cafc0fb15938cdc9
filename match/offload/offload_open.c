/*
 * match/offload/offload_open.c - the opening of an engine's devices: before the first segment, or
 * in a thread of its own while the CPU already searches, for a runtime takes as long to start as a
 * disk does to give some gigabytes.
 */
#include <assert.h>
#include <stdlib.h>
#include <time.h>

#include "match/offload/offload_parts.h"

enum {
    OFFLOAD_WORTH = 3, /* times the device delay: devices are started if at least that is left */
    OFFLOAD_LOOKS = 4, /* at whether it is, in the time of the delay */
};

/* What all devices get. */
static enum err_code offload_make_source(struct offload *offload, struct err *err)
{
    struct offload_source *source = &offload->source;
    enum err_code rc = ac_build(offload->dictionary, &source->ac, err);

    if (rc == ERR_OK && source->form->extra != NULL)
        rc = source->form->extra(offload->dictionary, &source->extra, &source->extra_size, err);
    return rc;
}

/* The devices that were asked for; all of them are those that there are. */
static enum err_code offload_list(struct offload *offload, struct err *err)
{
    const uint32_t asked = offload->source.setup.device_mask;
    const uint32_t mask = asked == 0 ? 1 : asked;
    uint32_t count = DEVICE_MAX, parts = 0;

    if (mask == MATCH_DEVICES_ALL) {
        enum err_code rc = device_count(&offload->provider, &count, err);
        if (rc == ERR_OK && count == 0)
            rc = ERR_RAISE(err, ERR_ENV,
                           "no device: there are 0; choose an engine that runs on the CPU");
        if (rc != ERR_OK)
            return rc;
    }
    pthread_mutex_lock(&offload->lock);
    for (uint32_t i = 0; i < count && i < DEVICE_MAX; i++)
        if (mask >> i & 1)
            offload->parts[parts++].index = i;
    offload->part_count = parts;
    pthread_mutex_unlock(&offload->lock);
    return ERR_OK;
}

static void offload_unpin(struct offload *offload, struct device *device)
{
    for (uint32_t i = 0; i < offload->slot_count; i++) {
        if (offload->slots[i].pinned)
            device_unpin(device, offload->slots[i].memory);
        offload->slots[i].pinned = false;
    }
}

/* Locks the slots' memory as they are attached. Nothing is searched on a device before this is
 * done. */
static enum err_code offload_pin(struct offload *offload, struct device *device, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < offload->slot_count; i++) {
        struct offload_slot *slot = &offload->slots[i];

        pthread_mutex_lock(&offload->lock);
        while (slot->memory == NULL && !offload->stop)
            pthread_cond_wait(&offload->attached, &offload->lock);
        const bool stop = offload->stop;
        pthread_mutex_unlock(&offload->lock);
        if (stop)
            break;
        rc = device_pin(device, slot->memory, slot->size, err);
        slot->pinned = rc == ERR_OK;
    }
    if (rc != ERR_OK)
        offload_unpin(offload, device);
    return rc;
}

/* Nobody else looks at a part's device before it is open. */
static void offload_open_part(struct offload *offload, struct offload_part *part)
{
    const bool pins = offload->opener.started && offload->pinner == NULL;
    struct err why = { 0 };
    enum err_code rc =
        offload_device_open(&part->device, &offload->source, &offload->provider, part->index, &why);

    if (rc == ERR_OK && pins) {
        rc = offload_pin(offload, part->device.device, &why);
        if (rc != ERR_OK)
            offload_device_close(&part->device);
    }
    if (rc == ERR_OK && offload->pinner == NULL)
        offload->pinner = part->device.device;
    pthread_mutex_lock(&offload->lock);
    part->state = rc == ERR_OK ? OFFLOAD_OPEN : OFFLOAD_LOST;
    part->why = why;
    pthread_mutex_unlock(&offload->lock);
}

/* Opens the devices one after the other; each goes to work at once. Fails when none can be opened.
 */
static enum err_code offload_open(struct offload *offload, struct err *err)
{
    enum err_code rc = offload_make_source(offload, err);
    bool stop = false;

    if (rc == ERR_OK)
        rc = offload_list(offload, err);
    for (uint32_t i = 0; rc == ERR_OK && !stop && i < offload->part_count; i++) {
        offload_open_part(offload, &offload->parts[i]);
        pthread_mutex_lock(&offload->lock);
        stop = offload->stop;
        pthread_mutex_unlock(&offload->lock);
    }
    if (rc == ERR_OK && !stop && offload->pinner == NULL) {
        rc = ERR_ENV;
        if (err != NULL)
            *err = offload->parts[0].why;
    }
    return rc;
}

/*
 * With the lock held: true when what is left takes so long, at the speed so far, that devices are
 * worth their start and their end. A start takes memory and the bus from the reader, and what is
 * searched as fast as it is read cannot be searched faster.
 */
static bool offload_worth(const struct offload *offload)
{
    const struct match_setup *setup = &offload->source.setup;
    struct timespec now;

    if (setup->bytes == 0 || offload->bytes == 0)
        return true;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double seconds = (double)(now.tv_sec - offload->began.tv_sec) +
                           (double)(now.tv_nsec - offload->began.tv_nsec) * 1e-9;
    const double left = setup->bytes > offload->bytes ? (double)(setup->bytes - offload->bytes) : 0;
    return left * seconds >= (double)offload->bytes * OFFLOAD_WORTH * setup->device_delay * 1e-3;
}

/* With the lock held: waits for some milliseconds, or until there is to be an end. */
static void offload_wait(struct offload *offload, uint32_t ms)
{
    struct timespec until;
    int status = 0;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(ms % 1000) * 1000000;
    until.tv_sec += ms / 1000 + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (!offload->stop && status == 0)
        status = pthread_cond_timedwait(&offload->attached, &offload->lock, &until);
}

/* True when the scan has gone on for so long, and will, that devices are to be started; looked at
 * again, for a disk may become slow. */
static bool offload_device_delay(struct offload *offload)
{
    const uint32_t ms = offload->source.setup.device_delay;

    pthread_mutex_lock(&offload->lock);
    offload_wait(offload, ms);
    while (!offload->stop && !offload_worth(offload))
        offload_wait(offload, ms / OFFLOAD_LOOKS + 1);
    const bool stop = offload->stop;
    pthread_mutex_unlock(&offload->lock);
    return !stop;
}

static void offload_open_later(void *arg)
{
    struct offload *offload = arg;
    struct err why = { 0 };

    if (!offload_device_delay(offload) || offload_open(offload, &why) == ERR_OK)
        return;
    pthread_mutex_lock(&offload->lock);
    if (offload->part_count == 0) { /* not even a list of devices: say it of the first */
        offload->part_count = 1;
        offload->parts[0].state = OFFLOAD_LOST;
        offload->parts[0].why = why;
    }
    pthread_mutex_unlock(&offload->lock);
}

/* Devices open now; what they lose, the automaton searches that was built for them. */
static enum err_code offload_begin_now(struct offload *offload, struct err *err)
{
    const enum err_code rc = offload_open(offload, err);

    offload->cpu = &match_ac_engine;
    offload->cpu_program = offload->source.ac;
    return rc;
}

/* Devices open in a thread of their own; until then the CPU searches, as fast as it can. */
static enum err_code offload_begin_later(struct offload *offload, struct err *err)
{
    struct match_setup setup = offload->source.setup;

    setup.devices = NULL;
    offload->cpu = &match_auto_engine;
    enum err_code rc =
        match_auto_engine.compile(offload->dictionary, &setup, &offload->cpu_program, err);
    if (rc != ERR_OK)
        return rc;
    return thread_start(&offload->opener, "devices", offload_open_later, offload, err);
}

static void offload_init_locks(struct offload *offload)
{
    pthread_condattr_t steady;

    pthread_mutex_init(&offload->lock, NULL);
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&offload->attached, &steady);
    pthread_condattr_destroy(&steady);
}

enum err_code offload_compile(const struct offload_form *form,
                              const struct match_dictionary *dictionary,
                              const struct match_setup *setup, void **program, struct err *err)
{
    struct offload *offload = calloc(1, sizeof *offload);

    *program = NULL;
    if (offload == NULL)
        return ERR_NO_MEMORY(err, sizeof *offload);
    offload->source.form = form;
    offload->source.setup = *setup;
    offload->provider = setup->devices == NULL ? device_cuda() : *setup->devices;
    offload->dictionary = dictionary;
    offload->slot_count = setup->slots;
    offload_init_locks(offload);
    offload->slots = calloc(setup->slots, sizeof *offload->slots);
    enum err_code rc = ERR_OK;
    if (offload->slots == NULL)
        rc = ERR_NO_MEMORY(err, setup->slots * sizeof *offload->slots);
    if (rc == ERR_OK)
        rc = setup->devices_later ? offload_begin_later(offload, err)
                                  : offload_begin_now(offload, err);
    if (rc != ERR_OK) {
        offload_release(offload);
        return rc;
    }
    *program = offload;
    return ERR_OK;
}

static void offload_join(struct offload *offload)
{
    pthread_mutex_lock(&offload->lock);
    offload->stop = true;
    pthread_cond_broadcast(&offload->attached);
    pthread_mutex_unlock(&offload->lock);
    thread_join(&offload->opener);
}

void offload_release(void *program)
{
    struct offload *offload = program;

    if (offload == NULL)
        return;
    offload_join(offload);
    for (uint32_t i = 0; i < offload->part_count;
         i++) { /* rings first: they may still read the slots */
        ring_close(offload->parts[i].device.ring);
        offload->parts[i].device.ring = NULL;
    }
    if (offload->pinner != NULL)
        offload_unpin(offload, offload->pinner);
    for (uint32_t i = 0; i < offload->part_count; i++)
        offload_device_close(&offload->parts[i].device);
    if (offload->cpu != NULL && offload->cpu_program != offload->source.ac)
        offload->cpu->release(offload->cpu_program);
    ac_destroy(offload->source.ac);
    free(offload->source.extra);
    pthread_cond_destroy(&offload->attached);
    pthread_mutex_destroy(&offload->lock);
    free(offload->slots);
    free(offload);
}

enum err_code offload_attach(void *program, uint32_t index, void *memory, size_t size,
                             struct err *err)
{
    struct offload *offload = program;
    struct offload_slot *slot = &offload->slots[index];
    enum err_code rc = ERR_OK;

    assert(index < offload->slot_count && slot->memory == NULL);
    if (!offload->opener.started) {
        rc = device_pin(offload->pinner, memory, size, err);
        slot->pinned = rc == ERR_OK;
    }
    pthread_mutex_lock(&offload->lock);
    slot->memory = memory;
    slot->size = size;
    pthread_cond_signal(&offload->attached);
    pthread_mutex_unlock(&offload->lock);
    return rc;
}
