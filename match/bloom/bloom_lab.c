/* SPDX-License-Identifier: Apache-2.0
 * match/bloom/bloom_lab.c - see match/bloom_lab.h. */
#include <stdlib.h>

#include "match/bloom/bloom_parts.h"
#include "match/bloom_lab.h"

struct bloom_lab {
    struct device *device;
    struct device_stream *stream;
    struct device_event *from, *to;
    struct bloom_device *bloom;
    void *bytes, *starts, *answers; /* of the device */
    size_t bytes_len, starts_len;
    const struct bloom_keys *keys; /* of the host, */
    uint8_t *told;                 /* and the answers about them */
    bool pinned_bytes, pinned_starts, pinned_told;
    struct bloom_keys there; /* of the device */
};

const char *bloom_lab_missing(void)
{
    return device_cuda_missing();
}

void bloom_lab_close(struct bloom_lab *lab)
{
    if (lab == NULL)
        return;
    if (lab->device != NULL) {
        if (lab->pinned_bytes)
            device_unpin(lab->device, (void *)(uintptr_t)lab->keys->bytes);
        if (lab->pinned_starts)
            device_unpin(lab->device, (void *)(uintptr_t)lab->keys->starts);
        if (lab->pinned_told)
            device_unpin(lab->device, lab->told);
        bloom_device_close(lab->bloom);
        device_free(lab->device, lab->bytes);
        device_free(lab->device, lab->starts);
        device_free(lab->device, lab->answers);
        device_event_close(lab->from);
        device_event_close(lab->to);
        device_stream_close(lab->stream);
        device_close(lab->device);
    }
    free(lab);
}

static enum err_code bloom_lab_pin(struct bloom_lab *lab, struct err *err)
{
    enum err_code rc =
        device_pin(lab->device, (void *)(uintptr_t)lab->keys->bytes, lab->bytes_len, err);

    lab->pinned_bytes = rc == ERR_OK;
    if (rc == ERR_OK && lab->starts_len > 0)
        rc = device_pin(lab->device, (void *)(uintptr_t)lab->keys->starts, lab->starts_len, err);
    lab->pinned_starts = rc == ERR_OK && lab->starts_len > 0;
    if (rc == ERR_OK)
        rc = device_pin(lab->device, lab->told, lab->keys->count, err);
    lab->pinned_told = rc == ERR_OK;
    return rc;
}

static enum err_code bloom_lab_enter(struct bloom_lab *lab, const struct bloom_view *like,
                                     struct err *err)
{
    const struct device_provider cuda = device_cuda();
    const struct bloom_keys *keys = lab->keys;

    lab->bytes_len = keys->starts != NULL ? keys->starts[keys->count] : keys->count * keys->len;
    lab->starts_len = keys->starts != NULL ? (keys->count + 1) * sizeof *keys->starts : 0;
    enum err_code rc = device_open(&cuda, 0, &lab->device, err);
    if (rc == ERR_OK)
        rc = device_stream_open(lab->device, &lab->stream, err);
    if (rc == ERR_OK)
        rc = device_event_open(lab->device, false, &lab->from, err);
    if (rc == ERR_OK)
        rc = device_event_open(lab->device, true, &lab->to, err);
    if (rc == ERR_OK)
        rc = bloom_device_open(lab->stream, like, &lab->bloom, err);
    if (rc == ERR_OK) /* a shorter word than the last may come after it */
        rc = device_alloc(lab->device, lab->bytes_len + BLOOM_ALIGN, &lab->bytes, err);
    if (rc == ERR_OK && lab->starts_len > 0)
        rc = device_alloc(lab->device, lab->starts_len, &lab->starts, err);
    if (rc == ERR_OK)
        rc = device_alloc(lab->device, keys->count, &lab->answers, err);
    if (rc == ERR_OK)
        rc = bloom_lab_pin(lab, err);
    lab->there = *keys;
    lab->there.bytes = lab->bytes;
    lab->there.starts = lab->starts;
    return rc;
}

enum err_code bloom_lab_open(const struct bloom_view *like, const struct bloom_keys *keys,
                             uint8_t *answers, struct bloom_lab **out, struct err *err)
{
    struct bloom_lab *lab = calloc(1, sizeof *lab);

    *out = NULL;
    if (lab == NULL)
        return ERR_NO_MEMORY(err, sizeof *lab);
    lab->keys = keys;
    lab->told = answers;
    const enum err_code rc = bloom_lab_enter(lab, like, err);
    if (rc == ERR_OK)
        *out = lab;
    else
        bloom_lab_close(lab);
    return rc;
}

const char *bloom_lab_device(const struct bloom_lab *lab)
{
    return lab->device->info.name;
}

enum err_code bloom_lab_send(struct bloom_lab *lab, const struct bloom_keys *keys, struct err *err)
{
    enum err_code rc = device_copy_in(lab->stream, lab->bytes, keys->bytes, lab->bytes_len, err);

    if (rc == ERR_OK)
        rc = device_copy_in(lab->stream, lab->starts, keys->starts, lab->starts_len, err);
    return rc;
}

enum err_code bloom_lab_round(struct bloom_lab *lab, bool moves, double seconds[2], struct err *err)
{
    enum err_code rc = bloom_device_clear(lab->bloom, err);

    for (int asking = 0; rc == ERR_OK && asking < 2; asking++) {
        rc = device_stream_wait(lab->stream, err);
        if (rc == ERR_OK)
            rc = device_event_record(lab->from, lab->stream, err);
        if (rc == ERR_OK && moves)
            rc = bloom_lab_send(lab, lab->keys, err);
        if (rc == ERR_OK)
            rc = asking ? bloom_device_query(lab->bloom, &lab->there, lab->answers, err)
                        : bloom_device_insert(lab->bloom, &lab->there, err);
        if (rc == ERR_OK && moves && asking)
            rc = device_copy_out(lab->stream, lab->told, lab->answers, lab->keys->count, err);
        if (rc == ERR_OK)
            rc = device_event_record(lab->to, lab->stream, err);
        if (rc == ERR_OK)
            rc = device_event_wait(lab->to, err);
        if (rc == ERR_OK)
            rc = device_event_elapsed(lab->from, lab->to, &seconds[asking], err);
    }
    return rc;
}

enum err_code bloom_lab_read(struct bloom_lab *lab, uint32_t *words, uint8_t *answers,
                             struct err *err)
{
    enum err_code rc = bloom_device_store(lab->bloom, words, err);

    if (rc == ERR_OK)
        rc = bloom_device_query(lab->bloom, &lab->there, lab->answers, err);
    if (rc == ERR_OK)
        rc = device_copy_out(lab->stream, answers, lab->answers, lab->keys->count, err);
    if (rc == ERR_OK)
        rc = device_stream_wait(lab->stream, err);
    return rc;
}
