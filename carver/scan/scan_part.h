/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_part.h - `burin scan --part` and `burin search --part`: one part of an image
 * becomes a shard. */
#ifndef BURIN_CARVER_SCAN_SCAN_PART_H
#define BURIN_CARVER_SCAN_SCAN_PART_H

#include "base/err.h"
#include "carver/cli/command.h"
#include "carver/scan/scan_job.h"
#include "carver/scan/scan_options.h"

/*
 * Scans options->part_number of the job's one image, and leaves its shard in options->parts. A
 * shard that is there already and whole is left as it is. First gives up what it does not need, so
 * the program must have one thread only.
 *
 * status   EXIT_PARTLY when some evidence could not be read; else unchanged.
 * Errors   ERR_INPUT: the folder has a shard of this part that belongs to another scan, too. After
 *          every error the folder has what it had.
 */
ERR_MUST_CHECK enum err_code scan_part(const struct scan_job *job,
                                       const struct scan_options *options, enum exit_status *status,
                                       struct err *err);

#endif
