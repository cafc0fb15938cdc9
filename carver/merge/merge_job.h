/* SPDX-License-Identifier: Apache-2.0
 * carver/merge/merge_job.h - what the shards of a folder were made with, as the job of `burin scan`
 * or `burin search` that takes its parts from them.
 */
#ifndef BURIN_CARVER_MERGE_MERGE_JOB_H
#define BURIN_CARVER_MERGE_MERGE_JOB_H

#include "base/err.h"
#include "carver/cli/command.h"
#include "carver/scan/scan_how.h"
#include "carver/scan/shards.h"

struct merge_how {
    struct scan_how how; /* what is to be done here; the rest is in the shards */
    const char *folder;  /* of the shards */
    const char *image;   /* where the image is; NULL: where it was scanned */
    bool force, resume;
    bool link; /* hits and objects stay in the shards */
};

/*
 * Records what the shards hold, and tells a summary. status: see scan_images. Errors: ERR_INPUT
 * also for what a shard was made with and is not there, or is wrong; those of scan_images.
 */
ERR_MUST_CHECK enum err_code merge_job_run(const struct merge_how *merge, struct shards *shards,
                                           const char *command_line, enum exit_status *status,
                                           struct err *err);

#endif
