/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/shard_cut.h - where the parts of an image begin that are scanned by processes of
 * their own: equal shares of the bytes that are looked at, at multiples of 16 MiB of them where
 * parts are large (stripes of file systems that several machines share begin there), else of
 * PART_ALIGN.
 */
#ifndef BURIN_CARVER_SCAN_SHARD_CUT_H
#define BURIN_CARVER_SCAN_SHARD_CUT_H

#include <stdint.h>

#include "io/reader.h"

struct shard_cut {
    struct io_range whole;         /* of the image: what validators may read */
    const struct io_range *ranges; /* [range_count] of it: what is gone over; the caller's */
    uint32_t range_count;
    uint32_t count; /* parts */
};

/* Image offset at which part `number` begins; count: where the last one ends. It lies in a range,
 * or is where the last one ends. */
uint64_t shard_cut_at(const struct shard_cut *cut, uint32_t number);

/* The first byte that is gone over at or behind image offset at; the end of the last range, where
 * there is none. */
uint64_t shard_cut_next(const struct shard_cut *cut, uint64_t at);

/* The ranges of one part: out[range_count]. Returns their number; 0: the part is empty. */
uint32_t shard_cut_ranges(const struct shard_cut *cut, uint32_t number, struct io_range *out);

#endif
