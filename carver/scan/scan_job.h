/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_job.h - what a scan is to do, as data: `burin scan`, `burin search` and `burin
 * bench null` each fill a job, and scan.h runs it.
 *
 *   command line ──► job ──► pipeline ──► plan ──► record ──► case file ──► the job's report
 *
 * A job says what is looked for (plan), what that is called (name), and who tells the results
 * (report). It is copied and changed freely; all that it points to stays the caller's and must
 * outlive the scan. Its functions are called by the thread that runs the scan, with the job's arg.
 */
#ifndef BURIN_CARVER_SCAN_SCAN_JOB_H
#define BURIN_CARVER_SCAN_SCAN_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/plan/plan.h"
#include "carver/scan/pipeline_totals.h"
#include "carver/scan/scan_how.h"
#include "carver/scan/scan_name.h"
#include "carver/scan/scan_pick.h"
#include "db/case.h"

struct keyword_set;     /* carver/keyword/keyword.h */
struct keyword_sources; /* carver/keyword/keyword_sources.h */
struct shards;          /* shards.h */
struct scan_options;    /* scan_options.h */

/* The rows of one image's scan in the case file. */
struct scan_ids {
    int64_t image, run;
    int64_t scan;        /* the run that began the scan: run, or the one that it goes on with */
    int64_t *signatures; /* by number of the job's row */
    int64_t before;      /* the last hit that the case file had before */
};

/* An image whose scan is done; valid during the report. */
struct scan_done {
    struct db_case *db;
    struct io_image *image;
    const char *path; /* as the command line has it */
    const struct scan_ids *ids;
    const struct pipeline_totals *totals;
    const struct scan_pick *pick; /* NULL: the scan was done before */
    uint64_t bytes, elapsed;      /* that this run went over, and nanoseconds that it took */
};

struct scan_job {
    const char *command;      /* "scan": messages begin with it, and the case file has it */
    const char *command_line; /* for the case file */
    const struct scan_how *how;

    /*
     * What is looked for, and what becomes of its hits.
     * With hits_only no objects are made, and those of the case file stay as they are.
     */
    struct plan_options plan;
    /*
     * Rows of the table signatures: one for each signature of the plan, or, with hits_only, for
     * whatever the hits are to be told apart by (pattern_use.row).
     */
    uint32_t row_count;
    void (*name)(void *arg, uint32_t row, struct scan_name *out); /* describes one: fills out */
    const char *types, *dictionary;        /* what the user asked for, for the case file; or NULL */
    const struct keyword_set *keywords;    /* that the plan looks for, instead of files, and what */
    const struct keyword_sources *sources; /* they were made of; or NULL */
    const char *note;                      /* a line for the case file's log; or NULL */

    const char *const *known; /* [known_count] files of sets; at most KNOWN_SETS_MAX */
    uint32_t known_count;
    uint32_t known_step; /* bytes between blocks; 0: their length */

    bool hash_objects;   /* the SHA-256 of each object is taken, whatever the sets ask for */
    uint32_t hash_kinds; /* of each image, as image_hash_kinds gives them; 0: none */

    struct scan_pick_options pick; /* which bytes are looked at */

    bool places;    /* file systems are asked where the objects lie */
    bool assemble;  /* files in pieces are put together */
    bool force;     /* a case file that is there is moved aside */
    bool once;      /* the case file must have no scan of the images yet, but for resume */
    bool resumable; /* what the scan needs to go on after a stop is kept in the case file */
    bool resume;    /* a scan of an image that was stopped goes on */
    bool moved; /* with resume: the images are those of the case file, in their order, wherever they
                   lie now */
    struct shards *shards; /* parts that others have scanned, instead of scanning; or NULL */
    bool link;             /* with shards: what they have stays there */
    const char *made_by;   /* with shards: the command that left them, which the case file has */
    const struct scan_options *options; /* with keep_parts and since: of the command line */
    const char *keep_parts;             /* a folder that gets the parts of the one image; or NULL */
    const char *since;                  /* a folder with parts of an earlier scan of it; or NULL */
    const char *changed; /* with since: a map of what of the image was changed since then */
    bool trusts;         /* for tests: see stitch_options */

    /* Tells what was found in an image. Its error ends the scan. */
    enum err_code (*report)(void *arg, const struct scan_done *done, struct err *err);
    void *arg; /* of name and report */
};

#endif
