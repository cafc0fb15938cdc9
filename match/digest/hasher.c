/* SPDX-License-Identifier: Apache-2.0
 * match/digest/hasher.c - see match/hasher.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "match/bloom/bloom_parts.h"
#include "match/device/device.h"
#include "match/digest/digest_parts.h"
#include "match/hasher.h"

/* What a slot has on the device, and where its answers come back. */
struct hasher_slot {
    struct device_stream *stream;
    uint8_t *bytes, *digests, *answers; /* of the device; made when first needed */
    uint8_t *told;                      /* of the host, pinned */
    bool pinned;
};

struct match_hasher {
    struct device *device;
    struct device_stream *stream; /* in which filters are filled */
    uint32_t segment_len, blocks_max, slot_count, filter_count;
    struct match_hasher_filter filters[MATCH_HASHER_FILTERS_MAX]; /* without their tables */
    struct bloom_device *tables[MATCH_HASHER_FILTERS_MAX];
    struct hasher_slot slots[LIMIT_SLOTS];
};

static enum err_code hasher_fill(struct match_hasher *h, const struct match_hasher_options *options,
                                 struct err *err)
{
    enum err_code rc = device_stream_open(h->device, &h->stream, err);

    for (uint32_t i = 0; rc == ERR_OK && i < options->filter_count; i++) {
        const struct bloom_view *bloom = options->filters[i].bloom;

        rc = bloom_device_open(h->stream, bloom, &h->tables[i], err);
        if (rc == ERR_OK)
            rc = bloom_device_load(h->tables[i], bloom->words, err);
        if (rc == ERR_OK)
            rc = device_stream_wait(h->stream, err);
    }
    return rc;
}

enum err_code match_hasher_open(const struct match_hasher_options *options,
                                struct match_hasher **out, struct err *err)
{
    const struct device_provider cuda = device_cuda();
    struct match_hasher *h = calloc(1, sizeof *h);
    uint32_t step = options->segment_len;

    *out = NULL;
    if (h == NULL)
        return ERR_NO_MEMORY(err, sizeof *h);
    assert(options->slots <= LIMIT_SLOTS && options->filter_count <= MATCH_HASHER_FILTERS_MAX);
    for (uint32_t i = 0; i < options->filter_count; i++) {
        h->filters[i] = options->filters[i];
        h->filters[i].bloom = NULL;
        if (options->filters[i].step < step)
            step = options->filters[i].step;
    }
    h->filter_count = options->filter_count;
    h->segment_len = options->segment_len;
    h->blocks_max = options->segment_len / step + 1;
    h->slot_count = options->slots;
    enum err_code rc = device_open(options->devices != NULL ? options->devices : &cuda,
                                   options->device, &h->device, err);
    if (rc == ERR_OK)
        rc = hasher_fill(h, options, err);
    if (rc == ERR_OK)
        *out = h;
    else
        match_hasher_close(h);
    return rc;
}

void match_hasher_close(struct match_hasher *h)
{
    if (h == NULL)
        return;
    for (uint32_t i = 0; i < h->slot_count; i++) {
        struct hasher_slot *slot = &h->slots[i];

        device_stream_close(slot->stream);
        if (slot->pinned)
            device_unpin(h->device, slot->told);
        free(slot->told);
        if (h->device != NULL) {
            device_free(h->device, slot->bytes);
            device_free(h->device, slot->digests);
            device_free(h->device, slot->answers);
        }
    }
    for (uint32_t i = 0; i < h->filter_count; i++)
        bloom_device_close(h->tables[i]);
    device_stream_close(h->stream);
    device_close(h->device);
    free(h);
}

static enum err_code hasher_memory(struct match_hasher *h, size_t size, uint8_t **out,
                                   struct err *err)
{
    void *memory = NULL;
    const enum err_code rc = device_alloc(h->device, size, &memory, err);

    *out = memory;
    return rc;
}

static enum err_code hasher_slot_make(struct match_hasher *h, struct hasher_slot *slot,
                                      struct err *err)
{
    const size_t answers = ((size_t)h->blocks_max * MATCH_HASHER_FILTERS_MAX + 4095) / 4096 * 4096;
    enum err_code rc = device_stream_open(h->device, &slot->stream, err);

    if (rc == ERR_OK)
        rc = hasher_memory(h, h->segment_len, &slot->bytes, err);
    if (rc == ERR_OK)
        rc = hasher_memory(h, (size_t)h->blocks_max * DIGEST_MAX, &slot->digests, err);
    if (rc == ERR_OK)
        rc = hasher_memory(h, answers, &slot->answers, err);
    if (rc != ERR_OK)
        return rc;
    slot->told = aligned_alloc(4096, answers);
    if (slot->told == NULL)
        return ERR_NO_MEMORY(err, answers);
    rc = device_pin(h->device, slot->told, answers, err);
    slot->pinned = rc == ERR_OK;
    return rc;
}

enum err_code match_hasher_load(struct match_hasher *h, uint32_t index, const uint8_t *bytes,
                                uint32_t len, struct err *err)
{
    struct hasher_slot *slot = &h->slots[index];
    enum err_code rc = slot->stream == NULL ? hasher_slot_make(h, slot, err) : ERR_OK;

    assert(len <= h->segment_len);
    return rc == ERR_OK ? device_copy_in(slot->stream, slot->bytes, bytes, len, err) : rc;
}

enum err_code match_hasher_ask(struct match_hasher *h, uint32_t index,
                               const struct match_hasher_question *q, const uint8_t **answers,
                               struct err *err)
{
    struct hasher_slot *slot = &h->slots[index];
    const struct digest_work work = { .kind = q->hash,
                                      .block_len = q->block_len,
                                      .step = q->step,
                                      .count = q->count,
                                      .blocks = slot->bytes + q->first,
                                      .digests = slot->digests };
    const struct bloom_keys keys = { .bytes = slot->digests,
                                     .len = digest_len(q->hash),
                                     .count = q->count };
    uint32_t asked = 0;

    assert(q->count <= h->blocks_max);
    enum err_code rc = digest_device_blocks(slot->stream, &work, err);
    for (uint32_t i = 0; rc == ERR_OK && i < h->filter_count; i++)
        if (h->filters[i].block_len == q->block_len && h->filters[i].hash == q->hash)
            rc = bloom_device_query_in(h->tables[i], slot->stream, &keys,
                                       slot->answers + (size_t)asked++ * q->count, err);
    if (rc == ERR_OK)
        rc =
            device_copy_out(slot->stream, slot->told, slot->answers, (size_t)asked * q->count, err);
    if (rc == ERR_OK)
        rc = device_stream_wait(slot->stream, err);
    for (uint32_t s = 1; rc == ERR_OK && s < asked; s++)
        for (uint32_t i = 0; i < q->count; i++)
            slot->told[i] |= slot->told[(size_t)s * q->count + i];
    *answers = slot->told;
    return rc;
}
