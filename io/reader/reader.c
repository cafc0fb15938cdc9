/* SPDX-License-Identifier: Apache-2.0
 * io/reader/reader.c - the ring of lent buffers, and what fills them; see reader_impl.h for the
 * picture.
 *
 * Invariant: taken <= begun <= lent <= taken + depth. A slot that was begun is full when none of
 * its requests is pending.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "io/image/image_impl.h"
#include "io/reader/reader_impl.h"
#include "io/reader/stream.h"

struct io_reader {
    struct io_backend *backend;
    struct io_stream stream;
    uint32_t depth;
    struct io_slot *slots;       /* [depth], slot i of the stream at i % depth */
    uint64_t taken, begun, lent; /* slots of the stream */
    uint64_t announced;          /* slots that the backend was told of */
    struct io_bad_list bad;      /* of what was handed out */
    bool bad_told;               /* clear bad at the next hand-over */
    bool once;                   /* see io_reader_options */
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

/* All or nothing. */
static enum err_code reader_read_once(struct io_image *image, struct io_slot *slot, uint64_t offset,
                                      uint8_t *dst, size_t len)
{
    const struct io_bad_range bad = { .offset = offset,
                                      .len = len,
                                      .cause = EIO,
                                      .source = IO_BAD_READ,
                                      .status = IO_STATUS_UNTRIMMED };
    const enum err_code rc = io_image_read_at(image, offset, dst, len, &slot->err);

    if (rc != ERR_IO)
        return rc;
    memset(dst, 0, len);
    io_bad_list_add(&slot->bad, &bad);
    return ERR_OK;
}

void io_slot_salvage(struct io_image *image, struct io_slot *slot, uint64_t offset, size_t len,
                     bool again)
{
    uint8_t *dst = slot->segment.bytes + (offset - slot->segment.offset);

    if (slot->rc != ERR_OK)
        return;
    if (slot->once)
        slot->rc = reader_read_once(image, slot, offset, dst, len);
    else if (again)
        slot->rc = io_salvage_again(image, offset, dst, len, reader_slot_is_bad, slot, &slot->err);
    else
        slot->rc = io_salvage_read(image, offset, dst, len, reader_slot_is_bad, slot, &slot->err);
}

static void reader_begin(struct io_reader *reader)
{
    struct io_backend *backend = reader->backend;
    struct io_slot *slot = reader_slot(reader, reader->begun);

    if (backend->ops->announce != NULL)
        for (; reader->announced < reader->lent; reader->announced++)
            backend->ops->announce(backend, reader_slot(reader, reader->announced));
    slot->pending = 1;
    backend->ops->begin(backend, slot);
    slot->pending--;
    reader->begun++;
    if (backend->in_flight > 0)
        backend->ops->reap(backend, false);
}

/* Waits for a read of a slot, or of one behind it. */
static void reader_reap(struct io_reader *reader, const struct io_slot *slot)
{
    struct io_watch *watch = &reader->backend->image->watch;
    const uint32_t read = io_watch_begin(watch, slot->segment.offset);

    reader->backend->ops->reap(reader->backend, true);
    io_watch_end(watch, read);
}

/*
 * Fills the oldest slot. Later ones are begun only when the disk has to be waited for, so that what
 * lies in the page cache is copied just before it is looked at.
 */
static void reader_fill(struct io_reader *reader)
{
    struct io_backend *backend = reader->backend;
    const struct io_slot *slot = reader_slot(reader, reader->taken);

    while (reader->begun == reader->taken || slot->pending > 0 ||
           (backend->in_flight > 0 && reader->begun < reader->lent))
        if (reader->begun < reader->lent)
            reader_begin(reader);
        else
            reader_reap(reader, slot);
}

/* Waits until the kernel writes into no lent buffer any more. */
static void reader_land(struct io_reader *reader)
{
    while (reader->backend != NULL && reader->backend->in_flight > 0)
        reader_reap(reader, reader_slot(reader, reader->taken));
}

void io_reader_fill(struct io_reader *reader)
{
    while (reader->begun < reader->lent)
        reader_begin(reader);
    reader_land(reader);
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
    reader->once = options->once;
    reader->slots = calloc(reader->depth, sizeof *reader->slots);
    if (reader->slots == NULL)
        rc = ERR_NO_MEMORY(err, reader->depth * sizeof *reader->slots);
    if (rc == ERR_OK)
        rc = io_stream_init(&reader->stream, options, io_image_size(image), err);
    if (rc == ERR_OK)
        rc = reader_open_backend(reader, image, options, sys, err);
    if (rc != ERR_OK) {
        io_reader_close(reader);
        return rc;
    }
    reader_describe(reader, options->segment_len);
    *out = reader;
    return ERR_OK;
}

enum err_code io_reader_open(struct io_image *image, const struct io_reader_options *options,
                             struct io_reader **out, struct err *err)
{
    return io_reader_open_sys(image, options, &io_sys_kernel, out, err);
}

enum err_code io_reader_again(struct io_reader *reader, const struct io_range *ranges,
                              uint32_t range_count, struct err *err)
{
    const struct io_reader_options options = { .ranges = ranges,
                                               .range_count = range_count,
                                               .segment_len = reader->stream.segment_len };

    reader_land(reader);
    io_stream_release(&reader->stream);
    reader->stream = (struct io_stream){ 0 };
    reader->taken = reader->begun = reader->lent = reader->announced = 0;
    reader->bad.count = 0;
    reader->bad_told = false;
    return io_stream_init(&reader->stream, &options, io_image_size(reader->backend->image), err);
}

enum err_code io_reader_lend(struct io_reader *reader, uint8_t *buffer, void *tag, bool *lent,
                             struct err *err)
{
    struct io_slot *slot = reader_slot(reader, reader->lent);

    *lent = false;
    if ((uintptr_t)buffer % IO_BUFFER_ALIGN != 0)
        return ERR_RAISE(err, ERR_ARG, "the lent buffer is not aligned to %d bytes",
                         IO_BUFFER_ALIGN);
    if (reader->lent - reader->taken == reader->depth)
        return ERR_RAISE(err, ERR_ARG, "more than %" PRIu32 " buffers lent", reader->depth);
    if (!io_stream_next(&reader->stream, &slot->segment))
        return ERR_OK;
    slot->segment.bytes = buffer;
    slot->segment.tag = tag;
    slot->bad.count = 0;
    slot->once = reader->once;
    slot->rc = ERR_OK;
    reader->lent++;
    *lent = true;
    return ERR_OK;
}

static void reader_forget_told(struct io_reader *reader)
{
    if (reader->bad_told)
        reader->bad.count = 0;
    reader->bad_told = false;
}

enum err_code io_reader_next(struct io_reader *reader, struct io_segment *out, struct err *err)
{
    struct io_slot *slot = reader_slot(reader, reader->taken);

    reader_forget_told(reader);
    *out = (struct io_segment){ 0 };
    if (reader->taken == reader->lent)
        return ERR_OK;
    reader_fill(reader);
    reader->taken++;
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
    reader_land(reader);
    if (reader->backend != NULL)
        reader->backend->ops->close(reader->backend);
    for (uint32_t i = 0; reader->slots != NULL && i < reader->depth; i++)
        io_bad_list_release(&reader->slots[i].bad);
    io_stream_release(&reader->stream);
    io_bad_list_release(&reader->bad);
    free(reader->slots);
    free(reader);
}
