/* SPDX-License-Identifier: Apache-2.0
 * io/image/image_raw.c - a raw image in one file or block device: the bytes are where they are. The
 * holes of a sparse file are zeros that are not read. */
#include <unistd.h>

#include "base/memory.h"
#include "io/image/container.h"
#include "io/image/file.h"
#include "io/image/holes.h"
#include "io/image/image_impl.h"
#include "io/system/again.h"

enum { RAW_PAGE = 4096 /* bytes; pages are no smaller */ };

struct image_raw {
    struct io_image base;
    int fd;
    struct io_again again;
    struct io_holes holes;
};

static enum err_code image_raw_read(struct image_raw *raw, uint64_t offset, uint8_t *dst,
                                    size_t len, bool again, struct io_failure *failure,
                                    struct err *err)
{
    const char *path = raw->base.parts[0].path;
    size_t done = 0;

    failure->cause = again ? io_again_read(&raw->again, raw->fd, offset, dst, len, &failure->unit)
                           : io_file_pread_some(raw->fd, offset, dst, len, &done);
    if (failure->cause != 0 && !again) {
        /* The kernel gave what lies before the page that it could not read. */
        failure->page = (offset + done) / RAW_PAGE * RAW_PAGE;
        failure->page_len = RAW_PAGE;
    }
    return io_file_result(raw->fd, path, raw->base.size, offset, len, failure->cause, err);
}

static enum err_code image_raw_read_at(struct io_image *image, uint64_t offset, uint8_t *dst,
                                       size_t len, struct io_failure *failure, struct err *err)
{
    return image_raw_read((struct image_raw *)image, offset, dst, len, false, failure, err);
}

static enum err_code image_raw_read_again(struct io_image *image, uint64_t offset, uint8_t *dst,
                                          size_t len, struct io_failure *failure, struct err *err)
{
    return image_raw_read((struct image_raw *)image, offset, dst, len, true, failure, err);
}

static bool image_raw_map(const struct io_image *image, uint64_t offset, struct io_span *span)
{
    struct image_raw *raw = (struct image_raw *)(uintptr_t)image; /* what was asked is kept */
    uint64_t end;
    const bool hole = io_holes_at(&raw->holes, raw->fd, image->size, offset, &end);

    *span = hole ? (struct io_span){ .fd = -1, .len = end - offset, .how = IO_SPAN_ZERO }
                 : (struct io_span){ .fd = raw->fd, .fd_offset = offset, .len = end - offset };
    return true;
}

static void image_raw_close(struct io_image *image)
{
    struct image_raw *raw = (struct image_raw *)image;

    io_again_release(&raw->again);
    io_holes_close(&raw->holes);
    close(raw->fd);
    io_image_release(image);
    memory_sparse_free(raw, sizeof *raw);
}

enum err_code io_image_raw_open(const struct io_container *container, const char *path,
                                struct io_image **out, struct err *err)
{
    static const struct io_image_ops ops = {
        .read_at = image_raw_read_at,
        .read_again = image_raw_read_again,
        .map = image_raw_map,
        .close = image_raw_close,
    };
    struct image_raw *raw = memory_sparse(sizeof *raw);
    struct stat st;

    if (raw == NULL)
        return ERR_NO_MEMORY(err, sizeof *raw);
    enum err_code rc = io_file_open(path, &raw->fd, &st, err);
    if (rc != ERR_OK) {
        memory_sparse_free(raw, sizeof *raw);
        return rc;
    }
    io_again_init(&raw->again);
    io_holes_open(&raw->holes, &st);
    raw->base.ops = &ops;
    raw->base.format = container->name;
    rc = io_file_size(path, raw->fd, &st, &raw->base.size, &raw->base.sector_size, err);
    if (rc == ERR_OK && raw->base.size == 0)
        rc = ERR_RAISE(err, ERR_INPUT, "%s: is empty", path);
    if (rc == ERR_OK)
        rc = io_image_add_part(&raw->base, path, &st, err);
    if (rc != ERR_OK) {
        image_raw_close(&raw->base);
        return rc;
    }
    *out = &raw->base;
    return ERR_OK;
}
