/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_impl.h - what scan.c and scan_settle.c share (these two only).
 */
#ifndef BURIN_CARVER_SCAN_SCAN_IMPL_H
#define BURIN_CARVER_SCAN_SCAN_IMPL_H

#include <stdbool.h>

#include "carver/assemble/assemble.h"
#include "carver/case/confine.h"
#include "carver/case/record.h"
#include "carver/case/seal.h"
#include "carver/cli/progress.h"
#include "carver/scan/keep.h"
#include "carver/scan/pipeline.h"
#include "carver/scan/scan_early.h"
#include "carver/scan/scan_job.h"
#include "carver/scan/scan_opened.h"
#include "carver/scan/scan_record.h"
#include "carver/scan/scan_stages.h"
#include "carver/scan/since.h"
#include "io/leftover.h"

struct scan {
    const struct scan_job *job;
    struct db_case *db;
    struct pipeline *pipeline;    /* of the next image, begun already; or NULL */
    struct scan_opened opened;    /* the image under way, or the first one */
    const struct io_image *image; /* that is read; the caller's of scan_pipeline */
    const struct scan_pick *pick; /* of the image under way */
    struct known_scan known;
    struct since *since; /* of an earlier scan of the one image; or NULL */
    struct keep keep;    /* for a later one */
    struct progress progress;
    struct io_leftover_spots *spots; /* of the image under way; NULL: nothing is assembled */
    struct text_spots texts;         /* of the image under way */
    struct ahead ahead;              /* of the image under way: what is known beside its rows */
    struct scan_early early;         /* and what was worked out beside them */
    struct scan_stages stages;       /* of the image under way */
    struct db_seal_readers *seal;    /* begun while the last rows were written; or NULL */
    char jail[CONFINE_NOTE_MAX];     /* what was given up, for the log */
    bool fails;                      /* that the disk fails was said of this image */
};

/*
 * Once the parts of an image are done, or an error, rc, has ended them: waits for the last rows,
 * works out what lies in what, finds files in pieces, asks file systems and hash sets, and records
 * how the run ended. What was found before an error is kept; the error that matters is the first
 * one.
 */
ERR_MUST_CHECK enum err_code scan_settle(struct scan *scan, struct io_image *image,
                                         struct record *record, const struct scan_ids *ids,
                                         struct pipeline_totals *totals, enum err_code rc,
                                         struct err *err);

#endif
