/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/shard_hashes.h - the hashes that parts have taken of their objects (part_hashes.h),
 * found again in the shards of a folder.
 *
 * It goes over the shards once, and holds the hashes of two parts at a time: so what is asked for
 * in the order of its offsets is found, whatever the shards' size.
 *
 * Threads: one.
 */
#ifndef BURIN_CARVER_SCAN_SHARD_HASHES_H
#define BURIN_CARVER_SCAN_SHARD_HASHES_H

#include "carver/scan/part_hashes.h"
#include "carver/scan/shards.h"

struct shard_hashes;

/* size: of the image, in bytes. The shards must outlive it. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code shard_hashes_open(const struct shards *shards, uint64_t size,
                                               struct shard_hashes **out, struct err *err);
void shard_hashes_close(struct shard_hashes *hashes); /* NULL is a no-op */

/* As struct known_objects_options' find; arg: struct shard_hashes. Errors: ERR_INPUT: a shard has
 * changed; ERR_ENV. */
ERR_MUST_CHECK enum err_code shard_hashes_find(void *arg, uint64_t offset, uint64_t len,
                                               uint32_t kinds,
                                               uint8_t digests[DIGEST_KINDS][DIGEST_MAX],
                                               bool *found, struct err *err);

#endif
