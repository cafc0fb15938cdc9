/* SPDX-License-Identifier: Apache-2.0
 * io/image/image_fault.c - see image_fault.h. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/image/file.h"
#include "io/image/image_fault.h"
#include "io/image/image_impl.h"

struct image_fault {
    struct io_image base;
    struct io_image *inner;  /* the opener's */
    struct io_fault *faults; /* [count], owned */
    atomic_uint *struck;     /* [count], owned: reads struck so far */
    uint32_t count;
    atomic_ullong reads;
};

static bool image_fault_strikes(struct image_fault *fault, uint32_t i, uint64_t offset, size_t len)
{
    const struct io_fault *f = &fault->faults[i];

    if (f->offset >= offset + len || offset >= f->offset + f->len)
        return false;
    return f->times == 0 || atomic_fetch_add(&fault->struck[i], 1) < f->times;
}

static enum err_code image_fault_read_at(struct io_image *image, uint64_t offset, uint8_t *dst,
                                         size_t len, struct io_failure *failure, struct err *err)
{
    struct image_fault *fault = (struct image_fault *)image;

    atomic_fetch_add(&fault->reads, 1);
    for (uint32_t i = 0; i < fault->count; i++) {
        const struct io_fault *f = &fault->faults[i];
        struct io_failure ignored;

        if (!image_fault_strikes(fault, i, offset, len))
            continue;
        if (f->kind == IO_FAULT_LATE) {
            usleep(f->delay_us);
            continue;
        }
        if (f->kind == IO_FAULT_SHORT && f->offset > offset &&
            io_image_try_read(fault->inner, offset, dst, (size_t)(f->offset - offset), false,
                              &ignored, err) != ERR_OK)
            return ERR_IO;
        failure->cause = f->cause;
        failure->page = f->offset;
        failure->page_len = f->times == 0 ? f->len : 0;
        return io_file_result(-1, "a fault on cue", UINT64_MAX, offset, len, f->cause, err);
    }
    return io_image_try_read(fault->inner, offset, dst, len, false, failure, err);
}

static bool image_fault_map(const struct io_image *image, uint64_t offset, struct io_span *span)
{
    return io_image_map(((const struct image_fault *)image)->inner, offset, span);
}

static void image_fault_close(struct io_image *image)
{
    struct image_fault *fault = (struct image_fault *)image;

    io_image_release(image);
    free(fault->faults);
    free(fault->struck);
    free(fault);
}

enum err_code io_image_open_fault(struct io_image *inner, const struct io_fault_script *script,
                                  struct io_image **out, struct err *err)
{
    static const struct io_image_ops mapped = { .read_at = image_fault_read_at,
                                                .map = image_fault_map,
                                                .close = image_fault_close };
    static const struct io_image_ops unmapped = { .read_at = image_fault_read_at,
                                                  .close = image_fault_close };
    const size_t size = (script->count + 1) * sizeof *script->faults;
    struct image_fault *fault = calloc(1, sizeof *fault);

    if (fault == NULL)
        return ERR_NO_MEMORY(err, sizeof *fault);
    fault->base = (struct io_image){ .ops = script->map ? &mapped : &unmapped,
                                     .format = "fault",
                                     .size = io_image_size(inner),
                                     .sector_size = io_image_sector_size(inner) };
    fault->inner = inner;
    fault->count = script->count;
    fault->faults = malloc(size);
    fault->struck = calloc(script->count + 1, sizeof *fault->struck);
    if (fault->faults == NULL || fault->struck == NULL) {
        image_fault_close(&fault->base);
        return ERR_NO_MEMORY(err, size);
    }
    if (script->count > 0)
        memcpy(fault->faults, script->faults, script->count * sizeof *script->faults);
    *out = &fault->base;
    return ERR_OK;
}

uint64_t io_image_fault_reads(const struct io_image *image)
{
    return atomic_load(&((const struct image_fault *)image)->reads);
}
