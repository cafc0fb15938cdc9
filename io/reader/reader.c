/*
 * io/reader/reader.c - the ring of lent buffers and the thread that fills them; see reader_impl.h
 * for the picture.
 *
 * Invariants: taken <= front <= begun <= lent <= taken + depth. Slots below front are done; the
 * reader's thread alone moves front and begun, the caller alone moves taken and lent. Without a
 * thread, whoever calls io_reader_next does its work.
 */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/thread.h"
#include "io/image/image_impl.h"
#include "io/reader/reader_impl.h"
#include "io/reader/stream.h"

/*
 * To wake a thread takes the one that wakes it as long as to copy some 100 KiB from the page cache.
 * So the caller looks for its segment for a while before it sleeps, unless the last one did not
 * come so soon either, and the reader's thread sleeps until it has several buffers.
 */
enum {
    READER_LOOK_NS = 200000,
    READER_PATIENT =
        15, /* segments that are slept for at once, after one that did not come so soon */
    READER_BATCH_LEN = 4 << 20, /* bytes of buffers, or a quarter of all of them */
};

struct io_reader {
    struct io_backend *backend;
    struct io_stream stream;
    uint32_t depth;
    struct io_slot *slots;              /* [depth], slot i of the stream at i % depth */
    uint64_t taken, front, begun, lent; /* slots of the stream */
    uint32_t batch;                     /* buffers that wake the thread */
    uint32_t patient;                   /* the caller's; see READER_PATIENT */
    bool stop;
    uint64_t announced;     /* slots that the backend was told of */
    struct io_bad_list bad; /* of what was handed out; the caller's side */
    bool bad_told;          /* clear bad at the next hand-over */
    struct thread thread;   /* not started: whoever calls io_reader_next does its work */
    bool has_lock;
    pthread_mutex_t lock;
    pthread_cond_t work, done; /* caller to thread, thread to caller */
    char describe[160];
};

#define BACKEND(id) &io_backend_##id,
static const struct io_backend_ops *const reader_backends[] = {
#include "io/backends.def"
};
#undef BACKEND

enum { READER_BACKEND_COUNT = sizeof reader_backends / sizeof reader_backends[0] };

static struct io_slot *reader_slot(struct io_reader *reader, uint64_t i)
{
    return &reader->slots[i % reader->depth];
}

static void reader_slot_is_bad(void *arg, const struct io_bad_range *range)
{
    io_bad_list_add(&((struct io_slot *)arg)->bad, range);
}

void io_slot_salvage(struct io_image *image, struct io_slot *slot, uint64_t offset, size_t len,
                     bool again)
{
    uint8_t *dst = slot->segment.bytes + (offset - slot->segment.offset);

    if (slot->rc == ERR_OK)
        slot->rc =
            again ? io_salvage_again(image, offset, dst, len, reader_slot_is_bad, slot, &slot->err)
                  : io_salvage_read(image, offset, dst, len, reader_slot_is_bad, slot, &slot->err);
}

/* Called with the lock held. Slots become done in any order, and are handed out in theirs. */
static void reader_mark_done(struct io_reader *reader)
{
    for (uint64_t i = reader->front; i < reader->begun; i++) {
        struct io_slot *slot = reader_slot(reader, i);
        if (slot->pending == 0 && !slot->done) {
            slot->done = true;
            pthread_cond_signal(&reader->done);
        }
    }
    while (reader->front < reader->begun && reader_slot(reader, reader->front)->done)
        reader->front++;
}

/* Called with the lock held; lets it go while the backend works. */
static void reader_begin(struct io_reader *reader)
{
    struct io_backend *backend = reader->backend;
    struct io_slot *slot = reader_slot(reader, reader->begun);
    const uint64_t lent = reader->lent;

    slot->pending = 1;
    pthread_mutex_unlock(&reader->lock);
    if (backend->ops->announce != NULL)
        for (; reader->announced < lent; reader->announced++)
            backend->ops->announce(backend, reader_slot(reader, reader->announced));
    backend->ops->begin(backend, slot);
    slot->pending--;
    if (backend->in_flight > 0)
        backend->ops->reap(backend, false);
    pthread_mutex_lock(&reader->lock);
    reader->begun++;
}

/* Begins a segment, or waits for one that was begun; false when there is neither. As reader_begin.
 */
static bool reader_step(struct io_reader *reader)
{
    struct io_backend *backend = reader->backend;

    if (reader->begun < reader->lent) {
        reader_begin(reader);
    } else if (backend->in_flight > 0) {
        pthread_mutex_unlock(&reader->lock);
        backend->ops->reap(backend, true);
        pthread_mutex_lock(&reader->lock);
    } else {
        return false;
    }
    reader_mark_done(reader);
    return true;
}

