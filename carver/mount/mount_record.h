/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/mount_record.h - a mount on record in its case file: a run when it begins, and how
 * it ended.
 *
 * A mount may last for days, in which others write to the case: so it holds the case for writing at
 * its beginning and at its end alone. In between its run has the status "interrupted", which stays
 * where the program is killed.
 */
#ifndef BURIN_CARVER_MOUNT_MOUNT_RECORD_H
#define BURIN_CARVER_MOUNT_MOUNT_RECORD_H

#include <stdint.h>

#include "base/err.h"
#include "carver/carve/carve_choice.h"
#include "carver/case/carve_images.h"
#include "carver/mount/serve.h"
#include "db/case.h"

struct mount_record {
    const char *case_path, *folder, *command_line, *started, *jail; /* the caller's */
    const struct carve_choice *choice;
    const struct carve_images *images;
    int64_t run_id; /* 0: it is not on record */
};

/* db is open for writing. Errors: those of the case file. */
ERR_MUST_CHECK enum err_code mount_record_begin(struct mount_record *record, struct db_case *db,
                                                struct err *err);

/*
 * Opens the case again, and seals it. A no-op where it is not on record. unmounted: by somebody
 * else, and not by a signal.
 */
ERR_MUST_CHECK enum err_code mount_record_end(const struct mount_record *record,
                                              const struct serve_totals *totals, bool unmounted,
                                              struct err *err);

#endif
