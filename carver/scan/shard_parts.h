/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/shard_parts.h - parts on their way into a shard, and what its end says of them.
 *
 * Threads: one.
 */
#ifndef BURIN_CARVER_SCAN_SHARD_PARTS_H
#define BURIN_CARVER_SCAN_SHARD_PARTS_H

#include "carver/scan/part.h"
#include "carver/scan/shard_file.h"

/* Zeroed has none; shard_parts_release. */
struct shard_parts {
    struct shard_end end; /* but for when it was finished */
    struct pack bytes;    /* of a part */
    struct pack bad;      /* places that could not be read: for end.bad_sha256 */
    uint64_t bad_to;      /* image offset: where the last one ends */
    uint64_t *ends;       /* image offsets where objects of earlier parts end, behind these */
    size_t end_count, end_room;
};

/* Adds a part that was scanned; with it the CRCs at the places where objects of parts before it
 * end: who merges need not read the image for these. Errors: those of part_save and of writing. */
ERR_MUST_CHECK enum err_code shard_parts_add(struct shard_parts *parts, struct shard_new *shard,
                                             struct part *part, const struct plan_options *options,
                                             struct err *err);

/* Adds a part of another shard, as it stands there. */
ERR_MUST_CHECK enum err_code shard_parts_copy(struct shard_parts *parts, struct shard_new *shard,
                                              const struct part *part, const uint8_t *bytes,
                                              size_t len, struct err *err);

/* All parts were added. */
ERR_MUST_CHECK enum err_code shard_parts_end(struct shard_parts *parts, struct err *err);

void shard_parts_release(struct shard_parts *parts);

#endif
