/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_pick.h - which bytes of an image a scan looks at: --range, --partition,
 * --unallocated, --slack.
 *
 * Left out is only what was not asked for, and what the file systems prove to be in use. What
 * cannot be told is looked at; notes say what that was, and why.
 */
#ifndef BURIN_CARVER_SCAN_SCAN_PICK_H
#define BURIN_CARVER_SCAN_SCAN_PICK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/plan/runs.h"
#include "carver/scan/scan_how.h"
#include "db/case.h"
#include "io/volumes.h"

enum { SCAN_PARTITIONS_MAX = 64, SCAN_PICK_SHA256 = 65 };

/* What the user asks for, besides scan_how_range. */
struct scan_pick_options {
    bool unallocated;
    bool slack;                               /* and what lies behind the ends of files */
    uint32_t partitions[SCAN_PARTITIONS_MAX]; /* as mmls numbers them */
    uint32_t partition_count;                 /* 0: all */
};

/* Zeroed is empty; scan_pick_release. */
struct scan_pick {
    struct io_range whole;   /* what validators may read */
    struct io_range *ranges; /* [range_count]: what is read in one go */
    uint32_t range_count;
    bool some; /* not all of it is looked at: runs and volumes count */
    struct runs runs;
    struct io_range *run_items; /* of runs; owned */
    uint64_t bytes;             /* of all runs */
    struct io_volumes *volumes;
    char sha256[SCAN_PICK_SHA256]; /* over the runs; "" when all is looked at */
};

/* Errors: those of scan_how_range and io_volumes_open; ERR_INPUT for a partition that is not there.
 */
ERR_MUST_CHECK enum err_code scan_pick_open(const struct scan_pick_options *options,
                                            const struct scan_how *how,
                                            const struct io_image *image, const char *path,
                                            struct scan_pick *out, struct err *err);
void scan_pick_release(struct scan_pick *pick);

/* Writes the runs, the volumes and a line of the log for each that could not be told of. */
ERR_MUST_CHECK enum err_code scan_pick_record(const struct scan_pick *pick, struct db_case *db,
                                              int64_t run_id, struct err *err);

/* Where the ranges begin, and the range that a scan is in that has come to position. */
uint64_t scan_pick_begin(const struct scan_pick *pick);
uint64_t scan_pick_range_at(const struct scan_pick *pick, uint64_t position);
/* Bytes of the ranges behind the position. */
uint64_t scan_pick_left(const struct scan_pick *pick, uint64_t position);

#endif
