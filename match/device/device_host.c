/* SPDX-License-Identifier: Apache-2.0
 * match/device/device_host.c - see device_host.h: devices, memory, and calls that fail when told.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "match/device/device_host_parts.h"

/* In front of every block of device memory. */
struct device_host_block {
    size_t size;
    _Alignas(256) uint8_t bytes[];
};

/* Counts the call; ERR_ENV when it is its turn to fail. */
enum err_code device_host_call(struct device_host *host, enum device_host_call call,
                               const char *name, uint32_t device, size_t size, struct err *err)
{
    pthread_mutex_lock(&host->lock);
    const uint64_t count = ++host->calls[call], at = host->fail_at[call];
    const bool now = (at != 0 && (host->rest ? count >= at : count == at)) ||
                     (host->lost && (host->failed_devices >> device & 1) != 0);
    host->failed |= now;
    host->failed_devices |= (uint32_t)now << device;
    pthread_mutex_unlock(&host->lock);
    if (!now)
        return ERR_OK;
    return ERR_RAISE(err, ERR_ENV, "%s of %zu bytes on device %u (host stand-in): made to fail",
                     name, size, device);
}

void device_host_opened(struct device_host *host, int by)
{
    pthread_mutex_lock(&host->lock);
    host->open += (uint32_t)by;
    pthread_mutex_unlock(&host->lock);
}

static enum err_code device_host_count(void *context, uint32_t *count, struct err *err)
{
    const struct device_host *host = context;

    (void)err;
    *count = host->devices;
    return ERR_OK;
}

static const struct device_calls device_host_calls;

static enum err_code device_host_open(void *context, uint32_t index, struct device **out,
                                      struct err *err)
{
    struct device_host *host = context;
    enum err_code rc = device_host_call(host, DEVICE_HOST_OPEN, "open", index, 0, err);

    nanosleep(&(struct timespec){ .tv_sec = host->open_ms / 1000,
                                  .tv_nsec = (long)(host->open_ms % 1000) * 1000000 },
              NULL);
    if (rc != ERR_OK)
        return rc;
    if (index >= host->devices)
        return ERR_RAISE(err, ERR_ARG, "there is no device %u; there are %u", index, host->devices);
    struct device_host_device *device = calloc(1, sizeof *device);
    if (device == NULL)
        return ERR_NO_MEMORY(err, sizeof *device);
    device->host = host;
    device->device = (struct device){ .calls = &device_host_calls, .index = index };
    device->device.info = (struct device_info){
        .memory = host->memory,
        .processors = 1,
        .shared_max = 48 << 10,
        .copy_engines = 2,
        .texels_max = 1 << 20,
    };
    snprintf(device->device.info.name, sizeof device->device.info.name, "host stand-in");
    device_host_opened(host, 1);
    *out = &device->device;
    return ERR_OK;
}

static void device_host_close(struct device *device)
{
    assert(((struct device_host_device *)device)->in_use == 0);
    device_host_opened(device_host_of(device), -1);
    device_host_streams_free((struct device_host_device *)device);
    free(device);
}

static enum err_code device_host_memory_free(struct device *device, uint64_t *bytes,
                                             struct err *err)
{
    (void)err;
    *bytes = device->info.memory - ((struct device_host_device *)device)->in_use;
    return ERR_OK;
}

static void device_host_use(struct device *device, int64_t bytes)
{
    struct device_host *host = device_host_of(device);

    pthread_mutex_lock(&host->lock);
    host->in_use += (uint64_t)bytes;
    ((struct device_host_device *)device)->in_use += (uint64_t)bytes;
    pthread_mutex_unlock(&host->lock);
}

static enum err_code device_host_alloc(struct device *device, size_t size, void **out,
                                       struct err *err)
{
    enum err_code rc = device_host_call(device_host_of(device), DEVICE_HOST_ALLOC, "allocation",
                                        device->index, size, err);
    uint64_t left = 0;

