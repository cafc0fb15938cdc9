/*
 * carver/known_device.h - a GPU that hashes the blocks of segments and asks the filters of sets, so that the processor is left with
 * those few blocks that a filter lets through.
 */
#ifndef BURIN_CARVER_KNOWN_DEVICE_H
#define BURIN_CARVER_KNOWN_DEVICE_H

#include "carver/known_scan.h"
#include "match/cuda/device.h"

struct known_device; /* owned by the caller of known_device_open */

/* index: which of the provider's devices. lanes and segment_len: at most. The filters of all sets of blocks are copied there. */
ERR_MUST_CHECK enum err_code known_device_open(const struct device_provider *provider, uint32_t index,
                                               const struct known_scan *scan, uint32_t lanes, uint32_t segment_len,
                                               struct known_device **out, struct err *err);
void known_device_close(struct known_device *device); /* NULL is a no-op */

/* The bytes of a lane, for the questions that follow. One thread a lane at a time. */
ERR_MUST_CHECK enum err_code known_device_load(struct known_device *device, uint32_t lane, const uint8_t *bytes,
                                               uint32_t len, struct err *err);

/* Blocks of one kind in the bytes of a lane: count of them, the first at `first`, `step` apart. */
struct known_question {
    enum digest_kind hash;
    uint32_t block_len, first, step, count;
};

/* *answers: count bytes, 0 where no set of that kind has the block, valid until the next call for the lane. */
ERR_MUST_CHECK enum err_code known_device_ask(struct known_device *device, uint32_t lane,
                                              const struct known_question *question, const uint8_t **answers,
                                              struct err *err);

#endif
