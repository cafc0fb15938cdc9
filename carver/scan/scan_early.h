/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_early.h - what is known of the objects of a scan that has all of them in memory:
 * it is worked out while the last rows are still written, and stored behind them.
 *
 *   parts ──► rows ───────────────► writer ──────────┐
 *         └─► objects, headers ──► what lies in what ─┴──► stored
 *                              └─► files in pieces ───┘
 */
#ifndef BURIN_CARVER_SCAN_SCAN_EARLY_H
#define BURIN_CARVER_SCAN_SCAN_EARLY_H

#include "carver/assemble/assemble.h"
#include "carver/case/record.h"
#include "carver/plan/containment.h"

/* Zeroed: nothing was worked out. */
struct scan_early {
    bool nested_made; /* what lies in what is stored by record: all of it, or up to an error */
    bool pieces_made; /* rows and totals */
    struct record *record;
    struct containment_rows nested; /* all of it, or what is still to be stored */
    struct containment_rows stored; /* what is being stored */
    struct told rows;
    struct assemble_totals totals;
};

/*
 * What lies in what, which the record's thread stores behind all rows (record_last was called).
 * nest has its places, and all of the image could be read. keep: it stays in memory, for
 * scan_early_pieces, and is stored when all of it was found. Errors: see containment_find; those of
 * writing.
 */
ERR_MUST_CHECK enum err_code scan_early_nested(struct scan_early *early,
                                               const struct containment_image *nest,
                                               struct record *record, bool keep, struct err *err);
/*
 * Files in pieces, behind it. job: with what is ahead; its db, rows, seen and
 * unread are set here. Where there are too many for memory nothing is made. Errors: see
 * assemble_image.
 */
ERR_MUST_CHECK enum err_code scan_early_pieces(struct scan_early *early,
                                               const struct containment_image *nest,
                                               const struct assemble_image *job, struct err *err);
void scan_early_release(struct scan_early *early);

#endif
