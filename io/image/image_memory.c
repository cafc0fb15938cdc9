/* SPDX-License-Identifier: Apache-2.0
 * io/image/image_memory.c - bytes in memory as an image. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "io/image/image_impl.h"

struct image_memory {
    struct io_image base;
    const uint8_t *bytes; /* the opener's */
};

static enum err_code image_memory_read_at(struct io_image *image, uint64_t offset, uint8_t *dst,
                                          size_t len, struct io_failure *failure, struct err *err)
{
    const struct image_memory *memory = (const struct image_memory *)image;

    (void)failure, (void)err;
    memcpy(dst, memory->bytes + offset, len);
    return ERR_OK;
}

static void image_memory_close(struct io_image *image)
{
    io_image_release(image);
    free(image);
}

enum err_code io_image_open_memory(const uint8_t *bytes, uint64_t len, struct io_image **out,
                                   struct err *err)
{
    static const struct io_image_ops ops = { .read_at = image_memory_read_at,
                                             .close = image_memory_close };
    struct image_memory *memory;

    if (len == 0)
        return ERR_RAISE(err, ERR_INPUT, "memory image: is empty");
    memory = malloc(sizeof *memory);
    if (memory == NULL)
        return ERR_NO_MEMORY(err, sizeof *memory);
    *memory = (struct image_memory){
        .base = { .ops = &ops, .format = "memory", .size = len, .sector_size = LIMIT_SECTOR },
        .bytes = bytes
    };
    *out = &memory->base;
    return ERR_OK;
}
