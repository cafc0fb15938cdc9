/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/stitch.h - parts that were scanned apart become rows of the case file as if the image
 * had been scanned in one piece.
 *
 *   part ──► ids of its hits ──► is what its planner decided right behind the parts before?
 *                                    │ yes: its objects            │ no: planned again
 *                                    └────────────► record ◄───────┘
 *
 * Parts come in the order of the image. How a decision is checked, plan_again.h says. An object
 * that was open at the end of its part is recorded as soon as no later part can change its verdict.
 *
 * Threads: one thread uses it.
 */
#ifndef BURIN_CARVER_SCAN_STITCH_H
#define BURIN_CARVER_SCAN_STITCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pack.h"
#include "carver/case/record.h"
#include "carver/known/known_runs.h"
#include "carver/plan/sums_chain.h"
#include "carver/scan/part.h"
#include "io/reader.h"

struct stitch; /* owned by the caller of stitch_open */

struct stitch_options {
    const struct plan_options *plan;
    struct io_range whole;         /* of the image: what validators may read */
    const struct io_range *ranges; /* of it: what is gone over, ascending, not touching */
    uint32_t range_count;
    struct io_image *image;
    struct record *record;
    const struct known_scan *known; /* sets whose blocks were looked for, or NULL */
    struct known_totals *known_totals;
    bool trusts; /* for tests: no part is planned again */
    bool link;   /* parts are of shards, and what they have stays there: see record_link */
};

/* What was done besides recording. */
struct stitch_totals {
    struct plan_totals plan;
    uint64_t parts;
    uint64_t again_one, again_all; /* plannings of single signatures, and of whole parts */
    uint64_t reread;               /* bytes that validators read again */
};

/* All that options points to stays the caller's and must outlive it. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code stitch_open(const struct stitch_options *options, struct stitch **out,
                                         struct err *err);
void stitch_close(struct stitch *stitch); /* NULL is a no-op */

/* Where what parts were open reads from: see part_open. */
struct lookback *stitch_lookback(struct stitch *stitch);

/*
 * Takes the next part. What lies between two ranges is as if it held no hit. The part stays the
 * caller's, and may be used again. Errors: those of record and of reading the image.
 */
ERR_MUST_CHECK enum err_code stitch_add(struct stitch *stitch, struct part *part, struct err *err);

/*
 * Writes down all that decides about the parts that come, in words of base/pack.h; and, instead of
 * the first stitch_add, goes on from there, at record_position. What is open then is read from the
 * image again.
 *
 * parts      [count] that were added since the beginning of the last range: see sums_chain.h.
 * Errors     ERR_INPUT: the bytes are no state of such a scan; those of reading the image.
 */
void stitch_save(const struct stitch *stitch, struct pack *out);
ERR_MUST_CHECK enum err_code stitch_restore(struct stitch *stitch,
                                            const struct sums_chain_part *parts, uint32_t count,
                                            struct unpack *in, struct err *err);

/* The range that image offset at lies in, or ends at; NULL: none. */
const struct io_range *stitch_range(const struct io_range *ranges, uint32_t count, uint64_t at);

struct stitch_totals stitch_totals(const struct stitch *stitch);

#endif
