/* SPDX-License-Identifier: Apache-2.0
 * carver/search/search_report.h - what `burin search` says of its hits: what they are called in the
 * case file, and a line or a JSON object for each, with what is known of the place where it stands.
 */
#ifndef BURIN_CARVER_SEARCH_SEARCH_REPORT_H
#define BURIN_CARVER_SEARCH_SEARCH_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/case/object_places.h"
#include "carver/cli/json_write.h"
#include "carver/keyword/keyword.h"
#include "carver/keyword/keyword_context.h"
#include "carver/scan/scan_job.h"
#include "io/fsmap.h"

struct search_report {
    const struct scan_how *how;
    const struct keyword_set *keywords;
    uint32_t context; /* bytes on each side of a hit */
    bool no_file_systems;

    /* search_report's, while hits are told. */
    const struct scan_ids *ids;
    struct io_image *image;
    struct io_fsmap *fsmap; /* NULL: not asked */
    struct object_places *places;
    struct keyword_context *around;
    struct json json;
    uint64_t told;
};

/* The job's name: a keyword is recorded as a signature of its own. arg: struct search_report. */
void search_report_name(void *arg, uint32_t number, struct scan_name *out);

/*
 * The job's report: tells all hits of the run on standard output. arg: struct search_report.
 * Errors: ERR_INTERRUPTED when a stop was asked for; those of case file, image and file systems.
 */
ERR_MUST_CHECK enum err_code search_report(void *arg, const struct scan_done *done,
                                           struct err *err);

#endif
