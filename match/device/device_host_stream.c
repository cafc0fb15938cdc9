/* SPDX-License-Identifier: Apache-2.0
 * match/device/device_host_stream.c - see device_host.h: streams and events, whose work is done by
 * who waits for it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "match/device/device_host_parts.h"

enum device_host_kind { HOST_COPY, HOST_FILL, HOST_LAUNCH, HOST_RECORD, HOST_FOLLOW };

struct device_host_stream;
struct device_host_event;

/* One piece of work that waits in a stream. */
struct device_host_work {
    struct device_host_work *next;
    enum device_host_kind kind;
    void *to;
    const void *from;
    size_t size;
    uint8_t byte;
    void (*run)(const void *args);
    struct device_host_event *event;
    struct device_host_stream *stream; /* of the record that a follow waits for */
    uint64_t ticket;                   /* its number there */
    _Alignas(16) uint8_t args[DEVICE_ARGS_MAX];
};

struct device_host_stream {
    struct device_stream stream;
    struct device_host_work *first, **last;
    uint64_t enqueued, done;         /* pieces of work */
    struct device_host_stream *next; /* closed too */
};

struct device_host_event {
    struct device_event event;
    struct device_host_stream *stream; /* of the last record; NULL: none */
    uint64_t ticket;                   /* number of that record in it */
    struct timespec time;
    bool awaited;
};

static enum err_code device_host_stream_call(struct device_stream *stream,
                                             enum device_host_call call, const char *name,
                                             size_t size, struct err *err)
{
    return device_host_call(device_host_of(stream->device), call, name, stream->device->index, size,
                            err);
}

enum err_code device_host_stream_open(struct device *device, struct device_stream **out,
                                      struct err *err)
{
    enum err_code rc = device_host_call(device_host_of(device), DEVICE_HOST_STREAM, "stream",
                                        device->index, 0, err);

    if (rc != ERR_OK)
        return rc;
    struct device_host_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL)
        return ERR_NO_MEMORY(err, sizeof *stream);
    stream->stream.device = device;
    stream->last = &stream->first;
    device_host_opened(device_host_of(device), 1);
    *out = &stream->stream;
    return ERR_OK;
}

/* Runs the stream's work up to its ticket-th piece, with the lock held: whoever waits for work does
 * it. */
static void device_host_run(struct device_host_stream *stream, uint64_t ticket)
{
    while (stream->done < ticket) {
        struct device_host_work *work = stream->first;

        assert(work != NULL);
        stream->first = work->next;
        if (stream->first == NULL)
            stream->last = &stream->first;
        switch (work->kind) {
        case HOST_COPY:
            memcpy(work->to, work->from, work->size);
            break;
        case HOST_FILL:
            memset(work->to, work->byte, work->size);
            break;
        case HOST_LAUNCH:
            work->run(work->args);
            break;
        case HOST_RECORD:
            clock_gettime(CLOCK_MONOTONIC, &work->event->time);
            break;
        case HOST_FOLLOW:
            if (work->stream != stream)
                device_host_run(work->stream, work->ticket);
            break;
        }
        stream->done++;
        free(work);
    }
}

static enum err_code device_host_put(struct device_host_stream *stream,
                                     const struct device_host_work *work, struct err *err)
{
    struct device_host *host = device_host_of(stream->stream.device);
    struct device_host_work *copy = malloc(sizeof *copy);

    if (copy == NULL)
        return ERR_NO_MEMORY(err, sizeof *copy);
    *copy = *work;
    copy->next = NULL;
    pthread_mutex_lock(&host->lock);
    if (copy->kind == HOST_FOLLOW) {
        copy->stream = copy->event->stream == NULL ? stream : copy->event->stream;
        copy->ticket = copy->event->ticket;
    }
    *stream->last = copy;
    stream->last = &copy->next;
    stream->enqueued++;
    if (copy->kind == HOST_RECORD) {
        copy->event->stream = stream;
        copy->event->ticket = stream->enqueued;
    }
    pthread_mutex_unlock(&host->lock);
    return ERR_OK;
}

static void device_host_finish(struct device_host_stream *stream, uint64_t ticket)
{
    struct device_host *host = device_host_of(stream->stream.device);

    pthread_mutex_lock(&host->lock);
    device_host_run(stream, ticket);
    pthread_mutex_unlock(&host->lock);
}

void device_host_stream_close(struct device_stream *opened)
{
    struct device_host_stream *stream = (struct device_host_stream *)opened;

    device_host_finish(stream, stream->enqueued);
    device_host_opened(device_host_of(opened->device), -1);
    struct device_host_device *device = (struct device_host_device *)opened->device;
    pthread_mutex_lock(&device->host->lock);
    stream->next = device->closed;
    device->closed = stream;
    pthread_mutex_unlock(&device->host->lock);
}

