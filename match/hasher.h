/* SPDX-License-Identifier: Apache-2.0
 * match/hasher.h - a GPU that hashes the blocks of segments and asks Bloom filters about the
 * hashes, so that the processor is left with the few blocks that a filter lets through.
 *
 *   segment --match_hasher_load--> device --match_hasher_ask--> one answer for each block
 *
 * Threads: each slot may be used by a thread of its own at the same time as other slots; one slot
 * is used by one thread at a time.
 */
#ifndef BURIN_MATCH_HASHER_H
#define BURIN_MATCH_HASHER_H

#include <stdint.h>

#include "base/err.h"
#include "match/bloom.h"
#include "match/digest.h"

struct device_provider;

enum { MATCH_HASHER_FILTERS_MAX = 16 };

/* A set of block hashes, and which blocks are looked up in it. */
struct match_hasher_filter {
    enum digest_kind hash;
    uint32_t block_len; /* bytes */
    uint32_t step;      /* bytes from the start of one looked-up block to the next, at least 1 */
    const struct bloom_view *bloom;
};

struct match_hasher_options {
    const struct match_hasher_filter *filters; /* copied to the device */
    uint32_t filter_count;                     /* 1..MATCH_HASHER_FILTERS_MAX */
    uint32_t slots;                            /* 1..LIMIT_SLOTS */
    uint32_t segment_len;                      /* most bytes of a segment */
    uint32_t device;                           /* index of the device, counted from 0 */
    const struct device_provider *devices;     /* NULL: the machine's devices; tests give others */
};

/* Blocks of one length in the bytes of a slot: block i begins at byte first + i * step. */
struct match_hasher_question {
    enum digest_kind hash;
    uint32_t block_len;          /* bytes */
    uint32_t first, step, count; /* bytes, bytes, blocks */
};

struct match_hasher; /* owned by the caller of match_hasher_open */

/*
 * Opens the device and copies the filters to it. All that options points to may be freed
 * afterwards. Errors: ERR_ENV when the device cannot be used or has too little memory.
 */
ERR_MUST_CHECK enum err_code match_hasher_open(const struct match_hasher_options *options,
                                               struct match_hasher **out, struct err *err);
void match_hasher_close(struct match_hasher *hasher); /* NULL is a no-op */

/* Copies len bytes, at most segment_len, to the slot; later questions are about these bytes. */
ERR_MUST_CHECK enum err_code match_hasher_load(struct match_hasher *hasher, uint32_t slot,
                                               const uint8_t *bytes, uint32_t len, struct err *err);

/*
 * Hashes the blocks and looks the hashes up. (*answers)[i] is 0 when no filter with the question's
 * hash and block_len has block i. answers is valid until the next call for the slot.
 */
ERR_MUST_CHECK enum err_code match_hasher_ask(struct match_hasher *hasher, uint32_t slot,
                                              const struct match_hasher_question *question,
                                              const uint8_t **answers, struct err *err);

#endif
