/* SPDX-License-Identifier: Apache-2.0
 * match/device/device_host_parts.h - what the two halves of the stand-in share: device_host.c and
 * device_host_stream.c. */
#ifndef BURIN_MATCH_DEVICE_DEVICE_HOST_PARTS_H
#define BURIN_MATCH_DEVICE_DEVICE_HOST_PARTS_H

#include "match/device/device_host.h"

struct device_host_stream;

struct device_host_device {
    struct device device;
    struct device_host *host;
    uint64_t in_use;
    struct device_host_stream *closed; /* streams; work in others may still name them */
};

/* Frees the device's closed streams. */
void device_host_streams_free(struct device_host_device *device);

/* Counts the call; ERR_ENV when it is its turn to fail. */
enum err_code device_host_call(struct device_host *host, enum device_host_call call,
                               const char *name, uint32_t device, size_t size, struct err *err);

void device_host_opened(struct device_host *host, int by);

static inline struct device_host *device_host_of(const struct device *device)
{
    return ((const struct device_host_device *)device)->host;
}

/* The calls of device.h for streams and events. */
enum err_code device_host_stream_open(struct device *device, struct device_stream **out,
                                      struct err *err);
void device_host_stream_close(struct device_stream *opened);
enum err_code device_host_stream_wait(struct device_stream *opened, struct err *err);
enum err_code device_host_copy(struct device_stream *stream, enum device_direction direction,
                               void *to, const void *from, size_t size, struct err *err);
enum err_code device_host_fill(struct device_stream *stream, void *memory, uint8_t byte,
                               size_t size, struct err *err);
enum err_code device_host_launch(struct device_stream *stream, const struct device_kernel *kernel,
                                 const void *args, struct err *err);
enum err_code device_host_event_open(struct device *device, bool awaited, struct device_event **out,
                                     struct err *err);
void device_host_event_close(struct device_event *opened);
enum err_code device_host_event_record(struct device_event *event, struct device_stream *stream,
                                       struct err *err);
enum err_code device_host_event_follow(struct device_stream *stream, struct device_event *event,
                                       struct err *err);
enum err_code device_host_event_wait(struct device_event *opened, struct err *err);
enum err_code device_host_event_elapsed(struct device_event *from, struct device_event *to,
                                        double *seconds, struct err *err);

#endif