void device_host_streams_free(struct device_host_device *device)
{
    while (device->closed != NULL) {
        struct device_host_stream *stream = device->closed;

        device->closed = stream->next;
        free(stream);
    }
}

enum err_code device_host_stream_wait(struct device_stream *opened, struct err *err)
{
    struct device_host_stream *stream = (struct device_host_stream *)opened;

    device_host_finish(stream, stream->enqueued);
    return device_host_stream_call(opened, DEVICE_HOST_WAIT, "wait for a stream", 0, err);
}

enum err_code device_host_copy(struct device_stream *stream, enum device_direction direction,
                               void *to, const void *from, size_t size, struct err *err)
{
    const char *name = direction == DEVICE_IN ? "copy in" : "copy out";
    enum err_code rc = device_host_stream_call(stream, DEVICE_HOST_COPY, name, size, err);

    if (rc != ERR_OK)
        return rc;
    return device_host_put(
        (struct device_host_stream *)stream,
        &(struct device_host_work){ .kind = HOST_COPY, .to = to, .from = from, .size = size }, err);
}

enum err_code device_host_fill(struct device_stream *stream, void *memory, uint8_t byte,
                               size_t size, struct err *err)
{
    enum err_code rc = device_host_stream_call(stream, DEVICE_HOST_COPY, "fill", size, err);

    if (rc != ERR_OK)
        return rc;
    return device_host_put(
        (struct device_host_stream *)stream,
        &(struct device_host_work){ .kind = HOST_FILL, .to = memory, .byte = byte, .size = size },
        err);
}

enum err_code device_host_launch(struct device_stream *stream, const struct device_kernel *kernel,
                                 const void *args, struct err *err)
{
    struct device_host_work work = { .kind = HOST_LAUNCH, .run = kernel->host };
    enum err_code rc =
        device_host_stream_call(stream, DEVICE_HOST_LAUNCH, kernel->name, kernel->args_size, err);

    if (rc != ERR_OK)
        return rc;
    memcpy(work.args, args, kernel->args_size);
    return device_host_put((struct device_host_stream *)stream, &work, err);
}

enum err_code device_host_event_open(struct device *device, bool awaited, struct device_event **out,
                                     struct err *err)
{
    enum err_code rc =
        device_host_call(device_host_of(device), DEVICE_HOST_EVENT, "event", device->index, 0, err);

    if (rc != ERR_OK)
        return rc;
    struct device_host_event *event = calloc(1, sizeof *event);
    if (event == NULL)
        return ERR_NO_MEMORY(err, sizeof *event);
    event->event.device = device;
    event->awaited = awaited;
    device_host_opened(device_host_of(device), 1);
    *out = &event->event;
    return ERR_OK;
}

void device_host_event_close(struct device_event *opened)
{
    struct device_host_event *event = (struct device_host_event *)opened;

    if (event->stream != NULL) /* its record names it */
        device_host_finish(event->stream, event->ticket);
    device_host_opened(device_host_of(opened->device), -1);
    free(event);
}

enum err_code device_host_event_record(struct device_event *event, struct device_stream *stream,
                                       struct err *err)
{
    return device_host_put((struct device_host_stream *)stream,
                           &(struct device_host_work){ .kind = HOST_RECORD,
                                                       .event = (struct device_host_event *)event },
                           err);
}

enum err_code device_host_event_follow(struct device_stream *stream, struct device_event *event,
                                       struct err *err)
{
    return device_host_put((struct device_host_stream *)stream,
                           &(struct device_host_work){ .kind = HOST_FOLLOW,
                                                       .event = (struct device_host_event *)event },
                           err);
}

enum err_code device_host_event_wait(struct device_event *opened, struct err *err)
{
    struct device_host *host = device_host_of(opened->device);
    struct device_host_event *event = (struct device_host_event *)opened;

    assert(event->awaited);
    pthread_mutex_lock(&host->lock);
    if (event->stream != NULL)
        device_host_run(event->stream, event->ticket);
    pthread_mutex_unlock(&host->lock);
    return device_host_call(host, DEVICE_HOST_WAIT, "wait for an event", opened->device->index, 0,
                            err);
}

enum err_code device_host_event_elapsed(struct device_event *from, struct device_event *to,
                                        double *seconds, struct err *err)
{
    const struct timespec *a = &((struct device_host_event *)from)->time,
                          *b = &((struct device_host_event *)to)->time;

    (void)err;
    *seconds = (double)(b->tv_sec - a->tv_sec) + (double)(b->tv_nsec - a->tv_nsec) * 1e-9;
    return ERR_OK;
}
