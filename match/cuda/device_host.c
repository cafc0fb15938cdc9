/* match/cuda/device_host.c - see device_host.h. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "match/cuda/device_host.h"

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

struct device_host_device {
    struct device device;
    struct device_host *host;
    uint64_t in_use;
};

struct device_host_stream {
    struct device_stream stream;
    struct device_host_work *first, **last;
    uint64_t enqueued, done; /* pieces of work */
};

struct device_host_event {
    struct device_event event;
    struct device_host_stream *stream; /* of the last record; NULL: none */
    uint64_t ticket;                   /* number of that record in it */
    struct timespec time;
};

/* In front of every block of device memory. */
struct device_host_block {
    size_t size;
    _Alignas(256) uint8_t bytes[];
};

static struct device_host *device_host_of(const struct device *device)
{
    return ((const struct device_host_device *)device)->host;
}

/* Counts the call; ERR_ENV when it is its turn to fail. */
static enum err_code device_host_call(struct device_host *host, enum device_host_call call, const char *name,
                                      uint32_t device, size_t size, struct err *err)
{
    pthread_mutex_lock(&host->lock);
    const bool now = ++host->calls[call] == host->fail_at[call] || (host->lost && host->failed);
    host->failed |= now;
    pthread_mutex_unlock(&host->lock);
    if (!now)
        return ERR_OK;
    return ERR_RAISE(err, ERR_ENV, "%s of %zu bytes on device %u (host stand-in): made to fail", name, size, device);
}

static enum err_code device_host_stream_call(struct device_stream *stream, enum device_host_call call, const char *name,
                                             size_t size, struct err *err)
{
    return device_host_call(device_host_of(stream->device), call, name, stream->device->index, size, err);
}

static void device_host_opened(struct device_host *host, int by)
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

static enum err_code device_host_open(void *context, uint32_t index, struct device **out, struct err *err)
{
    struct device_host *host = context;
    enum err_code rc = device_host_call(host, DEVICE_HOST_OPEN, "open", index, 0, err);

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
        .memory = host->memory, .processors = 1, .shared_max = 48 << 10, .copy_engines = 2, .version = 0
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
    free(device);
}

static enum err_code device_host_memory_free(struct device *device, uint64_t *bytes, struct err *err)
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

static enum err_code device_host_alloc(struct device *device, size_t size, void **out, struct err *err)
{
    enum err_code rc =
        device_host_call(device_host_of(device), DEVICE_HOST_ALLOC, "allocation", device->index, size, err);
    uint64_t left = 0;

    if (rc == ERR_OK)
        rc = device_host_memory_free(device, &left, err);
    if (rc != ERR_OK)
        return rc;
    if (size > left)
        return ERR_RAISE(err, ERR_ENV, "allocation of %zu bytes on device %u (host stand-in): %llu are free", size,
                         device->index, (unsigned long long)left);
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
    struct device_host_block *block = (void *)((uint8_t *)memory - offsetof(struct device_host_block, bytes));

    device_host_use(device, -(int64_t)block->size);
    free(block);
}

static enum err_code device_host_pin(struct device *device, void *memory, size_t size, struct err *err)
{
    enum err_code rc = device_host_call(device_host_of(device), DEVICE_HOST_PIN, "pinning", device->index, size, err);

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

static enum err_code device_host_stream_open(struct device *device, struct device_stream **out, struct err *err)
{
    enum err_code rc = device_host_call(device_host_of(device), DEVICE_HOST_STREAM, "stream", device->index, 0, err);

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

/* Runs the stream's work up to its ticket-th piece, with the lock held: whoever waits for work does it. */
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

static enum err_code device_host_put(struct device_host_stream *stream, const struct device_host_work *work,
                                     struct err *err)
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

static void device_host_stream_close(struct device_stream *opened)
{
    struct device_host_stream *stream = (struct device_host_stream *)opened;

    device_host_finish(stream, stream->enqueued);
    device_host_opened(device_host_of(opened->device), -1);
    free(stream);
}

static enum err_code device_host_stream_wait(struct device_stream *opened, struct err *err)
{
    struct device_host_stream *stream = (struct device_host_stream *)opened;

