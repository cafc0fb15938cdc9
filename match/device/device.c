/* SPDX-License-Identifier: Apache-2.0
 * match/device/device.c - see device.h: the calls, by way of the table. */
#include <assert.h>
#include <inttypes.h>

#include "match/device/device.h"

enum { DEVICE_MIB = 1 << 20 };

enum err_code device_count(const struct device_provider *provider, uint32_t *count, struct err *err)
{
    *count = 0;
    return provider->calls->count(provider->context, count, err);
}

enum err_code device_open(const struct device_provider *provider, uint32_t index,
                          struct device **out, struct err *err)
{
    *out = NULL;
    return provider->calls->open(provider->context, index, out, err);
}

void device_close(struct device *device)
{
    if (device != NULL)
        device->calls->close(device);
}

enum err_code device_memory_free(struct device *device, uint64_t *bytes, struct err *err)
{
    return device->calls->memory_free(device, bytes, err);
}

enum err_code device_room(struct device *device, uint64_t size, const char *what, struct err *err)
{
    uint64_t left = 0;
    const enum err_code rc = device_memory_free(device, &left, err);

    if (rc != ERR_OK || size <= left)
        return rc;
    return ERR_RAISE(err, ERR_ENV,
                     "no room for the %s on device %u (%s): it takes %" PRIu64 " MiB, and %" PRIu64
                     " MiB are free; end what else uses the device, give fewer patterns at a time, "
                     "or choose an engine that runs on the CPU",
                     what, device->index, device->info.name, size / DEVICE_MIB + 1,
                     left / DEVICE_MIB);
}

enum err_code device_alloc(struct device *device, size_t size, void **out, struct err *err)
{
    *out = NULL;
    return device->calls->alloc(device, size, out, err);
}

void device_free(struct device *device, void *memory)
{
    if (memory != NULL)
        device->calls->free(device, memory);
}

enum err_code device_pin(struct device *device, void *memory, size_t size, struct err *err)
{
    return device->calls->pin(device, memory, size, err);
}

void device_unpin(struct device *device, void *memory)
{
    device->calls->unpin(device, memory);
}

enum err_code device_map(struct device *device, const void *memory, void **out, struct err *err)
{
    *out = NULL;
    return device->calls->map(device, memory, out, err);
}

enum err_code device_texture_open(struct device *device, const void *memory, uint32_t cells,
                                  uint32_t cell_size, uint64_t *out, struct err *err)
{
    assert(cells <= device->info.texels_max && (cell_size == 2 || cell_size == 4));
    *out = 0;
    return device->calls->texture_open(device, memory, cells, cell_size, out, err);
}

void device_texture_close(struct device *device, uint64_t texture)
{
    if (texture != 0)
        device->calls->texture_close(device, texture);
}

enum err_code device_stream_open(struct device *device, struct device_stream **out, struct err *err)
{
    *out = NULL;
    return device->calls->stream_open(device, out, err);
}

void device_stream_close(struct device_stream *stream)
{
    if (stream != NULL)
        stream->device->calls->stream_close(stream);
}

enum err_code device_stream_wait(struct device_stream *stream, struct err *err)
{
    return stream->device->calls->stream_wait(stream, err);
}

enum err_code device_copy_in(struct device_stream *stream, void *to, const void *from, size_t size,
                             struct err *err)
{
    return size == 0 ? ERR_OK : stream->device->calls->copy(stream, DEVICE_IN, to, from, size, err);
}

enum err_code device_copy_out(struct device_stream *stream, void *to, const void *from, size_t size,
                              struct err *err)
{
    return size == 0 ? ERR_OK
                     : stream->device->calls->copy(stream, DEVICE_OUT, to, from, size, err);
}

enum err_code device_fill(struct device_stream *stream, void *memory, uint8_t byte, size_t size,
                          struct err *err)
{
    return size == 0 ? ERR_OK : stream->device->calls->fill(stream, memory, byte, size, err);
}

enum err_code device_launch(struct device_stream *stream, const struct device_kernel *kernel,
                            const void *args, struct err *err)
{
    assert(kernel->args_size <= DEVICE_ARGS_MAX);
    return stream->device->calls->launch(stream, kernel, args, err);
}

enum err_code device_event_open(struct device *device, bool awaited, struct device_event **out,
                                struct err *err)
{
    *out = NULL;
    return device->calls->event_open(device, awaited, out, err);
}

void device_event_close(struct device_event *event)
{
    if (event != NULL)
        event->device->calls->event_close(event);
}

enum err_code device_event_record(struct device_event *event, struct device_stream *stream,
                                  struct err *err)
{
    return event->device->calls->event_record(event, stream, err);
}

enum err_code device_event_follow(struct device_stream *stream, struct device_event *event,
                                  struct err *err)
{
    return stream->device->calls->event_follow(stream, event, err);
}

enum err_code device_event_wait(struct device_event *event, struct err *err)
{
    return event->device->calls->event_wait(event, err);
}

enum err_code device_event_elapsed(struct device_event *from, struct device_event *to,
                                   double *seconds, struct err *err)
{
    return from->device->calls->event_elapsed(from, to, seconds, err);
}

#ifndef BURIN_HAVE_CUDA
static enum err_code device_cuda_count(void *context, uint32_t *count, struct err *err)
{
    (void)context;
    *count = 0;
    return ERR_RAISE(err, ERR_ENV, "no device: %s; choose an engine that runs on the CPU",
                     device_cuda_missing());
}

static enum err_code device_cuda_open(void *context, uint32_t index, struct device **out,
                                      struct err *err)
{
    (void)out;
    (void)index;
    return device_cuda_count(context, &(uint32_t){ 0 }, err);
}

struct device_provider device_cuda(void)
{
    static const struct device_calls none = { .name = "CUDA",
                                              .count = device_cuda_count,
                                              .open = device_cuda_open };

    return (struct device_provider){ .calls = &none };
}

const char *device_cuda_missing(void)
{
    return "built without CUDA";
}

const char *device_cuda_absent(void)
{
    return device_cuda_missing();
}
#endif
