/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/triage.h - `burin triage`: what the files of the command share.
 *
 *   command line ──► triage_options ──► for each image: triage_image ──► answer ──► printed
 *                                          └──► triage_record ──► case file, sweep by sweep
 */
#ifndef BURIN_CARVER_TRIAGE_TRIAGE_H
#define BURIN_CARVER_TRIAGE_TRIAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "carver/cli/command.h"
#include "carver/cli/progress.h"
#include "carver/keyword/keyword.h"
#include "carver/known/known_scan.h"
#include "carver/scan/scan_how.h"
#include "carver/triage/answer.h"
#include "carver/triage/unit_look.h"
#include "db/case.h"

enum { TRIAGE_KEYWORD_FILES_MAX = 64 };

struct triage_options {
    struct scan_how how;
    uint64_t time_ns; /* for each image; 0: no limit */
    uint64_t target;  /* bytes: enough is known when no more than so many can be unseen */
    double confidence;
    bool has_seed;
    uint64_t seed;
    uint32_t unit;   /* bytes; 0: by what the image lies on */
    uint32_t sweeps; /* exactly so many; 0: up to the target */
    const char *known[KNOWN_SETS_MAX];
    uint32_t known_count, known_step;
    const char *keyword_files[TRIAGE_KEYWORD_FILES_MAX];
    uint32_t keyword_file_count;
    uint32_t features; /* packs: see feature_packs_parse */
    bool ignore_case;
    const char *encodings;
    bool then_scan;
};

extern const char triage_options_text[];

/* argv as for a command's run. Strings point into argv. Errors: those of scan_how_complete. */
ERR_MUST_CHECK enum err_code triage_options_read(int argc, char **argv, struct triage_options *out,
                                                 struct err *err);

/* What all images share. */
struct triage {
    const struct triage_options *options;
    const char *command_line;
    struct db_case *db;
    char jail[CONFINE_NOTE_MAX];
    struct keyword_set keywords;
    struct known_scan known;
    const struct sig *const *sigs;
    struct patterns files, words;
    struct match_matcher *file_matcher, *word_matcher; /* word_matcher NULL: no keywords */
    struct progress progress;
    bool scanned, left; /* of one of the images there is a scan; and one is not done */
};

/*
 * Samples one image, records what is met, and says what it comes to. *out is the caller's, to be
 * released with answer_release, also after an error. Sets *status to EXIT_PARTLY where a looked-at
 * place could not be read.
 */
ERR_MUST_CHECK enum err_code triage_image(struct triage *triage, const char *path,
                                          struct answer *out, enum exit_status *status,
                                          struct err *err);

/* ---- what is next ---- */

/* Notes whether the image has a scan. Errors: those of the case file. */
ERR_MUST_CHECK enum err_code triage_next_see(struct triage *triage, int64_t image_id,
                                             struct err *err);
/* Behind all images: the commands that a person may go on with, on standard error. */
ERR_MUST_CHECK enum err_code triage_next_print(const struct triage *triage, struct err *err);

/* ---- --then scan ---- */

/* Waits for the process that does the triage. *status is its exit status; *scan: a scan is to go
 * on.
 */
ERR_MUST_CHECK enum err_code triage_then_wait(pid_t pid, enum exit_status *status, bool *scan,
                                              struct err *err);
/* Scans the images into the same case file. Errors: those of `burin scan`. */
ERR_MUST_CHECK enum err_code triage_then_scan(const struct triage_options *options,
                                              enum exit_status *status, struct err *err);

/* ---- the case file ---- */

struct triage_ids {
    int64_t image, run;
    uint32_t found, pictures; /* finds, and pictures, that are recorded */
};

struct scan_map;
ERR_MUST_CHECK enum err_code triage_record_begin(struct triage *triage, struct io_image *image,
                                                 const struct answer *answer,
                                                 const struct scan_map *map, struct triage_ids *ids,
                                                 struct err *err);

/* A sweep was done: its counts, where it was whole (else NULL), and the finds that are new. */
ERR_MUST_CHECK enum err_code triage_record_sweep(struct triage *triage, const struct answer *answer,
                                                 const struct tally *sweep, struct triage_ids *ids,
                                                 struct err *err);

/* How it ended; why: of an error, else what was found out, in a line. */
ERR_MUST_CHECK enum err_code triage_record_end(struct triage *triage, const struct triage_ids *ids,
                                               enum err_code how, const char *why, struct err *err);

#endif
