/* SPDX-License-Identifier: Apache-2.0
 * carver/report/report.h - what the formats of `burin report` share. Each is one file, with one
 * function, and one line in formats.def.
 */
#ifndef BURIN_CARVER_REPORT_REPORT_H
#define BURIN_CARVER_REPORT_REPORT_H

#include <stdint.h>
#include <stdio.h>

#include "carver/case/carve_images.h"
#include "carver/case/unfinished.h"
#include "carver/report/facts.h"
#include "carver/select/selection.h"
#include "db/case.h"

struct report {
    FILE *out; /* the caller of the format looks for write errors */
    struct db_case *db;
    const char *case_path, *command_line;
    const char *started; /* UTC, ISO 8601 */
    struct selection *selection;
    const struct unfinished *unfinished;
    uint64_t image; /* of the case, for those that are of one; 0: not said */
    /* Of a page: what its examiner calls it, NULL: nothing; how many pictures it may have; and the
     * images, without any where they could not be opened. */
    const char *title, *examiner, *exhibit;
    const char *link; /* where the files of carve or mount are, as seen from the page; NULL */
    uint64_t thumbs;
    const struct carve_images *images;
    uint64_t chosen;   /* objects that the selection had; set by report_objects */
    uint64_t left_out; /* of them, those that the format has nothing to say of; set by the format */
    const char *why;   /* they were left out */
};

/* What a format says of one object. */
struct report_object {
    const struct db_object *object;
    const char *name;                /* where carve puts it */
    const struct db_found_in *place; /* NULL: nothing is known of it */
    const struct facts *facts;
};
typedef enum err_code (*report_object_fn)(void *arg, const struct report_object *object,
                                          struct err *err);

/* Calls each for every object that was chosen, in the order that was asked for. each may not use
 * report->db. Errors as for chosen_walk. */
ERR_MUST_CHECK enum err_code report_objects(struct report *report, report_object_fn each, void *arg,
                                            struct err *err);

/* A format writes the whole report. */
typedef enum err_code (*report_fn)(struct report *report, struct err *err);

#define FORMAT(name, about)                                                                        \
    ERR_MUST_CHECK enum err_code report_##name(struct report *report, struct err *err);
#include "carver/report/formats.def"
#undef FORMAT

#endif
