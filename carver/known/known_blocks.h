/*
 * carver/known/known_blocks.h - hashes of the blocks of an image, as its segments go by, looked up
 * in the sets of a scan.
 *
 * A segment is given to threads when it has been read (known_blocks_submit), and its answer is
 * fetched before its buffer is used again (known_blocks_collect), always in the order of the image.
 * Constant blocks, which most of an empty disk is, are not even hashed. Blocks that were found and
 * follow each other become one row of the case file.
 */
#ifndef BURIN_CARVER_KNOWN_KNOWN_BLOCKS_H
#define BURIN_CARVER_KNOWN_KNOWN_BLOCKS_H

#include "carver/case/record.h"
#include "carver/known/known_scan.h"
#include "match/hasher.h"

struct known_blocks; /* owned by the caller of known_blocks_open */

/* A device that hashes for known_blocks_open and asks the sets of blocks; devices: NULL, those of
 * the machine. The rest is as in match_hasher_options. */
ERR_MUST_CHECK enum err_code known_blocks_open_device(const struct known_scan *scan,
                                                      const struct device_provider *devices,
                                                      uint32_t device, uint32_t slots,
                                                      uint32_t segment_len,
                                                      struct match_hasher **out, struct err *err);

/* slots: segments that are under way at a time, at most. scan, device (NULL: the processor alone)
 * and totals stay the caller's. */
ERR_MUST_CHECK enum err_code known_blocks_open(const struct known_scan *scan,
                                               struct match_hasher *device, uint32_t threads,
                                               uint32_t slots, struct known_totals *totals,
                                               struct known_blocks **out, struct err *err);
void known_blocks_close(struct known_blocks *blocks); /* waits for threads; NULL is a no-op */

/* The next segment of the image. bytes stay as they are until the slot is collected. follows: it
 * begins where the one before it ended. */
ERR_MUST_CHECK enum err_code known_blocks_submit(struct known_blocks *blocks, uint32_t slot,
                                                 uint64_t offset, const uint8_t *bytes,
                                                 uint32_t len, bool follows, struct err *err);

/* Waits for the segment, the oldest that was submitted, and writes down what was found in it. */
ERR_MUST_CHECK enum err_code known_blocks_collect(struct known_blocks *blocks, uint32_t slot,
                                                  struct record *record, struct err *err);

#endif
