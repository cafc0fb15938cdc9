/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/pipeline_totals.h - what the pipeline counted in one image. */
#ifndef BURIN_CARVER_SCAN_PIPELINE_TOTALS_H
#define BURIN_CARVER_SCAN_PIPELINE_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

#include "carver/case/record.h"
#include "carver/known/known_scan.h"
#include "carver/plan/plan.h"
#include "carver/scan/image_hash.h"

enum { PIPELINE_NAME_MAX = 128, PIPELINE_WHY_MAX = 2048 };

struct pipeline_totals {
    uint64_t bytes;    /* bytes of the image that were gone over, in this run and before it */
    uint64_t position; /* image offset: all hits that begin before it are committed */
    bool torn;         /* an error came while a part was recorded: see record_end */
    struct record_totals recorded;
    uint64_t reread; /* bytes that validators read from the image again */
    struct plan_totals plan;
    uint64_t parts, again_one, again_all; /* see stitch_totals */
    struct known_totals known;
    struct image_hash_result hash; /* kinds 0: it was not asked for, or not all was read */
    /* The backend; the engine at work at the end */
    char reader[PIPELINE_NAME_MAX], engine[PIPELINE_NAME_MAX];
    char reader_why[PIPELINE_NAME_MAX * 2]; /* a line for the log: parts_pace */
    /* A line for the log: match_engine_why */
    char engine_why[PIPELINE_WHY_MAX];
};

#endif