static void reader_run(void *arg)
{
    struct io_reader *reader = arg;

    pthread_mutex_lock(&reader->lock);
    while (!reader->stop)
        if (!reader_step(reader))
            pthread_cond_wait(&reader->work, &reader->lock);
    pthread_mutex_unlock(&reader->lock);
}

/*
 * What the thread does, by the caller: begins its segment, and more only when the disk has to be
 * waited for, so that what lies in the page cache is copied just before it is looked at. Called
 * with the lock held.
 */
static void reader_drive(struct io_reader *reader, const struct io_slot *slot)
{
    while (!slot->done || (reader->backend->in_flight > 0 && reader->begun < reader->lent))
        (void)reader_step(reader); /* a slot that is not done is begun, or will be */
}

static enum err_code reader_check_options(const struct io_reader_options *options, struct err *err)
{
    const uint32_t len = options->segment_len;

    if (len < IO_BUFFER_ALIGN || len > LIMIT_SEGMENT_MAX || (len & (len - 1)) != 0)
        return ERR_RAISE(err, ERR_ARG,
                         "segment of %" PRIu32 " bytes: give a power of two from %d to %d", len,
                         IO_BUFFER_ALIGN, LIMIT_SEGMENT_MAX);
    if (options->depth == 0 || options->depth > LIMIT_SLOTS)
        return ERR_RAISE(err, ERR_ARG, "%" PRIu32 " buffers: give 1 to %d", options->depth,
                         LIMIT_SLOTS);
    return ERR_OK;
}

static enum err_code reader_open_backend(struct io_reader *reader, struct io_image *image,
                                         const struct io_reader_options *options,
                                         const struct io_sys *sys, struct err *err)
{
    enum err_code rc =
        ERR_RAISE(err, ERR_ARG, "%s: there is no such way to read; aio, cache and pread are",
                  options->backend == NULL ? "-" : options->backend);

    for (uint32_t i = 0; i < READER_BACKEND_COUNT; i++) {
        if (options->backend != NULL && strcmp(options->backend, reader_backends[i]->name) != 0)
            continue;
        rc = reader_backends[i]->open(image, options, sys, &reader->backend, err);
        if (rc == ERR_OK || options->backend != NULL)
            break;
    }
    return rc;
}

static void reader_describe(struct io_reader *reader, uint32_t segment_len)
{
    const bool whole_mib = segment_len % (1u << 20) == 0;

    snprintf(reader->describe, sizeof reader->describe, "%s, %" PRIu32 " x %" PRIu32 " %s",
             reader->backend->describe, reader->depth,
             whole_mib ? segment_len >> 20 : segment_len >> 10, whole_mib ? "MiB" : "KiB");
}

static uint32_t reader_batch(const struct io_reader_options *options)
{
    const uint32_t most = options->depth / 4, batch = READER_BATCH_LEN / options->segment_len;

    return batch < 1 || most < 1 ? 1 : batch < most ? batch : most;
}

static enum err_code reader_start(struct io_reader *reader, bool in_place, struct err *err)
{
    /* None of these can fail with default attributes on Linux. */
    pthread_mutex_init(&reader->lock, NULL);
    pthread_cond_init(&reader->work, NULL);
    pthread_cond_init(&reader->done, NULL);
    reader->has_lock = true;
    return in_place ? ERR_OK : thread_start(&reader->thread, "reader", reader_run, reader, err);
}

enum err_code io_reader_open_sys(struct io_image *image, const struct io_reader_options *options,
                                 const struct io_sys *sys, struct io_reader **out, struct err *err)
{
    struct io_reader *reader = NULL;

    *out = NULL;
    enum err_code rc = reader_check_options(options, err);
    if (rc != ERR_OK)
        return rc;
    reader = calloc(1, sizeof *reader);
    if (reader == NULL)
        return ERR_NO_MEMORY(err, sizeof *reader);
    reader->depth = options->depth;
    reader->batch = reader_batch(options);
    reader->slots = calloc(reader->depth, sizeof *reader->slots);
    if (reader->slots == NULL)
        rc = ERR_NO_MEMORY(err, reader->depth * sizeof *reader->slots);
    if (rc == ERR_OK)
        rc = io_stream_init(&reader->stream, options, io_image_size(image), err);
    if (rc == ERR_OK)
        rc = reader_open_backend(reader, image, options, sys, err);
    if (rc == ERR_OK) {
        reader_describe(reader, options->segment_len);
        rc = reader_start(reader, options->in_place, err);
    }
    if (rc != ERR_OK) {
        io_reader_close(reader);
        return rc;
    }
    *out = reader;
    return ERR_OK;
}

enum err_code io_reader_open(struct io_image *image, const struct io_reader_options *options,
                             struct io_reader **out, struct err *err)
{
    return io_reader_open_sys(image, options, &io_sys_kernel, out, err);
}

enum err_code io_reader_lend(struct io_reader *reader, uint8_t *buffer, void *tag, bool *lent,
                             struct err *err)
{
    struct io_slot *slot = reader_slot(reader, reader->lent);

