/* SPDX-License-Identifier: Apache-2.0
 * io/reader/reader_cache.c - the backend that reads through the page cache, for file systems that
 * refuse O_DIRECT.
 *
 * Reads are synchronous; what keeps the disk busy is that the kernel is told of every lent segment
 * before the first of them is read.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/image/image_impl.h"
#include "io/reader/reader_cache.h"

enum {
    CACHE_READ_LEN = 1 << 20, /* bytes a call; what one bad sector makes the salvage read again */
    CACHE_LOOK = 256,         /* runs looked at for one that lies in a file as it is */
};

void io_cache_read(struct io_backend *backend, struct io_slot *slot, const struct io_span *span,
                   uint64_t offset, size_t len)
{
    uint8_t *dst = slot->segment.bytes + (offset - slot->segment.offset);
    const size_t most = backend->image->rate.per_second != 0 ? IO_RATE_PIECE : CACHE_READ_LEN;
    uint64_t fd_offset = span->fd_offset;

    while (len > 0) {
        const size_t want = len < most ? len : most;

        io_rate_pay(&backend->image->rate, want);
        const ssize_t got = backend->sys->pread(backend->sys->arg, span->fd, dst, want, fd_offset);
        size_t moved = got > 0 ? (size_t)got : 0;

        if (got == -EINTR || got == -EAGAIN)
            continue;
        if (moved == 0) {
            io_slot_salvage(backend->image, slot, offset, want, true);
            moved = want;
        }
        offset += moved;
        fd_offset += moved;
        dst += moved;
        len -= moved;
    }
}

void io_cache_read_ahead(const struct io_span *span, uint64_t len)
{
    posix_fadvise(span->fd, (off_t)span->fd_offset, (off_t)len,
                  POSIX_FADV_WILLNEED); /* only advice: may fail */
}

enum err_code io_cache_suits(struct io_image *image, struct io_span *first, struct err *err)
{
    uint64_t at = 0;

    *first = (struct io_span){ .fd = -1 };
    for (uint32_t i = 0; i < CACHE_LOOK && io_image_map(image, at, first); i++) {
        if (first->how == IO_SPAN_STORED)
            return ERR_OK;
        at += first->len;
    }
    *first = (struct io_span){ .fd = -1 };
    if (at > 0)
        return ERR_OK;
    return ERR_RAISE(err, ERR_INPUT,
                     "the %s image does not lie in a file as it is; read it with pread",
                     io_image_format(image));
}

bool io_cache_map(struct io_backend *backend, const struct io_slot *slot, uint64_t at,
                  struct io_span *out)
{
    const uint64_t left = slot->segment.offset + slot->segment.len - at;

    if (!io_image_map(backend->image, at, out))
        return false; /* not reached: the image suits, and the stream stays inside */
    if (out->len > left)
        out->len = left;
    return true;
}

bool io_cache_fill(struct io_backend *backend, struct io_slot *slot, const struct io_span *span,
                   uint64_t offset)
{
    if (span->how == IO_SPAN_ZERO)
        memset(slot->segment.bytes + (offset - slot->segment.offset), 0, (size_t)span->len);
    else if (span->how == IO_SPAN_ASK)
        io_slot_salvage(backend->image, slot, offset, (size_t)span->len, false);
    return span->how != IO_SPAN_STORED;
}

static enum err_code reader_cache_open(struct io_image *image,
                                       const struct io_reader_options *options,
                                       const struct io_sys *sys, struct io_backend **out,
                                       struct err *err)
{
    struct io_backend *backend;
    struct io_span span;

    (void)options;
    const enum err_code rc = io_cache_suits(image, &span, err);
    if (rc != ERR_OK)
        return rc;
    backend = calloc(1, sizeof *backend);
    if (backend == NULL)
        return ERR_NO_MEMORY(err, sizeof *backend);
    backend->ops = &io_backend_cache;
    backend->image = image;
    backend->sys = sys;
    snprintf(backend->describe, sizeof backend->describe, "cache");
    *out = backend;
    return ERR_OK;
}

/* Goes through the runs of the slot, and reads them, or has the kernel read ahead. */
static void cache_each_span(struct io_backend *backend, struct io_slot *slot, bool read)
{
    const uint64_t end = slot->segment.offset + slot->segment.len;
    struct io_span span;

    for (uint64_t at = slot->segment.offset; at < end; at += span.len) {
        if (!io_cache_map(backend, slot, at, &span))
            break;
        if (!read && span.how == IO_SPAN_STORED)
            io_cache_read_ahead(&span, span.len);
        else if (read && !io_cache_fill(backend, slot, &span, at))
            io_cache_read(backend, slot, &span, at, (size_t)span.len);
    }
}

static void reader_cache_begin(struct io_backend *backend, struct io_slot *slot)
{
    cache_each_span(backend, slot, true);
}

static void reader_cache_announce(struct io_backend *backend, struct io_slot *slot)
{
    cache_each_span(backend, slot, false);
}

static void reader_cache_close(struct io_backend *backend)
{
    free(backend);
}

const struct io_backend_ops io_backend_cache = {
    .name = "cache",
    .open = reader_cache_open,
    .begin = reader_cache_begin,
    .announce = reader_cache_announce,
    .close = reader_cache_close,
};
