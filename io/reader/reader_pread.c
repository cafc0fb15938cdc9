/* SPDX-License-Identifier: Apache-2.0
 * io/reader/reader_pread.c - the backend that works for every image: one segment is read after the
 * other.
 */
#include <stdio.h>
#include <stdlib.h>

#include "io/reader/reader_impl.h"

static enum err_code reader_pread_open(struct io_image *image,
                                       const struct io_reader_options *options,
                                       const struct io_sys *sys, struct io_backend **out,
                                       struct err *err)
{
    struct io_backend *backend = calloc(1, sizeof *backend);

    (void)options;
    if (backend == NULL)
        return ERR_NO_MEMORY(err, sizeof *backend);
    backend->ops = &io_backend_pread;
    backend->image = image;
    backend->sys = sys;
    snprintf(backend->describe, sizeof backend->describe, "pread");
    *out = backend;
    return ERR_OK;
}

static void reader_pread_begin(struct io_backend *backend, struct io_slot *slot)
{
    io_slot_salvage(backend->image, slot, slot->segment.offset, slot->segment.len, false);
}

static void reader_pread_close(struct io_backend *backend)
{
    free(backend);
}

const struct io_backend_ops io_backend_pread = {
    .name = "pread",
    .open = reader_pread_open,
    .begin = reader_pread_begin,
    .close = reader_pread_close,
};