    if (rc == ERR_OK)
        rc = device_host_memory_free(device, &left, err);
    if (rc != ERR_OK)
        return rc;
    if (size > left)
        return ERR_RAISE(err, ERR_ENV,
                         "allocation of %zu bytes on device %u (host stand-in): %llu are free",
                         size, device->index, (unsigned long long)left);
    const size_t whole = (sizeof(struct device_host_block) + size + 255) / 256 * 256;
    struct device_host_block *block = aligned_alloc(256, whole);
    if (block == NULL)
        return ERR_NO_MEMORY(err, whole);
    block->size = size;
    memset(block->bytes, 0xa5, size); /* as little zero as what a device hands out */
    device_host_use(device, (int64_t)size);
    *out = block->bytes;
    /* cppcheck-suppress memleak ; device_host_free finds the block in front of its bytes */
    return ERR_OK;
}

static void device_host_free(struct device *device, void *memory)
{
    struct device_host_block *block =
        (void *)((uint8_t *)memory - offsetof(struct device_host_block, bytes));

    device_host_use(device, -(int64_t)block->size);
    free(block);
}

static enum err_code device_host_pin(struct device *device, void *memory, size_t size,
                                     struct err *err)
{
    enum err_code rc = device_host_call(device_host_of(device), DEVICE_HOST_PIN, "pinning",
                                        device->index, size, err);

    (void)memory;
    if (rc == ERR_OK)
        device_host_opened(device_host_of(device), 1);
    return rc;
}

static void device_host_unpin(struct device *device, void *memory)
{
    (void)memory;
    device_host_opened(device_host_of(device), -1);
}

static enum err_code device_host_map(struct device *device, const void *memory, void **out,
                                     struct err *err)
{
    *out = (void *)(uintptr_t)memory;
    return device_host_call(device_host_of(device), DEVICE_HOST_COPY, "mapping", device->index, 0,
                            err);
}

/* Nothing reads it: a kernel's host form reads the memory itself. */
static enum err_code device_host_texture_open(struct device *device, const void *memory,
                                              uint32_t cells, uint32_t cell_size, uint64_t *out,
                                              struct err *err)
{
    enum err_code rc = device_host_call(device_host_of(device), DEVICE_HOST_ALLOC, "texture",
                                        device->index, (size_t)cells * cell_size, err);

    if (rc != ERR_OK)
        return rc;
    device_host_opened(device_host_of(device), 1);
    *out = (uintptr_t)memory;
    return ERR_OK;
}

static void device_host_texture_close(struct device *device, uint64_t texture)
{
    (void)texture;
    device_host_opened(device_host_of(device), -1);
}

static const struct device_calls device_host_calls = {
    .name = "host",
    .count = device_host_count,
    .open = device_host_open,
    .close = device_host_close,
    .memory_free = device_host_memory_free,
    .alloc = device_host_alloc,
    .free = device_host_free,
    .pin = device_host_pin,
    .unpin = device_host_unpin,
    .map = device_host_map,
    .texture_open = device_host_texture_open,
    .texture_close = device_host_texture_close,
    .stream_open = device_host_stream_open,
    .stream_close = device_host_stream_close,
    .stream_wait = device_host_stream_wait,
    .copy = device_host_copy,
    .fill = device_host_fill,
    .launch = device_host_launch,
    .event_open = device_host_event_open,
    .event_close = device_host_event_close,
    .event_record = device_host_event_record,
    .event_follow = device_host_event_follow,
    .event_wait = device_host_event_wait,
    .event_elapsed = device_host_event_elapsed,
};

void device_host_init(struct device_host *host, uint32_t devices, uint64_t memory)
{
    *host = (struct device_host){ .devices = devices,
                                  .memory = memory,
                                  .lock = PTHREAD_MUTEX_INITIALIZER };
}

void device_host_release(struct device_host *host)
{
    pthread_mutex_destroy(&host->lock);
}

struct device_provider device_host_provider(struct device_host *host)
{
    return (struct device_provider){ .calls = &device_host_calls, .context = host };
}
