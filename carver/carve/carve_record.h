/* SPDX-License-Identifier: Apache-2.0
 * carver/carve/carve_record.h - what carve says of each object that it wrote or could not write:
 * audit.txt, report.xml, the rows of the case, the totals, and a person.
 *
 * One thread calls it, with the objects in the order of the case.
 */
#ifndef BURIN_CARVER_CARVE_CARVE_RECORD_H
#define BURIN_CARVER_CARVE_CARVE_RECORD_H

#include <stdint.h>

#include "base/err.h"
#include "carver/carve/carve_write.h"
#include "carver/carve/crew.h"
#include "carver/case/outdir.h"

enum {
    CARVE_CHECKPOINT = 256 /* objects between two commits of the case */
};

struct carve_record {
    const struct carve_write_options *o;
    struct outdir_stream *audit, *report;
    struct written_totals *totals;
    int64_t image_id;  /* the audit's table is of this image; 0: none yet */
    uint64_t since;    /* objects since the last checkpoint */
    uint64_t position; /* bytes written, for progress */
};

/*
 * An object that the crew wrote, or could not write alone (ERR_INPUT, ERR_FULL). A transaction of
 * the case is open; now and then it is committed and the next one begins.
 */
ERR_MUST_CHECK enum err_code carve_record_done(struct carve_record *record,
                                               const struct crew_done *done, struct err *err);

#endif
