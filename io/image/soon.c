/* SPDX-License-Identifier: Apache-2.0
 * io/image/soon.c - see image.h: what will be read soon begins to be read. */
#include <fcntl.h>

#include "io/image/image_impl.h"
#include "io/system/sys.h"

/* Whether the page cache has the last of so many bytes; those before it were asked for with it. */
static bool soon_has(const struct io_span *span, uint64_t len)
{
    const struct io_sys *sys = &io_sys_kernel;
    uint8_t byte;

    return sys->pread_cached(sys->arg, span->fd, &byte, 1, span->fd_offset + len - 1) == 1;
}

void io_image_soon(const struct io_image *image, uint64_t offset, uint64_t len)
{
    struct io_span span = { .fd = -1 };

    if (image->rate.per_second != 0 || image->patience.on || atomic_load(&image->places.any))
        return;
    while (len > 0 && io_image_map(image, offset, &span)) {
        const uint64_t step = span.len < len ? span.len : len;

        if (span.how == IO_SPAN_STORED && !soon_has(&span, step))
            posix_fadvise(span.fd, (off_t)span.fd_offset, (off_t)step,
                          POSIX_FADV_WILLNEED); /* only advice: may fail */
        offset += step;
        len -= step;
    }
}
