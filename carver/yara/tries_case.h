/* SPDX-License-Identifier: Apache-2.0
 * carver/yara/tries_case.h - a case file and its images, opened for tries.h, with all rights given
 * up on the way that this does not need. */
#ifndef BURIN_CARVER_YARA_TRIES_CASE_H
#define BURIN_CARVER_YARA_TRIES_CASE_H

#include "carver/case/carve_images.h"
#include "carver/case/confine.h"
#include "db/case.h"

struct tries_where {
    const char *command; /* that opens the case file */
    const char *case_path;
    const char *const *images; /* where the case's images are now; image_count 0: as it says */
    uint32_t image_count;
    const char *const *reach; /* of images, those that people have named: see confine_reach */
    uint32_t reach_count;
    bool wait; /* for others who write to the case file */
    bool no_jail;
};

struct tries_case {
    struct db_case *db;
    struct carve_images images;
    struct confine confine; /* its note says what was given up */
};

/*
 * The rules are open (yara_rules_open). *out is zeroed, and the caller's for tries_case_close,
 * after an error too. Errors: those of casefile_open and carve_images_open; ERR_INPUT: the case
 * file lies on the evidence.
 */
ERR_MUST_CHECK enum err_code tries_case_open(const struct tries_where *where,
                                             struct tries_case *out, struct err *err);
void tries_case_close(struct tries_case *of); /* of a zeroed one: a no-op */

#endif
