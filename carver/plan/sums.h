/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/sums.h - the CRC-64 of any stretch of the image that a scan has gone over, without
 * reading it again.
 *
 *   a segment: sums_look ──► its CRC at every step of a KiB
 *   the same, in their order: sums_collect ──► the running CRC, from the beginning of the range on
 *   ──► sums_at any place before it
 *
 * The CRC of a stretch follows from the running CRCs at its two ends (signatures/crc64.h). At any
 * place that is the one at the step before and less than a KiB of bytes: they are in the lookback
 * as a rule, and else read again. Steps of the last SUMS_REACH bytes are kept (8 MiB), and of what
 * lies before only one in a MiB: 8 bytes a MiB of the range.
 *
 * Bytes that could not be read count as the zeros that stand for them. Values depend on the bytes
 * of the image and on nothing else.
 */
#ifndef BURIN_CARVER_PLAN_SUMS_H
#define BURIN_CARVER_PLAN_SUMS_H

#include <stdint.h>

#include "base/err.h"
#include "base/pack.h"
#include "carver/plan/lookback.h"

#define SUMS_REACH (UINT64_C(1) << 30)

enum { SUMS_STEP = 1024, SUMS_KEPT = 1 << 16 };

struct sums; /* owned by the caller of sums_open; used by one thread but for sums_look */

/*
 * lookback stays the caller's and must outlive it. segment_len: a power of two, at least SUMS_STEP.
 * reach: SUMS_REACH, or another multiple of segment_len.
 */
ERR_MUST_CHECK enum err_code sums_open(const struct lookback *lookback, uint32_t slots,
                                       uint32_t segment_len, uint64_t reach, struct sums **out,
                                       struct err *err);
void sums_close(struct sums *sums); /* NULL is a no-op */

/* Of the segment that the slot holds. Any thread, one at a time for a slot. */
void sums_look(void *sums, uint32_t slot, const uint8_t *bytes, uint32_t len);

uint64_t sums_reach(const struct sums *sums); /* as given to sums_open */

/* From now on it is this lookback that is asked for bytes; it must outlive the sums. */
void sums_attach(struct sums *sums, const struct lookback *lookback);

/* A range of the image begins; what was before it is forgotten. */
void sums_begin(struct sums *sums, uint64_t offset);

/* The slot's segment is the next one of the range; it has been looked at, and is in the lookback.
 */
ERR_MUST_CHECK enum err_code sums_collect(struct sums *sums, uint32_t slot, uint32_t len,
                                          struct err *err);

uint64_t sums_first(const struct sums *sums);  /* image offset: where the range begins */
uint64_t sums_front(const struct sums *sums);  /* image offset: the end of what was collected */
uint64_t sums_reread(const struct sums *sums); /* bytes of the image that were read again */

/* The CRC of the range's bytes before image offset at, which lies in the range, not behind the
 * front. */
ERR_MUST_CHECK enum err_code sums_at(struct sums *sums, uint64_t at, uint64_t *value,
                                     struct err *err);

/*
 * sums_at this place will be asked for later: its value is kept, so that nothing is read again, for
 * the last SUMS_KEPT such places. One that lies before another one is not kept.
 */
ERR_MUST_CHECK enum err_code sums_remember(struct sums *sums, uint64_t at, struct err *err);

/*
 * Writes down the CRCs of the bytes from the beginning of the range to image offset to, at every
 * SUMS_SAVED bytes; and makes sums of that range [from, to) of them, which read less than
 * SUMS_SAVED bytes for any place. What is wrong with the bytes is in in->failed.
 */
enum { SUMS_SAVED = 64 * 1024 };
ERR_MUST_CHECK enum err_code sums_save(struct sums *sums, uint64_t to, struct pack *out,
                                       struct err *err);
ERR_MUST_CHECK enum err_code sums_blank(const struct lookback *lookback, uint64_t from, uint64_t to,
                                        struct sums **out, struct err *err); /* of zeros */
ERR_MUST_CHECK enum err_code sums_restore(const struct lookback *lookback, uint64_t from,
                                          uint64_t to, struct unpack *in, struct sums **out,
                                          struct err *err);

#endif
