/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/ahead.h - what is needed of an image once it was scanned, and not of its case
 * file: what file systems say, the starts of files and the layouts that are left. A thread reads
 * that while rows are still written; and file systems are asked beside the scan, where it pays to
 * read the image in several places at a time.
 *
 *   [ file systems ──────────────────────────────┐        ]
 *   scan ──► headers, spots ──► [ starts ────────┴─► claims ] ──► assemble, places
 *        └─► rows ──► case file ──────────────────────────────────────┘
 */
#ifndef BURIN_CARVER_ASSEMBLE_AHEAD_H
#define BURIN_CARVER_ASSEMBLE_AHEAD_H

#include <stdatomic.h>

#include "base/thread.h"
#include "carver/assemble/claims.h"
#include "io/fsmap.h"

struct ahead_job {
    struct io_image *image;
    bool file_systems;                     /* they are asked */
    const struct io_leftover_spots *spots; /* of what was read; NULL: nothing is assembled */
    const struct starts_seen *seen;        /* NULL: starts and claims are not made */
    uint32_t threads;                      /* that may help */
    bool (*stop)(void);                    /* true ends it with ERR_INTERRUPTED */
};

/* Zeroed: nothing was started. */
struct ahead {
    struct ahead_job job;
    struct thread thread, file_systems;
    const struct io_image *image; /* of file systems, as the next two */
    bool (*stop)(void);
    bool asked;
    atomic_bool given_up; /* nobody waits for them any more */
    struct io_fsmap *map; /* NULL: file systems were not asked */
    enum err_code map_rc;
    struct err map_err;
    bool made; /* the two that follow; whoever takes them leaves zeroed ones */
    struct starts starts;
    struct claims claims;
    enum err_code rc;
    struct err err;
};

/* Begins to ask file systems, before ahead_start: then that goes on. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code ahead_ask(struct ahead *ahead, const struct io_image *image,
                                       bool (*stop)(void), struct err *err);
/* Begins. What the job points to lies still, and ahead itself, until ahead_wait. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code ahead_start(struct ahead *ahead, const struct ahead_job *job,
                                         struct err *err);
/* Waits for its end. Errors: ERR_INTERRUPTED; those of the image; ERR_ENV. */
ERR_MUST_CHECK enum err_code ahead_wait(struct ahead *ahead, struct err *err);
/* Ends what is under way, and releases what nobody has taken; zeroes it. */
void ahead_release(struct ahead *ahead);

#endif