    *lent = false;
    if ((uintptr_t)buffer % IO_BUFFER_ALIGN != 0)
        return ERR_RAISE(err, ERR_ARG, "the lent buffer is not aligned to %d bytes",
                         IO_BUFFER_ALIGN);
    pthread_mutex_lock(&reader->lock);
    const bool room = reader->lent - reader->taken < reader->depth;
    pthread_mutex_unlock(&reader->lock);
    if (!room)
        return ERR_RAISE(err, ERR_ARG, "more than %" PRIu32 " buffers lent", reader->depth);
    /* The slot was handed out before: the thread no longer looks at it. */
    if (!io_stream_next(&reader->stream, &slot->segment))
        return ERR_OK;
    slot->segment.bytes = buffer;
    slot->segment.tag = tag;
    slot->bad.count = 0;
    slot->rc = ERR_OK;
    pthread_mutex_lock(&reader->lock);
    slot->done = false;
    reader->lent++;
    if (reader->lent - reader->begun >= reader->batch)
        pthread_cond_signal(&reader->work);
    pthread_mutex_unlock(&reader->lock);
    *lent = true;
    return ERR_OK;
}

static void reader_forget_told(struct io_reader *reader)
{
    if (reader->bad_told)
        reader->bad.count = 0;
    reader->bad_told = false;
}

/* Waits for the slot to be done. Called with the lock held. */
static void reader_wait(struct io_reader *reader, const struct io_slot *slot)
{
    if (reader->begun < reader->lent)
        pthread_cond_signal(&reader->work);
    if (reader->patient == 0) {
        const uint64_t until = clock_now(CLOCK_MONOTONIC) + READER_LOOK_NS;

        while (!slot->done && clock_now(CLOCK_MONOTONIC) < until) {
            pthread_mutex_unlock(&reader->lock);
            sched_yield();
            pthread_mutex_lock(&reader->lock);
        }
        reader->patient = slot->done ? 0 : READER_PATIENT;
    } else {
        reader->patient--;
    }
    while (!slot->done)
        pthread_cond_wait(&reader->done, &reader->lock);
}

bool io_reader_ready(struct io_reader *reader)
{
    pthread_mutex_lock(&reader->lock);
    const bool ready = reader->taken == reader->lent || reader_slot(reader, reader->taken)->done;
    pthread_mutex_unlock(&reader->lock);
    return ready;
}

enum err_code io_reader_next(struct io_reader *reader, struct io_segment *out, struct err *err)
{
    struct io_slot *slot = reader_slot(reader, reader->taken);

    reader_forget_told(reader);
    *out = (struct io_segment){ 0 };
    pthread_mutex_lock(&reader->lock);
    if (reader->taken == reader->lent) {
        pthread_mutex_unlock(&reader->lock);
        return ERR_OK;
    }
    if (!reader->thread.started)
        reader_drive(reader, slot);
    else if (!slot->done)
        reader_wait(reader, slot);
    reader->taken++;
    pthread_mutex_unlock(&reader->lock);
    io_bad_list_take(&reader->bad, &slot->bad); /* requests fail in any order */
    if (slot->rc != ERR_OK) {
        *err = slot->err;
        return slot->rc;
    }
    if (reader->bad.failed)
        return ERR_RAISE(err, ERR_ENV,
                         "no memory for the list of bad ranges at image offset %" PRIu64,
                         slot->segment.offset);
    *out = slot->segment;
    return ERR_OK;
}

void io_reader_bad_ranges(struct io_reader *reader, const struct io_bad_range **ranges,
                          uint32_t *count)
{
    reader_forget_told(reader);
    *ranges = reader->bad.items;
    *count = reader->bad.count;
    reader->bad_told = true;
}

const char *io_reader_backend(const struct io_reader *reader)
{
    return reader->describe;
}

void io_reader_close(struct io_reader *reader)
{
    if (reader == NULL)
        return;
    if (reader->thread.started) {
        pthread_mutex_lock(&reader->lock);
        reader->stop = true;
        pthread_cond_signal(&reader->work);
        pthread_mutex_unlock(&reader->lock);
        thread_join(&reader->thread);
    }
    if (reader->has_lock) {
        pthread_cond_destroy(&reader->work);
        pthread_cond_destroy(&reader->done);
        pthread_mutex_destroy(&reader->lock);
    }
    while (reader->backend != NULL &&
           reader->backend->in_flight > 0) /* the kernel still writes into lent buffers */
        reader->backend->ops->reap(reader->backend, true);
    if (reader->backend != NULL)
        reader->backend->ops->close(reader->backend);
    for (uint32_t i = 0; reader->slots != NULL && i < reader->depth; i++)
        io_bad_list_release(&reader->slots[i].bad);
    io_stream_release(&reader->stream);
    io_bad_list_release(&reader->bad);
    free(reader->slots);
    free(reader);
}