    device_host_finish(stream, stream->enqueued);
    return device_host_stream_call(opened, DEVICE_HOST_WAIT, "wait for a stream", 0, err);
}

static enum err_code device_host_copy(struct device_stream *stream, enum device_direction direction, void *to,
                                      const void *from, size_t size, struct err *err)
{
    const char *name = direction == DEVICE_IN ? "copy in" : "copy out";
    enum err_code rc = device_host_stream_call(stream, DEVICE_HOST_COPY, name, size, err);

    if (rc != ERR_OK)
        return rc;
    return device_host_put((struct device_host_stream *)stream,
                           &(struct device_host_work){ .kind = HOST_COPY, .to = to, .from = from, .size = size }, err);
}

static enum err_code device_host_fill(struct device_stream *stream, void *memory, uint8_t byte, size_t size,
                                      struct err *err)
{
    enum err_code rc = device_host_stream_call(stream, DEVICE_HOST_COPY, "fill", size, err);

    if (rc != ERR_OK)
        return rc;
    return device_host_put((struct device_host_stream *)stream,
                           &(struct device_host_work){ .kind = HOST_FILL, .to = memory, .byte = byte, .size = size },
                           err);
}

static enum err_code device_host_launch(struct device_stream *stream, const struct device_kernel *kernel,
                                        const void *args, struct err *err)
{
    struct device_host_work work = { .kind = HOST_LAUNCH, .run = kernel->host };
    enum err_code rc = device_host_stream_call(stream, DEVICE_HOST_LAUNCH, kernel->name, kernel->args_size, err);

    if (rc != ERR_OK)
        return rc;
    memcpy(work.args, args, kernel->args_size);
    return device_host_put((struct device_host_stream *)stream, &work, err);
}

static enum err_code device_host_event_open(struct device *device, struct device_event **out, struct err *err)
{
    enum err_code rc = device_host_call(device_host_of(device), DEVICE_HOST_EVENT, "event", device->index, 0, err);

    if (rc != ERR_OK)
        return rc;
    struct device_host_event *event = calloc(1, sizeof *event);
    if (event == NULL)
        return ERR_NO_MEMORY(err, sizeof *event);
    event->event.device = device;
    device_host_opened(device_host_of(device), 1);
    *out = &event->event;
    return ERR_OK;
}

static void device_host_event_close(struct device_event *opened)
{
    struct device_host_event *event = (struct device_host_event *)opened;

    if (event->stream != NULL) /* its record names it */
        device_host_finish(event->stream, event->ticket);
    device_host_opened(device_host_of(opened->device), -1);
    free(event);
}

static enum err_code device_host_event_record(struct device_event *event, struct device_stream *stream, struct err *err)
{
    return device_host_put(
        (struct device_host_stream *)stream,
        &(struct device_host_work){ .kind = HOST_RECORD, .event = (struct device_host_event *)event }, err);
}

static enum err_code device_host_event_follow(struct device_stream *stream, struct device_event *event, struct err *err)
{
    return device_host_put(
        (struct device_host_stream *)stream,
        &(struct device_host_work){ .kind = HOST_FOLLOW, .event = (struct device_host_event *)event }, err);
}

static enum err_code device_host_event_wait(struct device_event *opened, struct err *err)
{
    struct device_host *host = device_host_of(opened->device);
    struct device_host_event *event = (struct device_host_event *)opened;

    pthread_mutex_lock(&host->lock);
    if (event->stream != NULL)
        device_host_run(event->stream, event->ticket);
    pthread_mutex_unlock(&host->lock);
    return device_host_call(host, DEVICE_HOST_WAIT, "wait for an event", opened->device->index, 0, err);
}

static enum err_code device_host_event_elapsed(struct device_event *from, struct device_event *to, double *seconds,
                                               struct err *err)
{
    const struct timespec *a = &((struct device_host_event *)from)->time, *b = &((struct device_host_event *)to)->time;

    (void)err;
    *seconds = (double)(b->tv_sec - a->tv_sec) + (double)(b->tv_nsec - a->tv_nsec) * 1e-9;
    return ERR_OK;
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
    *host = (struct device_host){ .devices = devices, .memory = memory, .lock = PTHREAD_MUTEX_INITIALIZER };
}

void device_host_release(struct device_host *host)
{
    pthread_mutex_destroy(&host->lock);
}

struct device_provider device_host_provider(struct device_host *host)
{
    return (struct device_provider){ .calls = &device_host_calls, .context = host };
}
