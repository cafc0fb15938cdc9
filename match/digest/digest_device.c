/* SPDX-License-Identifier: Apache-2.0
 * match/digest/digest_device.c - see digest_parts.h. On the stand-in the kernel is the form of the
 * processor. */
#include "match/digest/digest_parts.h"

static void digest_device_host(const void *args)
{
    const struct digest_work *work = args;
    const uint32_t len = digest_len(work->kind);

    for (uint32_t i = 0; i < work->count; i++) {
        const uint8_t *block = work->blocks + (size_t)i * work->step;

        digest_blocks(work->kind, &block, 1, work->block_len, work->digests + (size_t)i * len);
    }
}

#ifdef BURIN_HAVE_CUDA
#define DIGEST_CUDA digest_cuda
#else
#define DIGEST_CUDA NULL
#endif

enum err_code digest_device_blocks(struct device_stream *stream, const struct digest_work *work,
                                   struct err *err)
{
    static const struct device_kernel kernel = { .name = "digest",
                                                 .args_size = sizeof(struct digest_work),
                                                 .host = digest_device_host,
                                                 .cuda = DIGEST_CUDA };

    return work->count == 0 ? ERR_OK : device_launch(stream, &kernel, work, err);
}
