/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/assemble.h - files in pieces are put together: the story, from top to bottom.
 *
 *   case file ──► starts   headers that may begin a file in pieces
 *             ──► ground   which bytes belong to whom
 *   image     ──► claims   layouts that file systems left       (io/leftover.h)
 *                   │
 *                   ├─ each claim that has all pieces: the validator must agree
 *                   ├─ rounds: claims of the first cluster alone: what nobody owns, in order
 *                   ▼
 *                 whole ──► case file: assembled, pieces, joins
 *
 * Objects are told one by one in an order that the image alone gives, and what one of them owns the
 * next ones cannot have. So the result is the same for any number of threads.
 */
#ifndef BURIN_CARVER_ASSEMBLE_ASSEMBLE_H
#define BURIN_CARVER_ASSEMBLE_ASSEMBLE_H

#include "base/err.h"
#include "carver/assemble/ahead.h"
#include "carver/assemble/owners.h"
#include "carver/assemble/told.h"
#include "carver/case/unread.h"
#include "db/case.h"
#include "io/fsmap.h"
#include "io/image.h"
#include "io/leftover.h"
#include "signatures/sig.h"

struct assemble_image {
    /* In a transaction of the caller's. NULL: what is found stays in rows until assemble_store, as
     * the case file is somebody else's; seen and ahead are there, and no more is needed. */
    struct db_case *db;
    struct told *rows;
    const struct owners_seen *seen; /* NULL: objects are read from the case file */
    struct io_image *image;
    /* What its file systems say; NULL: they are not asked, and leftovers of them do not count. What
     * is ahead has a map of its own. */
    const struct io_fsmap *map;
    const struct io_leftover_spots *spots; /* of what was read already, or NULL */
    /* Of its scan, that has just ended: it is waited for, and starts and claims are taken out of
     * it. NULL, or not made: they come from the case file. */
    struct ahead *ahead;
    const struct unread *unread; /* what its scan could not read */
    int64_t image_id, run_id;    /* the run that assembles */
    uint32_t threads, effort;    /* at least 1; how much work it may be */
    /* Whether objects of this type are wanted; NULL: all are. */
    bool (*wanted)(void *arg, const struct sig *sig, const struct sig_type *type);
    void *wanted_arg;
    bool (*stop)(void); /* true ends it with ERR_INTERRUPTED; or NULL */
};

struct assemble_totals {
    uint64_t claims;    /* layouts that were tried */
    uint64_t assembled; /* objects that were put together */
    uint64_t likely;    /* files that are likely in pieces, without proof */
    uint64_t work;      /* bytes that validators were shown or unpacked */
    bool more;          /* there were too many headers or layouts: some were left out */
};

/*
 * Puts together what can be, and stores it, or leaves it in rows. What was put together before
 * stays. Where rows->full is set then, there was too much for memory: it is to be done again with
 * the case file.
 *
 * Memory  Bounded: see starts.h, claims.h.
 * Errors  ERR_INTERRUPTED; those of image and case file. What was stored is then to be rolled back.
 */
ERR_MUST_CHECK enum err_code assemble_image(const struct assemble_image *job,
                                            struct assemble_totals *totals, struct err *err);

/* Stores the rows of an assemble_image without a case file. Inside a transaction; what is said of
 * its errors holds here, too. */
ERR_MUST_CHECK enum err_code assemble_store(struct db_case *db, int64_t image_id, int64_t run_id,
                                            struct told *rows, struct err *err);

/* Notes in the log what it did. */
ERR_MUST_CHECK enum err_code assemble_log(struct db_case *db, int64_t run_id,
                                          const struct assemble_totals *totals, struct err *err);

#endif
