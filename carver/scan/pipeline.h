/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/pipeline.h - takes one image through reader, matcher and planner into the case file.
 *
 *   pipeline_begin(job) ──► the matcher is compiled beside what the caller does
 *   pipeline_run(pipeline, image) ──► rows of the case file
 *
 * Threads: one thread at a time uses a pipeline. Threads of its own read, match and plan, each a
 * part of the image (parts.h); the one that calls pipeline_run takes the parts and records them.
 */
#ifndef BURIN_CARVER_SCAN_PIPELINE_H
#define BURIN_CARVER_SCAN_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/case/record.h"
#include "carver/known/known_scan.h"
#include "carver/plan/sums_chain.h"
#include "carver/scan/image_hash.h"
#include "carver/scan/pipeline_totals.h"
#include "carver/scan/scan_job.h"
#include "carver/text/text_spots.h"
#include "io/image.h"
#include "io/leftover.h"
#include "io/reader.h"

struct keep;  /* keep.h */
struct since; /* since.h */

struct pipeline; /* owned by the caller of pipeline_begin; for one image */

/* Where a scan goes on that came so far before: see stitch_restore. All of it is the caller's. */
struct pipeline_from {
    uint8_t *state; /* [len] */
    size_t len;
    struct sums_chain_part *parts; /* [part_count] */
    uint32_t part_count;
    struct io_range *bad; /* [bad_count]: could not be read, ascending; only for hashes */
    uint32_t bad_count;
    uint8_t *leaves; /* of the tree hash: see image_hash_restore */
    uint64_t leaf_count;
};

/* An image, and all that its own scan needs. */
struct pipeline_image {
    struct io_image *image;
    struct io_range whole;         /* of the image: what validators may read */
    const struct io_range *ranges; /* of it: ascending, not touching each other; at least one */
    uint32_t range_count;
    const struct runs *runs;          /* in the ranges: where hits count; NULL: everywhere */
    const struct pipeline_from *from; /* NULL: it begins */
    struct record *record;
    struct since *since;             /* parts that are taken over instead of scanned; NULL: none */
    struct keep *keep;               /* gets all parts; NULL: nobody asks */
    struct io_leftover_spots *spots; /* gets what the sectors may hold; NULL: nobody asks */
    struct text_spots *texts;        /* gets those that may begin plain text; likewise. What it has
                                      * is of the bytes before */
    const struct known_scan *known;  /* sets whose blocks are looked for, or NULL */
    uint32_t hash_kinds; /* as in image_hash.h: the whole image is read, and hashed; or 0 */
    /* Called some ten times a second, in the caller's thread, with the bytes that were scanned
     * since this run began; true asks for a clean stop. */
    bool (*tick)(void *arg, uint64_t bytes_done, const struct record *record);
    /* Called once, in the caller's thread, when it pays to read the image in several places at a
     * time; or never. NULL: nobody asks. */
    enum err_code (*many)(void *arg, struct err *err);
    /*
     * Called with a line for people when something has failed that does not end the scan. Or NULL.
     */
    void (*warning)(void *arg, const char *line);
    void *arg; /* of tick, many and warning */
};

/*
 * Begins a scan: a thread compiles the matcher for the patterns of job->plan, unless the engine has
 * a device, which is opened when it is needed. Uses how and plan of the job.
 *
 * Errors     ERR_ENV  no memory. What is wrong with the matcher, pipeline_run says.
 * Ownership  *out is the caller's, to be given to pipeline_end. The job must outlive it.
 */
ERR_MUST_CHECK enum err_code pipeline_begin(const struct scan_job *job, struct pipeline **out,
                                            struct err *err);

/*
 * Scans the image; once for a pipeline. Waits for the matcher first.
 *
 * totals     The caller's; filled on an error too.
 * Errors     ERR_INTERRUPTED when tick asked for a stop; those of reader, matcher, planner and case
 *            file. After every error, the parts recorded before it are committed if the case file
 *            still accepts writes; see totals->torn.
 * Ownership  All of *image stays the caller's; its io_image must live until pipeline_end, in which
 *            threads close what they read it with.
 */
ERR_MUST_CHECK enum err_code pipeline_run(struct pipeline *pipeline,
                                          const struct pipeline_image *image,
                                          struct pipeline_totals *totals, struct err *err);

/* Waits for the matcher, if pipeline_run has not; NULL is a no-op. */
void pipeline_end(struct pipeline *pipeline);

#endif
