/* SPDX-License-Identifier: Apache-2.0
 * carver/carve/carve_write.h - the second half of carve: objects out of the case and the images,
 * into files, reports and the case.
 *
 *   case --object--> choice --> crew of threads --file, sha256--> audit.txt, report.xml, case
 *
 * Reports and rows come in the order of the case, whatever the number of threads.
 * Whatever ends it, the reports are closed and tell what was written and why it ended.
 */
#ifndef BURIN_CARVER_CARVE_CARVE_WRITE_H
#define BURIN_CARVER_CARVE_CARVE_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/carve/carve_choice.h"
#include "carver/carve/written.h"
#include "carver/case/carve_images.h"
#include "carver/case/outdir.h"
#include "carver/cli/progress.h"
#include "db/case.h"

struct carve_needs {
    uint64_t files, bytes; /* of the objects to be written */
    uint64_t report_bytes; /* of the reports, at most */
    uint64_t ahead;        /* of each, for objects that are in hand when the disk is full */
};

/* What choice would write, with so many threads. */
ERR_MUST_CHECK enum err_code carve_write_needs(struct db_case *db, struct carve_choice *choice,
                                               uint32_t threads, struct carve_needs *out,
                                               struct err *err);

struct carve_write_options {
    struct db_case *db; /* open for writing; no transaction begun */
    int64_t run_id;
    const struct carve_images *images;
    struct carve_choice *choice;
    struct outdir *dir;
    uint64_t ahead;   /* of carve_needs */
    uint32_t threads; /* objects that are written at a time, 1..LIMIT_THREADS */
    const struct written_run *run;
    struct progress *progress;
    /* Tells a person of an object that was not written, or not wholly read. */
    void (*tell)(void *arg, const struct written_object *written);
    void *tell_arg;
};

/* Errors: ERR_ENV (disk full, …) and ERR_INTERRUPTED with everything up to there on record. totals
 * is right in any case. */
ERR_MUST_CHECK enum err_code carve_write(const struct carve_write_options *options,
                                         struct written_totals *totals, struct err *err);

#endif
