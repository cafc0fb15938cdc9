/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_resume.h - whether the scan of an image goes on where one was stopped.
 *
 *   case file ──► the last scan of the image ──► is it the same image, looked at for the same?
 *                                                    │ yes: state, parts     │ no: ERR_INPUT
 *                                                    └──► the scan goes on   └──► what differs
 *
 * Free to change are engine, devices, threads, segments, parts and the way to read: they do not
 * change what is found.
 */
#ifndef BURIN_CARVER_SCAN_SCAN_RESUME_H
#define BURIN_CARVER_SCAN_SCAN_RESUME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/scan/pipeline.h"
#include "carver/scan/scan_job.h"

enum scan_resume_what {
    SCAN_RESUME_BEGIN, /* there is no scan of the image */
    SCAN_RESUME_GO_ON,
    SCAN_RESUME_DONE, /* there is nothing left to do */
};

/* Zeroed is empty; scan_resume_release. */
struct scan_resume {
    enum scan_resume_what what;
    int64_t image, scan;          /* ids: of the image, of the run that began the scan */
    uint64_t position;            /* image offset at which it goes on */
    struct pipeline_from from;    /* owned; its state NULL: nothing was recorded yet */
    uint32_t part_room, bad_room; /* of from.parts, from.bad */
    bool moved;                   /* the image lies elsewhere now */
    char *note;                   /* what people should know of the image, or NULL; owned */
};

/*
 * Finds out what is to be done with image number `index` of the command line, which is open.
 * pick: what is looked at of it. known: the sets of the job; their ids become those of the case
 * file. Errors: ERR_INPUT: another image, another burin, other options, other sets: says which;
 * those of image and case file.
 */
ERR_MUST_CHECK enum err_code scan_resume_look(struct db_case *db, const struct scan_job *job,
                                              struct io_image *image, const char *path,
                                              uint32_t index, const struct scan_pick *pick,
                                              struct known_scan *known, struct scan_resume *out,
                                              struct err *err);
void scan_resume_release(struct scan_resume *resume);

/* The settings of the job that decide what is found are those of the scan. options: as in struct
 * db_run. Errors: ERR_INPUT, naming what differs. */
ERR_MUST_CHECK enum err_code scan_resume_same(struct db_case *db, const struct scan_resume *resume,
                                              const struct scan_job *job, const char *options,
                                              struct err *err);

#endif
