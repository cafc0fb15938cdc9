/* SPDX-License-Identifier: Apache-2.0
 * io/reader/reader_aio.c - the backend for files and devices: each byte from where it is nearest.
 *
 *   segment ──► pages in the page cache ──► copied now, at the speed of memory
 *           └─► the rest ──► O_DIRECT requests through libaio, many in flight ──► reap
 *           └─► what O_DIRECT cannot read (odd offsets, ends of files, file systems that refuse it)
 * ──► page cache
 *
 * A request that fails or comes back short is read again by the salvage path, so that errors look
 * the same whoever reads.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/image/image_impl.h"
#include "io/reader/reader_cache.h"
#include "io/reader/residency.h"
#include "io/system/direct.h"

enum {
    AIO_QUEUE_LEN = 64,           /* requests in flight */
    AIO_QUEUE_CARE = 2,           /* the same, of one reader, where reads have failed nearby */
    AIO_REQUEST_LEN = 512 * 1024, /* bytes */
    AIO_PAGES_MAX = AIO_REQUEST_LEN / 4096 + 1,
    AIO_CACHED_MIN =
        64 * 1024, /* bytes; a shorter run of cached pages is left inside the direct request */
    AIO_DISTRUST =
        8, /* "cached" pages that were not, in a row: residency is hidden from this user */
};

struct aio_request {
    struct iocb iocb;
    struct io_slot *slot;
    struct io_span span;      /* fd is the image's, len the bytes asked for */
    uint64_t offset;          /* of the image */
    struct aio_request *next; /* free list */
};

struct reader_aio {
    struct io_backend base;
    io_context_t context;
    struct io_direct direct;
    struct io_residency residency;
    uint32_t disappointed; /* see AIO_DISTRUST */
    bool hot; /* the last piece came whole from the page cache, so the next one may too */
    struct aio_request requests[AIO_QUEUE_LEN];
    struct aio_request *free;
    struct iocb *batch[AIO_QUEUE_LEN];
    uint32_t batch_count;
};

/* Takes one request out of flight, with res as io_getevents(2) gives it. */
static void aio_finish(struct reader_aio *aio, struct aio_request *request, long res)
{
    struct io_span *span = &request->span;

    if (res == -EINVAL || res == -EOPNOTSUPP) { /* some file systems refuse O_DIRECT only now */
        io_direct_refuse(&aio->direct, span->fd);
        io_cache_read(&aio->base, request->slot, span, request->offset, (size_t)span->len);
    } else {
        const uint64_t got = res < 0 ? 0 : (uint64_t)res;
        if (got < span->len)
            io_slot_salvage(aio->base.image, request->slot, request->offset + got,
                            (size_t)(span->len - got), true);
    }
    request->slot->pending--;
    request->next = aio->free;
    aio->free = request;
    aio->base.in_flight--;
}

static void aio_reap(struct io_backend *backend, bool wait)
{
    struct reader_aio *aio = (struct reader_aio *)backend;
    struct io_event events[AIO_QUEUE_LEN];
    int count;

    do
        count = backend->sys->getevents(backend->sys->arg, aio->context, wait ? 1 : 0,
                                        AIO_QUEUE_LEN, events);
    while (count == -EINTR);
    for (int i = 0; i < count; i++)
        aio_finish(aio, events[i].data, (long)events[i].res);
}

/*
 * Hands the batch to the kernel. A request that the kernel does not take is finished with its
 * error. The queue is made with the first batch: an image that is cached needs none, and to take
 * one down again costs tens of milliseconds.
 */
static void aio_submit(struct reader_aio *aio)
{
    const struct io_sys *sys = aio->base.sys;
    uint32_t from = 0;

    if (aio->batch_count > 0 && aio->context == NULL && io_setup(AIO_QUEUE_LEN, &aio->context) != 0)
        for (; from < aio->batch_count;
             from++) /* no queue to be had (fs.aio-max-nr): through the page cache */
            aio_finish(aio, aio->batch[from]->data, -EOPNOTSUPP);
    while (from < aio->batch_count) {
        const int taken =
            sys->submit(sys->arg, aio->context, (long)(aio->batch_count - from), aio->batch + from);
        if (taken > 0) {
            from += (uint32_t)taken;
        } else if (taken == -EAGAIN && aio->base.in_flight > aio->batch_count - from) {
            aio_reap(&aio->base, true); /* the queue is full */
        } else if (taken != -EINTR) {
            aio_finish(aio, aio->batch[from]->data, taken == 0 ? -EIO : taken);
            from++;
        }
    }
    aio->batch_count = 0;
}

