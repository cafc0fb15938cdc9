/* SPDX-License-Identifier: Apache-2.0
 * match/offload/offload_early.c - see offload_early.h. */
#include "match/offload/offload_early.h"

/* The devices that were asked for; all of them are those that there are. */
static enum err_code early_list(struct offload_shared *shared, struct err *err)
{
    const uint32_t asked = shared->source.setup.device_mask;
    const uint32_t mask = asked == 0 ? 1 : asked;
    uint32_t count = DEVICE_MAX, parts = 0;

    if (mask == MATCH_DEVICES_ALL) {
        enum err_code rc = device_count(&shared->provider, &count, err);
        if (rc == ERR_OK && count == 0)
            rc = ERR_RAISE(err, ERR_ENV,
                           "no device: there are 0; choose an engine that runs on the CPU");
        if (rc != ERR_OK)
            return rc;
    }
    pthread_mutex_lock(&shared->lock);
    for (uint32_t i = 0; i < count && i < DEVICE_MAX; i++)
        if (mask >> i & 1)
            shared->parts[parts++].index = i;
    shared->part_count = parts;
    pthread_mutex_unlock(&shared->lock);
    return ERR_OK;
}

/* Says how far it is. Returns false when nobody waits for more. */
static bool early_tell(struct offload_early *early, uint32_t opened)
{
    struct offload_shared *shared = early->shared;

    pthread_mutex_lock(&shared->lock);
    early->listed = true;
    early->opened = opened;
    pthread_cond_broadcast(&shared->changed);
    const bool stop = shared->stop;
    pthread_mutex_unlock(&shared->lock);
    return !stop;
}

static void early_open(void *arg)
{
    struct offload_early *early = arg;
    struct offload_shared *shared = early->shared;

    early->rc = early_list(shared, &early->err);
    bool on = early_tell(early, 0) && early->rc == ERR_OK;
    for (uint32_t i = 0; on && i < shared->part_count; i++) {
        struct offload_part *part = &shared->parts[i];

        if (device_open(&shared->provider, part->index, &part->device.device, &part->why) != ERR_OK)
            part->device.device = NULL;
        on = early_tell(early, i + 1);
    }
}

void offload_early_begin(struct offload_early *out, struct offload_shared *shared)
{
    *out = (struct offload_early){ .shared = shared };
    if (thread_start(&out->thread, "driver", early_open, out, NULL) != ERR_OK)
        early_open(out);
}

enum err_code offload_early_list(struct offload_early *early, struct err *err)
{
    struct offload_shared *shared = early->shared;

    pthread_mutex_lock(&shared->lock);
    while (!early->listed)
        pthread_cond_wait(&shared->changed, &shared->lock);
    pthread_mutex_unlock(&shared->lock);
    if (early->rc != ERR_OK && err != NULL)
        *err = early->err;
    return early->rc;
}

bool offload_early_wait(struct offload_early *early, uint32_t at)
{
    struct offload_shared *shared = early->shared;

    pthread_mutex_lock(&shared->lock);
    while (early->opened <= at && !shared->stop)
        pthread_cond_wait(&shared->changed, &shared->lock);
    const bool stop = shared->stop;
    pthread_mutex_unlock(&shared->lock);
    return !stop;
}

void offload_early_end(struct offload_early *early)
{
    thread_join(&early->thread);
}
