/* SPDX-License-Identifier: Apache-2.0
 * match/digest/digest_parts.h - hashes of many blocks of one length on a device, a thread for each
 * block; see match/digest.h.
 */
#ifndef BURIN_MATCH_DIGEST_DIGEST_PARTS_H
#define BURIN_MATCH_DIGEST_DIGEST_PARTS_H

#include "match/device/device.h"
#include "match/digest.h"

/* Arguments of the kernel; addresses of the device. */
struct digest_work {
    enum digest_kind kind;
    uint32_t block_len; /* a multiple of DIGEST_STEP */
    uint32_t step;      /* from the beginning of a block to that of the next one */
    uint32_t count;     /* blocks */
    const uint8_t *blocks;
    uint8_t *digests; /* [count * digest_len(kind)], aligned to 4 bytes */
};

/* Enqueues the hashing of work->count blocks. */
ERR_MUST_CHECK enum err_code digest_device_blocks(struct device_stream *stream,
                                                  const struct digest_work *work, struct err *err);

#ifdef BURIN_HAVE_CUDA
int digest_cuda(const void *args, void *stream);
#endif

#endif