static void aio_request(struct reader_aio *aio, struct io_slot *slot,
                        const struct io_direct_file *file, const struct io_span *span,
                        uint64_t offset, size_t len)
{
    uint8_t *dst = slot->segment.bytes + (offset - slot->segment.offset);

    if (aio->free == NULL) {
        aio_submit(aio);
        while (aio->free == NULL)
            aio_reap(&aio->base, true);
    }
    if (aio->base.in_flight >= AIO_QUEUE_CARE &&
        io_bad_places_near(&aio->base.image->places, offset)) {
        aio_submit(aio);
        while (aio->base.in_flight >= AIO_QUEUE_CARE)
            aio_reap(&aio->base, true);
    }
    struct aio_request *request = aio->free;
    aio->free = request->next;
    request->slot = slot;
    request->offset = offset;
    request->span = (struct io_span){ .fd = span->fd, .fd_offset = span->fd_offset, .len = len };
    io_prep_pread(&request->iocb, file->direct, dst, len, (long long)span->fd_offset);
    request->iocb.data = request;
    aio->batch[aio->batch_count++] = &request->iocb;
    slot->pending++;
    aio->base.in_flight++;
}

/* Copies cached pages; returns how many bytes at the start of the run were really there. */
static size_t aio_copy_cached(struct reader_aio *aio, struct io_slot *slot,
                              const struct io_span *span, uint64_t offset, size_t len)
{
    const struct io_sys *sys = aio->base.sys;
    uint8_t *dst = slot->segment.bytes + (offset - slot->segment.offset);
    size_t done = 0;

    while (done < len) {
        const ssize_t got =
            sys->pread_cached(sys->arg, span->fd, dst + done, len - done, span->fd_offset + done);
        if (got == -EINTR)
            continue;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    aio->disappointed = done == 0 ? aio->disappointed + 1 : 0;
    return done;
}

/* Reads a run of pages that are all in the page cache, or all not. */
static void aio_read_run(struct reader_aio *aio, struct io_slot *slot,
                         const struct io_direct_file *file, const struct io_span *span,
                         uint64_t offset, size_t len, bool cached)
{
    size_t done = cached ? aio_copy_cached(aio, slot, span, offset, len) : 0;

    done -= done % file->align;
    if (done < len) {
        const struct io_span rest = { .fd = span->fd,
                                      .fd_offset = span->fd_offset + done,
                                      .len = len - done };
        aio_request(aio, slot, file, &rest, offset + done, len - done);
    }
}

/* True when the run of equal pages that begins at page i is to be copied from the page cache; *end
 * is where it ends. */
static bool aio_next_run(const uint8_t *pages, uint32_t count, uint32_t i, uint32_t page_len,
                         uint32_t *end)
{
    uint32_t at = i, cached_from = i;

    for (; at < count; at++) {
        if ((pages[at] & 1) == 0)
            cached_from = at + 1;
        else if ((at + 1 - cached_from) * page_len >= AIO_CACHED_MIN ||
                 (cached_from == i && at + 1 == count))
            break;
    }
    if (at == count || cached_from > i) { /* direct up to where a long cached run begins */
        *end = at == count ? count : cached_from;
        return false;
    }
    while (at < count && (pages[at] & 1) != 0)
        at++;
    *end = at;
    return true;
}

/* Waits until so many bytes may be read; the disk has what was asked of it before. */
static void aio_pay(struct reader_aio *aio, size_t len)
{
    struct io_rate *rate = &aio->base.image->rate;

    if (rate->per_second == 0)
        return;
    aio_submit(aio);
    io_rate_pay(rate, len);
}

/* Reads one piece of at most AIO_REQUEST_LEN bytes, aligned for O_DIRECT, each run of its pages
 * from where it is. */
static void aio_read_pages(struct reader_aio *aio, struct io_slot *slot,
                           const struct io_direct_file *file, const struct io_span *span,
                           uint64_t offset)
{
    const uint64_t len = span->len;
    const uint32_t page_len = aio->residency.page_len;
    const uint64_t first = span->fd_offset / page_len;
    const uint32_t count = (uint32_t)((span->fd_offset + len - 1) / page_len - first + 1);
    uint8_t pages[AIO_PAGES_MAX];
    uint64_t at = span->fd_offset;

    if (aio->disappointed >= AIO_DISTRUST || count > AIO_PAGES_MAX ||
        !io_residency_ask(&aio->residency, span->fd, first, count, pages))
        memset(pages, 0, sizeof pages);
    for (uint32_t i = 0; i < count;) {
        uint32_t run_end;
        const bool cached = aio_next_run(pages, count, i, page_len, &run_end);
        const uint64_t page_end = (first + run_end) * page_len;
        const uint64_t end = page_end < span->fd_offset + len ? page_end : span->fd_offset + len;
        const struct io_span run = { .fd = span->fd, .fd_offset = at, .len = end - at };

        aio_read_run(aio, slot, file, &run, offset + (at - span->fd_offset), (size_t)(end - at),
                     cached);
        /* A few pages that happen to be there say nothing of the next piece. */
        aio->hot = cached && run_end - i == count && end - at >= AIO_CACHED_MIN;
        at = end;
        i = run_end;
    }
}

/*
 * While all is in the page cache, asking where each page is would cost half as much as copying it.
 * So the copy is tried first then, and the question asked only for what is missing.
 */
static void aio_read_piece(struct reader_aio *aio, struct io_slot *slot,
                           const struct io_direct_file *file, const struct io_span *span,
                           uint64_t offset)
{
    size_t done = aio->hot ? aio_copy_cached(aio, slot, span, offset, (size_t)span->len) : 0;

    done -= done % file->align;
    if (done < span->len) {
        const struct io_span rest = { .fd = span->fd,
                                      .fd_offset = span->fd_offset + done,
                                      .len = span->len - done };
        aio_read_pages(aio, slot, file, &rest, offset + done);
    }
}

/* Reads the part of a slot that lies in one file. */
static void aio_read_span(struct reader_aio *aio, struct io_slot *slot, const struct io_span *span,
                          uint64_t offset)
{
    const struct io_direct_file *file = io_direct_find(&aio->direct, span->fd);
    const uintptr_t dst =
        (uintptr_t)slot->segment.bytes + (uintptr_t)(offset - slot->segment.offset);

    if (file == NULL || file->direct < 0 || dst % file->align != span->fd_offset % file->align) {
        io_cache_read_ahead(span, span->len);
        io_cache_read(&aio->base, slot, span, offset, (size_t)span->len);
        return;
    }
    const uint64_t head = (file->align - span->fd_offset % file->align) % file->align;
    const uint64_t odd_head = head < span->len ? head : span->len;
    const uint64_t tail = (span->len - odd_head) % file->align;
    uint64_t at = odd_head;

    if (odd_head > 0)
        io_cache_read(&aio->base, slot, span, offset, (size_t)odd_head);
    while (at < span->len - tail) {
        const uint64_t left = span->len - tail - at;
        const size_t len = left < AIO_REQUEST_LEN ? (size_t)left : AIO_REQUEST_LEN;
        const struct io_span piece = { .fd = span->fd,
                                       .fd_offset = span->fd_offset + at,
                                       .len = len };
        aio_pay(aio, len);
        aio_read_piece(aio, slot, file, &piece, offset + at);
        at += len;
    }
    if (tail > 0) {
        const struct io_span piece = { .fd = span->fd,
                                       .fd_offset = span->fd_offset + at,
                                       .len = tail };
        aio_submit(aio); /* the disk need not wait for the copy */
        io_cache_read(&aio->base, slot, &piece, offset + at, (size_t)tail);
    }
}

static void aio_begin(struct io_backend *backend, struct io_slot *slot)
{
    struct reader_aio *aio = (struct reader_aio *)backend;
    const uint64_t end = slot->segment.offset + slot->segment.len;
    struct io_span span;

    for (uint64_t at = slot->segment.offset; at < end; at += span.len) {
        if (!io_cache_map(backend, slot, at, &span))
            break;
        if (!io_cache_fill(backend, slot, &span, at))
            aio_read_span(aio, slot, &span, at);
    }
    aio_submit(aio);
}

static void aio_close(struct io_backend *backend)
{
    struct reader_aio *aio = (struct reader_aio *)backend;

    if (aio->context != NULL)
        io_destroy(aio->context);
    io_direct_release(&aio->direct);
    io_residency_release(&aio->residency);
    free(aio);
}

static enum err_code aio_open(struct io_image *image, const struct io_reader_options *options,
                              const struct io_sys *sys, struct io_backend **out, struct err *err)
{
    struct reader_aio *aio;
    struct io_span span;

    (void)options;
    const enum err_code rc = io_cache_suits(image, &span, err);
    if (rc != ERR_OK)
        return rc;
    aio = calloc(1, sizeof *aio);
    if (aio == NULL)
        return ERR_NO_MEMORY(err, sizeof *aio);
    aio->base = (struct io_backend){ .ops = &io_backend_aio, .image = image, .sys = sys };
    io_residency_init(&aio->residency);
    for (uint32_t i = 0; i < AIO_QUEUE_LEN; i++) {
        aio->requests[i].next = aio->free;
        aio->free = &aio->requests[i];
    }
    const struct io_direct_file *file = span.fd < 0 ? NULL : io_direct_find(&aio->direct, span.fd);
    snprintf(aio->base.describe, sizeof aio->base.describe, "aio, %s",
             file != NULL && file->direct >= 0 ? "O_DIRECT" : "page cache");
    *out = &aio->base;
    return ERR_OK;
}

const struct io_backend_ops io_backend_aio = {
    .name = "aio",
    .open = aio_open,
    .begin = aio_begin,
    .reap = aio_reap,
    .close = aio_close,
};
