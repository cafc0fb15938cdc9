/* carver/known_device.c - see known_device.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "carver/known_device.h"
#include "match/cuda/bloom.h"
#include "match/cuda/digest.h"

/* What a lane has on the device, and where its answers come back. */
struct device_lane {
    struct device_stream *stream;
    uint8_t *bytes, *digests, *answers; /* of the device; made when first needed */
    uint8_t *told;                      /* of the host, pinned */
    bool pinned;
};

struct known_device {
    struct device *device;
    const struct known_scan *scan;
    struct bloom_device *filters[KNOWN_SETS_MAX]; /* NULL: a set of files */
    struct device_stream *stream;                 /* in which filters are filled */
    uint32_t segment_len, blocks_max, lane_count;
    struct device_lane lanes[LIMIT_LANES];
};

static enum err_code device_filters(struct known_device *d, struct err *err)
{
    enum err_code rc = device_stream_open(d->device, &d->stream, err);

    for (uint32_t i = 0; rc == ERR_OK && i < d->scan->count; i++) {
        const struct known_set *set = &d->scan->sets[i];

        if (set->about.block_len == 0)
            continue;
        rc = bloom_device_open(d->stream, &set->filter, &d->filters[i], err);
        if (rc == ERR_OK)
            rc = bloom_device_load(d->filters[i], set->filter.words, err);
        if (rc == ERR_OK)
            rc = device_stream_wait(d->stream, err);
    }
    return rc;
}

enum err_code known_device_open(const struct device_provider *provider, uint32_t index, const struct known_scan *scan,
                                uint32_t lanes, uint32_t segment_len, struct known_device **out, struct err *err)
{
    struct known_device *d = calloc(1, sizeof *d);
    uint32_t step = segment_len;

    *out = NULL;
    if (d == NULL)
        return ERR_NO_MEMORY(err, sizeof *d);
    assert(lanes <= LIMIT_LANES);
    for (uint32_t i = 0; i < scan->count; i++) {
        const uint32_t len = scan->sets[i].about.block_len, own = scan->step != 0 ? scan->step : len;

        if (len != 0 && own < step)
            step = own;
    }
    d->scan = scan;
    d->segment_len = segment_len;
    d->blocks_max = segment_len / step + 1;
    d->lane_count = lanes;
    enum err_code rc = device_open(provider, index, &d->device, err);
    if (rc == ERR_OK)
        rc = device_filters(d, err);
    if (rc == ERR_OK)
        *out = d;
    else
        known_device_close(d);
    return rc;
}

void known_device_close(struct known_device *d)
{
    if (d == NULL)
        return;
    for (uint32_t i = 0; i < d->lane_count; i++) {
        struct device_lane *lane = &d->lanes[i];

        device_stream_close(lane->stream);
        if (lane->pinned)
            device_unpin(d->device, lane->told);
        free(lane->told);
        if (d->device != NULL) {
            device_free(d->device, lane->bytes);
            device_free(d->device, lane->digests);
            device_free(d->device, lane->answers);
        }
    }
    for (uint32_t i = 0; i < KNOWN_SETS_MAX; i++)
        bloom_device_close(d->filters[i]);
    device_stream_close(d->stream);
    device_close(d->device);
    free(d);
}

static enum err_code device_memory(struct known_device *d, size_t size, uint8_t **out, struct err *err)
{
    void *memory = NULL;
    const enum err_code rc = device_alloc(d->device, size, &memory, err);

    *out = memory;
    return rc;
}

static enum err_code device_lane_make(struct known_device *d, struct device_lane *lane, struct err *err)
{
    const size_t answers = ((size_t)d->blocks_max * KNOWN_SETS_MAX + 4095) / 4096 * 4096;
    enum err_code rc = device_stream_open(d->device, &lane->stream, err);

    if (rc == ERR_OK)
        rc = device_memory(d, d->segment_len, &lane->bytes, err);
    if (rc == ERR_OK)
        rc = device_memory(d, (size_t)d->blocks_max * DIGEST_MAX, &lane->digests, err);
    if (rc == ERR_OK)
        rc = device_memory(d, answers, &lane->answers, err);
    if (rc != ERR_OK)
        return rc;
    lane->told = aligned_alloc(4096, answers);
    if (lane->told == NULL)
        return ERR_NO_MEMORY(err, answers);
    rc = device_pin(d->device, lane->told, answers, err);
    lane->pinned = rc == ERR_OK;
    return rc;
}

enum err_code known_device_load(struct known_device *d, uint32_t index, const uint8_t *bytes, uint32_t len,
                                struct err *err)
{
    struct device_lane *lane = &d->lanes[index];
    enum err_code rc = lane->stream == NULL ? device_lane_make(d, lane, err) : ERR_OK;

    assert(len <= d->segment_len);
    return rc == ERR_OK ? device_copy_in(lane->stream, lane->bytes, bytes, len, err) : rc;
}

enum err_code known_device_ask(struct known_device *d, uint32_t index, const struct known_question *q,
                               const uint8_t **answers, struct err *err)
{
    struct device_lane *lane = &d->lanes[index];
    const struct digest_work work = { .kind = q->hash,
                                      .block_len = q->block_len,
                                      .step = q->step,
                                      .count = q->count,
                                      .blocks = lane->bytes + q->first,
                                      .digests = lane->digests };
    const struct bloom_keys keys = { .bytes = lane->digests, .len = digest_len(q->hash), .count = q->count };
    uint32_t asked = 0;

    assert(q->count <= d->blocks_max);
    enum err_code rc = digest_device_blocks(lane->stream, &work, err);
    for (uint32_t i = 0; rc == ERR_OK && i < d->scan->count; i++) {
        const struct known_about *about = &d->scan->sets[i].about;

        if (about->block_len == q->block_len && about->hash == q->hash)
            rc = bloom_device_query_in(d->filters[i], lane->stream, &keys, lane->answers + (size_t)asked++ * q->count,
                                       err);
    }
    if (rc == ERR_OK)
        rc = device_copy_out(lane->stream, lane->told, lane->answers, (size_t)asked * q->count, err);
    if (rc == ERR_OK)
        rc = device_stream_wait(lane->stream, err);
    for (uint32_t s = 1; rc == ERR_OK && s < asked; s++)
        for (uint32_t i = 0; i < q->count; i++)
            lane->told[i] |= lane->told[(size_t)s * q->count + i];
    *answers = lane->told;
    return rc;
}
