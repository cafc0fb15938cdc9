/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/shards_ahead.c - see shards_ahead.h. */
#include "carver/scan/shards_ahead.h"

#include <assert.h>
#include <stdlib.h>

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
    const uint32_t slots = count < 2 ? 3 : 2 * count + 2;
    enum err_code rc = pool_open(count, &ahead->pool, err);

    for (uint32_t i = 0; rc == ERR_OK && i < slots; i++) {
        rc = ahead_open_slot(&ahead->slots[i], reader, lookback, link, err);
        ahead->slot_count = i + 1;
    }
    return rc;
}

void shards_ahead_close(struct shards_ahead *ahead)
{
    pool_close(ahead->pool);
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

/* One slot stays with who took it. */
bool shards_ahead_has_room(const struct shards_ahead *ahead)
{
    return ahead->count + 1 < ahead->slot_count &&
           (ahead->count == 0 || ahead->bytes < SHARDS_AHEAD_BYTES);
}

struct shards_slot *shards_ahead_next(struct shards_ahead *ahead)
{
    struct shards_slot *slot = &ahead->slots[(ahead->first + ahead->count) % ahead->slot_count];

    assert(shards_ahead_has_room(ahead));
    free(slot->line);
    slot->line = NULL;
    slot->len = 0;
    slot->is_part = slot->right = false;
    slot->rc = ERR_OK;
    return slot;
}

void shards_ahead_add(struct shards_ahead *ahead, bool restore)
{
    struct shards_slot *slot = &ahead->slots[(ahead->first + ahead->count) % ahead->slot_count];

    ahead->count++;
    ahead->bytes += slot->len;
    if (restore)
        pool_submit(ahead->pool, &slot->job);
}

struct shards_slot *shards_ahead_take(struct shards_ahead *ahead)
{
    struct shards_slot *slot = &ahead->slots[ahead->first];

    if (ahead->count == 0)
        return NULL;
    pool_wait(ahead->pool, &slot->job);
    ahead->first = (ahead->first + 1) % ahead->slot_count;
    ahead->count--;
    ahead->bytes -= slot->len;
    return slot;
}
