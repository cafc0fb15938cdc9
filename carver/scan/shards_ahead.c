/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/shards_ahead.c - see shards_ahead.h. */
#include "carver/scan/shards_ahead.h"

#include <errno.h>
#include <stdlib.h>

#include "base/steady.h"
#include "signatures/fact.h"

/* In a thread of the pool. */
static void shards_ahead_run(void *arg)
{
    struct shards_slot *slot = arg;
    struct part *part = slot->part;

    slot->rc = part_restore(&slot->reader, slot->bytes, slot->len, part, &slot->right, &slot->err);
    if (slot->rc != ERR_OK || !slot->right)
        return;
    part->shard = slot->shard;
    part->rows_at = slot->at + (uint64_t)(part->rows - slot->bytes);
    if (slot->link)
        slot->rc = db_sha256(part->rows, part->rows_len, part->rows_sha256, &slot->err);
}

static enum err_code ahead_open_slot(struct shards_slot *slot, const struct part_reader *reader,
                                     struct lookback *lookback, bool link, struct err *err)
{
    slot->facts = aligned_alloc(_Alignof(struct sig_facts), sizeof *slot->facts);
    if (slot->facts == NULL)
        return ERR_NO_MEMORY(err, sizeof *slot->facts);
    slot->reader = *reader;
    slot->reader.texts = &slot->texts;
    slot->reader.facts = slot->facts;
    slot->job = (struct pool_job){ .run = shards_ahead_run, .arg = slot };
    slot->link = link;
    return part_open(reader->options, lookback, &slot->part, err);
}

enum err_code shards_ahead_open(struct shards_ahead *ahead, const struct part_reader *reader,
                                struct lookback *lookback, bool link, uint32_t threads,
                                struct err *err)
{
    const uint32_t count = threads < SHARDS_AHEAD_THREADS ? threads : SHARDS_AHEAD_THREADS;
    const uint32_t slots = count < 2 ? SHARDS_AHEAD_LEAST : SHARDS_AHEAD_EACH * count;

    pthread_mutex_init(&ahead->lock, NULL);
    steady_init(&ahead->more);
    pthread_cond_init(&ahead->room, NULL);
    ahead->open = true;
    enum err_code rc = pool_open(count, &ahead->pool, err);
    for (uint32_t i = 0; rc == ERR_OK && i < slots; i++) {
        rc = ahead_open_slot(&ahead->slots[i], reader, lookback, link, err);
        ahead->slot_count = i + 1;
    }
    return rc;
}

void shards_ahead_close(struct shards_ahead *ahead)
{
    if (!ahead->open)
        return;
    pool_close(ahead->pool);
    pthread_cond_destroy(&ahead->room);
    pthread_cond_destroy(&ahead->more);
    pthread_mutex_destroy(&ahead->lock);
    for (uint32_t i = 0; i < ahead->slot_count; i++) {
        struct shards_slot *slot = &ahead->slots[i];

        part_close(slot->part);
        texts_release(&slot->texts);
        free(slot->facts);
        free(slot->bytes);
        free(slot->line);
    }
    *ahead = (struct shards_ahead){ 0 };
}

/* One slot stays with who took it. Called with the lock held. */
static bool ahead_has_room(const struct shards_ahead *ahead)
{
    return ahead->count + 1 < ahead->slot_count &&
           (ahead->count == 0 || ahead->bytes < SHARDS_AHEAD_BYTES);
}

/* Who brings parts sleeps until so few are there. Called with the lock held. */
static bool ahead_is_low(const struct shards_ahead *ahead)
{
    return ahead->count <= ahead->slot_count / 2 && ahead->bytes <= SHARDS_AHEAD_BYTES / 2;
}

struct shards_slot *shards_ahead_next(struct shards_ahead *ahead)
{
    struct shards_slot *slot = &ahead->slots[ahead->last];

    pthread_mutex_lock(&ahead->lock);
    if (!ahead_has_room(ahead))
        while (!ahead_is_low(ahead) && !ahead->stopped)
            pthread_cond_wait(&ahead->room, &ahead->lock);
    const bool stopped = ahead->stopped;
    pthread_mutex_unlock(&ahead->lock);
    if (stopped)
        return NULL;
    free(slot->line);
    slot->line = NULL;
    slot->len = 0;
    slot->is_part = slot->right = slot->is_blank = slot->say = false;
    slot->rc = ERR_OK;
    return slot;
}

void shards_ahead_add(struct shards_ahead *ahead)
{
    struct shards_slot *slot = &ahead->slots[ahead->last];

    ahead->last = (ahead->last + 1) % ahead->slot_count;
    if (slot->is_part)
        pool_submit(ahead->pool, &slot->job);
    pthread_mutex_lock(&ahead->lock);
    ahead->count++;
    ahead->bytes += slot->len;
    pthread_cond_signal(&ahead->more);
    pthread_mutex_unlock(&ahead->lock);
}

void shards_ahead_end(struct shards_ahead *ahead)
{
    pthread_mutex_lock(&ahead->lock);
    ahead->ended = true;
    pthread_cond_signal(&ahead->more);
    pthread_mutex_unlock(&ahead->lock);
}

bool shards_ahead_is_stopped(struct shards_ahead *ahead)
{
    pthread_mutex_lock(&ahead->lock);
    const bool stopped = ahead->stopped;
    pthread_mutex_unlock(&ahead->lock);
    return stopped;
}

struct shards_slot *shards_ahead_take(struct shards_ahead *ahead, uint32_t patience)
{
    const struct timespec until = steady_after(patience);
    struct shards_slot *slot = &ahead->slots[ahead->first];
    int waited = 0;

    pthread_mutex_lock(&ahead->lock);
    while (ahead->count == 0 && !ahead->ended && waited != ETIMEDOUT)
        waited = patience == 0 ? pthread_cond_wait(&ahead->more, &ahead->lock)
                               : pthread_cond_timedwait(&ahead->more, &ahead->lock, &until);
    const bool there = ahead->count > 0;
    pthread_mutex_unlock(&ahead->lock);
    if (!there)
        return NULL;
    pool_wait(ahead->pool, &slot->job);
    ahead->first = (ahead->first + 1) % ahead->slot_count;
    pthread_mutex_lock(&ahead->lock);
    ahead->count--;
    ahead->bytes -= slot->len;
    if (ahead_is_low(ahead))
        pthread_cond_signal(&ahead->room);
    pthread_mutex_unlock(&ahead->lock);
    return slot;
}

bool shards_ahead_is_done(struct shards_ahead *ahead)
{
    pthread_mutex_lock(&ahead->lock);
    const bool done = ahead->ended && ahead->count == 0;
    pthread_mutex_unlock(&ahead->lock);
    return done;
}

void shards_ahead_stop(struct shards_ahead *ahead)
{
    pthread_mutex_lock(&ahead->lock);
    ahead->stopped = true;
    pthread_cond_signal(&ahead->room);
    pthread_mutex_unlock(&ahead->lock);
}
