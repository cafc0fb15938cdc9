/* SPDX-License-Identifier: Apache-2.0
 * match/bloom/bloom_parts.h - a Bloom filter in the memory of a device; see match/bloom.h.
 *
 * Keys and answers lie on the device, where the caller puts them; so whoever makes keys there
 * (hashes of blocks) need not move them.
 */
#ifndef BURIN_MATCH_BLOOM_BLOOM_PARTS_H
#define BURIN_MATCH_BLOOM_BLOOM_PARTS_H

#include "match/bloom.h"
#include "match/device/device.h"

/* Arguments of the kernels. */
struct bloom_work {
    struct bloom_view view;
    struct bloom_keys keys;
    uint8_t *answers; /* NULL when inserting */
};

struct bloom_device; /* owned by the caller of bloom_device_open */

/* An empty filter on the device, its work to be done in stream. salts: [shape->k] of the host,
 * which may go at once; NULL for other kinds. */
ERR_MUST_CHECK enum err_code bloom_device_open(struct device_stream *stream,
                                               const struct bloom_view *like,
                                               struct bloom_device **out, struct err *err);
void bloom_device_close(struct bloom_device *bloom); /* NULL is a no-op; waits for nothing */

/* The same shape, all bits zero again. */
ERR_MUST_CHECK enum err_code bloom_device_clear(struct bloom_device *bloom, struct err *err);
/* Copies a table of the host's to the device. Both must be pinned or the stream be waited for. */
ERR_MUST_CHECK enum err_code bloom_device_load(struct bloom_device *bloom, const uint32_t *words,
                                               struct err *err);
ERR_MUST_CHECK enum err_code bloom_device_store(struct bloom_device *bloom, uint32_t *words,
                                                struct err *err);

/* Enqueue; keys (bytes, starts) and answers are addresses of the device. */
ERR_MUST_CHECK enum err_code bloom_device_insert(struct bloom_device *bloom,
                                                 const struct bloom_keys *keys, struct err *err);
ERR_MUST_CHECK enum err_code bloom_device_query(struct bloom_device *bloom,
                                                const struct bloom_keys *keys, uint8_t *answers,
                                                struct err *err);
/* The same in another stream of the device, beside what else goes on; the filter must be complete.
 */
ERR_MUST_CHECK enum err_code bloom_device_query_in(const struct bloom_device *bloom,
                                                   struct device_stream *stream,
                                                   const struct bloom_keys *keys, uint8_t *answers,
                                                   struct err *err);

#ifdef BURIN_HAVE_CUDA
int bloom_insert_cuda(const void *args, void *stream);
int bloom_query_cuda(const void *args, void *stream);
#endif

#endif
