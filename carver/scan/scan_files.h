/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_files.h - the job of `burin scan`: to look for files, by the built-in signatures
 * or by the rules of a configuration file.
 */
#ifndef BURIN_CARVER_SCAN_SCAN_FILES_H
#define BURIN_CARVER_SCAN_SCAN_FILES_H

#include <stdint.h>

#include "base/err.h"
#include "carver/cli/json_write.h"
#include "carver/plan/patterns.h"
#include "carver/scan/scan_job.h"
#include "carver/scan/scan_options.h"
#include "carver/select/types.h"
#include "signatures/conf.h"

struct scan_files {
    const struct scan_options *options;
    struct types_selection selection; /* of the built-in signatures */
    struct sig_conf conf;             /* or the rules of a file */
    const struct sig **sigs;          /* [count] of one or the other */
    uint32_t count;
    struct scan_job job;
    struct json json; /* the summaries, with --json */
};

/*
 * Finds the signatures that the options ask for. Warnings about a configuration file go to standard
 * error. The options must outlive it.
 * Errors: ERR_ARG for an unknown type, ERR_INPUT for a configuration file that is wrong, ERR_ENV.
 */
ERR_MUST_CHECK enum err_code scan_files_open(const struct scan_options *options,
                                             struct scan_files *out, struct err *err);
void scan_files_close(struct scan_files *files); /* after a failed open too */

/*
 * The job: to look for these patterns of the signatures, and to print a summary of each image. It
 * lies in files. patterns and command_line stay the caller's and must outlive it.
 */
const struct scan_job *scan_files_job(struct scan_files *files, const struct patterns *patterns,
                                      const char *command_line);

#endif
