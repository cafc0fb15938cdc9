/* SPDX-License-Identifier: Apache-2.0
 * carver/text/text_saved.h - sectors that plain text may begin with (text_spots.h) as bytes: in a
 * shard, for another process, and in a case file, for a scan that goes on after a stop.
 *
 * A byte for each sector, where another one follows within 64 KiB, and 14 to 20 for what is said of
 * one. Nobody vouches for the bytes that are read.
 *
 * Threads: one at a time for each struct.
 */
#ifndef BURIN_CARVER_TEXT_TEXT_SAVED_H
#define BURIN_CARVER_TEXT_TEXT_SAVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pack.h"
#include "carver/text/text_spots.h"

/* Appends those of a stretch, but not where it begins. Where there are more of them than an image
 * may have, that nothing was looked at. */
void text_starts_save(const struct text_starts *starts, struct pack *out);

/*
 * Reads back those of a stretch that begins at image offset from, and ends at or before to. What is
 * wrong with the bytes is in in->failed. Memory: 8 bytes for each that was read, and 32 for what
 * is said of one: 640 MiB at most, of bytes that nobody has written.
 * Errors: ERR_ENV, no memory.
 */
ERR_MUST_CHECK enum err_code text_starts_restore(struct text_starts *starts, uint64_t from,
                                                 uint64_t to, struct unpack *in, struct err *err);

/* Appends those of a stretch, and where it begins. */
void text_spots_save(const struct text_starts *starts, struct pack *out);

/*
 * Adds the stretches that text_spots_save has written, one behind the other, to those of an image
 * that ends at `end`. *right false: the bytes are none, or not of what lies behind those that were
 * added. Errors: ERR_ENV, no memory.
 */
ERR_MUST_CHECK enum err_code text_spots_restore(struct text_spots *spots, const uint8_t *bytes,
                                                size_t len, uint64_t end, bool *right,
                                                struct err *err);

#endif
