/* SPDX-License-Identifier: Apache-2.0
 * io/image/image_null.c - an image that is never read: what is left of a benchmark is the cost of
 * everything but reading. */
#include <stdlib.h>

#include "base/limits.h"
#include "io/image/image_impl.h"

static enum err_code image_null_read_at(struct io_image *image, uint64_t offset, uint8_t *dst,
                                        size_t len, struct io_failure *failure, struct err *err)
{
    (void)image, (void)offset, (void)dst, (void)len, (void)failure, (void)err;
    return ERR_OK;
}

static void image_null_close(struct io_image *image)
{
    io_image_release(image);
    free(image);
}

enum err_code io_image_open_null(uint64_t len, struct io_image **out, struct err *err)
{
    static const struct io_image_ops ops = { .read_at = image_null_read_at,
                                             .close = image_null_close };
    struct io_image *image;

    if (len == 0)
        return ERR_RAISE(err, ERR_INPUT, "null image: is empty");
    image = malloc(sizeof *image);
    if (image == NULL)
        return ERR_NO_MEMORY(err, sizeof *image);
    *image = (struct io_image){
        .ops = &ops, .format = "null", .size = len, .sector_size = LIMIT_SECTOR
    };
    *out = image;
    return ERR_OK;
}
