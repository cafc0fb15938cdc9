/* SPDX-License-Identifier: Apache-2.0
 * match/offload/resident.c - see match/lab.h: texts in a device's memory, and what the device can
 * do with them at most. */
#include <stdlib.h>

#include "match/offload/lab_time.h"
#include "match/offload/resident.h"

static void resident_read_host(const void *args)
{
    const struct lab_time_read *a = args;
    uint32_t sum = 0;

    for (uint64_t i = 0; i < a->len; i++)
        sum += a->text[i];
    *a->sum = sum;
}

static const struct device_kernel resident_read_kernel = {
    .name = "read",
    .args_size = sizeof(struct lab_time_read),
    .host = resident_read_host,
    .cuda = LAB_TIME_READ_CUDA,
};

static enum err_code resident_send(struct match_resident *resident, struct err *err)
{
    const size_t size = RESIDENT_AROUND + (size_t)resident->len + RESIDENT_AROUND;
    enum err_code rc = device_alloc(resident->device, size, &resident->memory, err);

    if (rc != ERR_OK)
        return rc;
    resident->text = (uint8_t *)resident->memory + RESIDENT_AROUND;
    rc = device_fill(resident->stream, resident->memory, 0, RESIDENT_AROUND, err);
    if (rc == ERR_OK)
        rc = device_copy_in(resident->stream, resident->text, resident->bytes,
                            (size_t)resident->len, err);
    if (rc == ERR_OK)
        rc = device_fill(resident->stream, resident->text + resident->len, 0, RESIDENT_AROUND, err);
    return rc == ERR_OK ? device_stream_wait(resident->stream, err) : rc;
}

enum err_code match_resident_open(const struct match_resident_setup *setup,
                                  struct match_resident **out, struct err *err)
{
    const struct device_provider cuda = device_cuda();
    struct match_resident *resident = calloc(1, sizeof *resident);
    void *bytes = (void *)(uintptr_t)setup->bytes; /* pinning changes nothing in it */

    *out = NULL;
    if (resident == NULL)
        return ERR_NO_MEMORY(err, sizeof *resident);
    resident->bytes = setup->bytes;
    resident->len = setup->len;
    enum err_code rc = device_open(setup->devices == NULL ? &cuda : setup->devices, setup->device,
                                   &resident->device, err);
    if (rc == ERR_OK)
        rc = device_stream_open(resident->device, &resident->stream, err);
    if (rc == ERR_OK)
        rc = device_event_open(resident->device, false, &resident->begin, err);
    if (rc == ERR_OK)
        rc = device_event_open(resident->device, true, &resident->end, err);
    if (rc == ERR_OK)
        rc = device_alloc(resident->device, sizeof(uint32_t), &resident->sum, err);
    if (rc == ERR_OK && setup->len > 0)
        rc = device_pin(resident->device, bytes, (size_t)setup->len, err);
    if (rc == ERR_OK && setup->len > 0)
        resident->pinned = bytes;
    if (rc == ERR_OK)
        rc = resident_send(resident, err);
    if (rc != ERR_OK) {
        match_resident_close(resident);
        return rc;
    }
    *out = resident;
    return ERR_OK;
}

void match_resident_close(struct match_resident *resident)
{
    if (resident == NULL)
        return;
    device_event_close(resident->begin);
    device_event_close(resident->end);
    device_stream_close(resident->stream);
    if (resident->device != NULL) {
        device_free(resident->device, resident->memory);
        device_free(resident->device, resident->sum);
        if (resident->pinned != NULL)
            device_unpin(resident->device, resident->pinned);
    }
    device_close(resident->device);
    free(resident);
}

const char *match_resident_device(const struct match_resident *resident)
{
    return resident->device->info.name;
}

uint64_t resident_len(const struct match_resident *resident, uint64_t len)
{
    return len == 0 || len > resident->len ? resident->len : len;
}

static enum err_code resident_limit(struct match_resident *resident, enum match_limit limit,
                                    uint64_t len, struct err *err)
{
    const bool from_host = limit == MATCH_LIMIT_READ_HOST;
    const struct lab_time_read args = { .text = from_host ? resident->pinned : resident->text,
                                        .len = len / 16 * 16,
                                        .sum = resident->sum };

    switch (limit) {
    case MATCH_LIMIT_READ:
    case MATCH_LIMIT_READ_HOST:
        return device_launch(resident->stream, &resident_read_kernel, &args, err);
    case MATCH_LIMIT_IN:
        return device_copy_in(resident->stream, resident->text, resident->bytes, (size_t)len, err);
    case MATCH_LIMIT_OUT:
        return device_copy_out(resident->stream, resident->pinned, resident->text, (size_t)len,
                               err);
    }
    return ERR_OK;
}

enum err_code resident_time(struct match_resident *resident,
                            enum err_code (*work)(void *arg, struct err *err), void *arg,
                            double *seconds, struct err *err)
{
    enum err_code rc = device_event_record(resident->begin, resident->stream, err);

    if (rc == ERR_OK)
        rc = work(arg, err);
    if (rc == ERR_OK)
        rc = device_event_record(resident->end, resident->stream, err);
    if (rc == ERR_OK)
        rc = device_event_wait(resident->end, err);
    if (rc == ERR_OK)
        rc = device_stream_wait(resident->stream,
                                err); /* or what failed behind the events would go unseen */
    return rc == ERR_OK ? device_event_elapsed(resident->begin, resident->end, seconds, err) : rc;
}

struct resident_limit {
    struct match_resident *resident;
    enum match_limit limit;
    uint64_t len;
};

static enum err_code resident_limit_run(void *arg, struct err *err)
{
    const struct resident_limit *work = arg;

    return resident_limit(work->resident, work->limit, work->len, err);
}

enum err_code match_resident_limit(struct match_resident *resident, enum match_limit limit,
                                   uint64_t len, uint32_t runs, double *seconds, struct err *err)
{
    struct resident_limit work = { resident, limit, resident_len(resident, len) };
    double first = 0;
    enum err_code rc = resident_time(resident, resident_limit_run, &work, &first, err);

    for (uint32_t i = 0; rc == ERR_OK && i < runs; i++)
        rc = resident_time(resident, resident_limit_run, &work, &seconds[i], err);
    return rc;
}
