/* SPDX-License-Identifier: Apache-2.0
 * io/reader/reader_impl.h - between the reader and its backends (io/ and tests only).
 *
 * The reader owns a ring of slots, one for each buffer that is lent. io_reader_next calls the
 * backend, in one thread at a time, so a backend needs no locks:
 *
 *   lend ──► slot ──► begin ──► requests in flight ──► reap ──► slot is full ──► caller
 *                     (               io_reader_next                        )
 */
#ifndef BURIN_IO_READER_READER_IMPL_H
#define BURIN_IO_READER_READER_IMPL_H

#include <stddef.h>

#include "io/image/bad_list.h"
#include "io/reader.h"
#include "io/system/sys.h"

/* One lent buffer. */
struct io_slot {
    struct io_segment segment;
    /* Requests in flight, and one more while the backend is still starting some */
    uint32_t pending;
    struct io_bad_list bad;
    bool once;        /* see io_reader_options */
    enum err_code rc; /* ERR_OK, or why no more can be read: see io_salvage_read */
    struct err err;
};

struct io_backend; /* what a backend embeds as first member */

struct io_backend_ops {
    const char *name;
    /* Fails with ERR_ENV or ERR_INPUT when the backend cannot read this image here. */
    enum err_code (*open)(struct io_image *image, const struct io_reader_options *options,
                          const struct io_sys *sys, struct io_backend **out, struct err *err);
    /* Fills slot now, or starts to; counts its requests in slot->pending and in_flight. */
    void (*begin)(struct io_backend *backend, struct io_slot *slot);
    /* Takes what has come back; waits for at least one request when wait is set. NULL: nothing is
     * ever in flight. */
    void (*reap)(struct io_backend *backend, bool wait);
    /* Tells that slot will begin soon. NULL: of no use. */
    void (*announce)(struct io_backend *backend, struct io_slot *slot);
    void (*close)(struct io_backend *backend); /* nothing is in flight */
};

#define BACKEND(id) extern const struct io_backend_ops io_backend_##id;
#include "io/backends.def"
#undef BACKEND

struct io_backend {
    const struct io_backend_ops *ops;
    struct io_image *image;
    const struct io_sys *sys;
    uint32_t in_flight; /* requests */
    char describe[96];  /* for io_reader_backend */
};

/*
 * Fills part of slot from the image, with zeros where that fails; bad ranges go to the slot. again:
 * a read of it has failed before. Of a slot that is read once, all of the part counts as bad then.
 */
void io_slot_salvage(struct io_image *image, struct io_slot *slot, uint64_t offset, size_t len,
                     bool again);

/* Like io_reader_open, with the system calls given. */
ERR_MUST_CHECK enum err_code io_reader_open_sys(struct io_image *image,
                                                const struct io_reader_options *options,
                                                const struct io_sys *sys, struct io_reader **out,
                                                struct err *err);

#endif
