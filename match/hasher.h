/*
 * match/hasher.h - a GPU that hashes the blocks of segments and asks Bloom filters about the hashes, so
 * that the processor is left with the few blocks that a filter lets through.
 *
 *   segment --match_hasher_load--> device --match_hasher_ask--> one answer for each block
 *
 * Lanes are independent of each other: one thread may use one while others use others.
 */
#ifndef BURIN_MATCH_HASHER_H
#define BURIN_MATCH_HASHER_H

#include <stdint.h>

#include "base/err.h"
#include "match/bloom.h"
#include "match/digest.h"

struct device_provider;

enum { MATCH_HASHER_FILTERS_MAX = 16 };

/* A set of hashes of blocks. */
struct match_hasher_filter {
    enum digest_kind hash;
    uint32_t block_len; /* bytes */
    uint32_t step;      /* bytes between the beginnings of blocks that are asked about, at least 1 */
    const struct bloom_view *bloom;
};

struct match_hasher_options {
    const struct match_hasher_filter *filters; /* copied to the device */
    uint32_t filter_count;                     /* 1..MATCH_HASHER_FILTERS_MAX */
    uint32_t lanes;                            /* 1..LIMIT_LANES */
    uint32_t segment_len;                      /* bytes, at most */
    uint32_t device;                           /* index */
    const struct device_provider *devices;     /* NULL: those of the machine */
};

/* Blocks of one kind in the bytes of a lane. */
struct match_hasher_question {
    enum digest_kind hash;
    uint32_t block_len;          /* bytes */
    uint32_t first, step, count; /* the first block begins at byte `first`, each next one step bytes further */
};

struct match_hasher; /* owned by the caller of match_hasher_open */

/* Errors: ERR_ENV when the device cannot be used or has no memory left. What options refers to may go at once. */
ERR_MUST_CHECK enum err_code match_hasher_open(const struct match_hasher_options *options, struct match_hasher **out,
                                               struct err *err);
void match_hasher_close(struct match_hasher *hasher); /* NULL is a no-op */

/* The bytes of a lane, for the questions that follow; at most segment_len. */
ERR_MUST_CHECK enum err_code match_hasher_load(struct match_hasher *hasher, uint32_t lane, const uint8_t *bytes,
                                               uint32_t len, struct err *err);

/* *answers: count bytes, 0 where no filter of that kind has the block; valid until the next call for the lane. */
ERR_MUST_CHECK enum err_code match_hasher_ask(struct match_hasher *hasher, uint32_t lane,
                                              const struct match_hasher_question *question, const uint8_t **answers,
                                              struct err *err);

#endif
