/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_text.h - the last stage of a scan: what has no header (carver/text/text.h). */
#ifndef BURIN_CARVER_SCAN_SCAN_TEXT_H
#define BURIN_CARVER_SCAN_SCAN_TEXT_H

#include "carver/cli/progress.h"
#include "carver/scan/scan_job.h"
#include "carver/text/text_spots.h"
#include "io/fsmap.h"

/* The signature without a header that the job looks for; NULL: it looks for none. */
const struct sig *scan_text_sig(const struct scan_job *job);
/* Whether the job looks for objects that have no header. */
bool scan_text_wanted(const struct scan_job *job);

/*
 * What a scan that was stopped has noted of sectors that may begin plain text, for the run that
 * goes on with it; nothing, where the job looks for none. Errors: those of the case file;
 * ERR_INPUT: it is damaged.
 */
ERR_MUST_CHECK enum err_code scan_text_resume(struct db_case *db, const struct scan_job *job,
                                              const struct scan_pick *pick, int64_t scan_id,
                                              struct text_spots *spots, struct err *err);

/*
 * Looks for objects of the job's signatures that have no header, where no other object is; *found
 * is their number. All or nothing of it is kept: what was stored before is committed, and a
 * transaction is begun, whatever it returns. map, spots: see text_image. progress: that shows
 * nothing yet. Errors: see text_image.
 */
ERR_MUST_CHECK enum err_code scan_text(struct db_case *db, const struct scan_job *job,
                                       struct io_image *image, const struct scan_pick *pick,
                                       const struct scan_ids *ids, const struct io_fsmap *map,
                                       const struct text_spots *spots, struct progress *progress,
                                       uint64_t *found, struct err *err);

#endif
