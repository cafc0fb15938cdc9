/* SPDX-License-Identifier: Apache-2.0
 * carver/known/known_blocks.h - hashes of the blocks of one part of an image, as its segments go
 * by, looked up in the sets of a scan.
 *
 * A block belongs to the part in which it ends. Constant blocks, which most of an empty disk is,
 * are not even hashed. What is found goes to a list; known_runs.h makes rows of the lists of all
 * parts.
 *
 * Threads: one at a time uses it. Several may share the sets, each with its own.
 */
#ifndef BURIN_CARVER_KNOWN_KNOWN_BLOCKS_H
#define BURIN_CARVER_KNOWN_KNOWN_BLOCKS_H

#include "carver/known/known_scan.h"
#include "match/digest.h"
#include "match/hasher.h"

struct known_blocks; /* owned by the caller of known_blocks_open */

/* A device that hashes for known_blocks_open and asks the sets of blocks; devices: NULL, those of
 * the machine. The rest is as in match_hasher_options. */
ERR_MUST_CHECK enum err_code known_blocks_open_device(const struct known_scan *scan,
                                                      const struct device_provider *devices,
                                                      uint32_t device, uint32_t slots,
                                                      uint32_t segment_len,
                                                      struct match_hasher **out, struct err *err);

/* A block that a set knows. */
struct known_block {
    uint64_t offset; /* of the image */
    uint32_t set;    /* index into the sets of the scan */
    struct known_found what;
    uint8_t digest[DIGEST_MAX];
};

/* Zeroed is empty; free(items) releases it. */
struct known_block_list {
    struct known_block *items; /* by offset, then set */
    uint32_t count;
    size_t room;
};

/* Appends a block. Errors: ERR_ENV, no memory. */
ERR_MUST_CHECK enum err_code known_block_list_add(struct known_block_list *list,
                                                  const struct known_block *block, struct err *err);

/* scan and device (NULL: the processor alone) stay the caller's. */
ERR_MUST_CHECK enum err_code known_blocks_open(const struct known_scan *scan,
                                               struct match_hasher *device,
                                               struct known_blocks **out, struct err *err);
void known_blocks_close(struct known_blocks *blocks); /* NULL is a no-op */

/* Bytes before the beginning of a part that a block which ends in it may have. */
uint32_t known_blocks_before(const struct known_blocks *blocks);

/* A part begins behind these bytes: known_blocks_before of them, or all of the range before it. */
void known_blocks_begin(struct known_blocks *blocks, const uint8_t *before, uint32_t len);

/*
 * The next segment of the part: appends to *out what ends in it. slot: the device's; bytes stay as
 * they are during the call.
 */
ERR_MUST_CHECK enum err_code known_blocks_look(struct known_blocks *blocks, uint32_t slot,
                                               uint64_t offset, const uint8_t *bytes, uint32_t len,
                                               struct known_block_list *out, struct err *err);

/* Some bytes of the image by themselves. */
struct known_piece {
    uint64_t offset; /* of the image */
    const uint8_t *bytes;
    uint32_t len;
};

/*
 * The blocks in pieces that lie apart, each whole in one of them: appends to *out what the sets
 * know, by offset, then set. They are hashed together, which is many times as fast as one by one.
 * Without a device. Segments that come later are of no part.
 */
ERR_MUST_CHECK enum err_code known_blocks_apart(struct known_blocks *blocks,
                                                const struct known_piece *pieces, uint32_t count,
                                                struct known_block_list *out, struct err *err);

/* Why the device was given up, "" when it was not. */
const char *known_blocks_lost(const struct known_blocks *blocks);

#endif
