/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/pipeline_matcher.h - the matcher of a scan, compiled while the scan opens its images
 * and its case file.
 *
 * To compile burin's own patterns takes as long as to read some 100 MiB, and making a case file
 * waits for the disk: beside each other they take no longer than the longer one.
 *
 * Threads: one thread uses it; the thread that compiles is its own.
 */
#ifndef BURIN_CARVER_SCAN_PIPELINE_MATCHER_H
#define BURIN_CARVER_SCAN_PIPELINE_MATCHER_H

#include <stdbool.h>

#include "base/err.h"
#include "base/thread.h"
#include "match/matcher.h"

struct pipeline_matcher {
    const struct match_dictionary *dictionary;
    struct match_options options;
    struct thread thread; /* not started: the matcher is opened when it is taken */

    /* The thread's, until it is joined. */
    struct match_matcher *matcher;
    enum err_code status;
    struct err err;
};

/*
 * Begins to open a matcher in a thread of its own. One for which no thread can be had is opened by
 * pipeline_matcher_take. The dictionary must outlive it; options are copied. Returns whether a
 * thread has begun.
 */
bool pipeline_matcher_begin(struct pipeline_matcher *out, const struct match_dictionary *dictionary,
                            const struct match_options *options);

/*
 * Waits for the matcher, or opens it now, with `bytes` to search in all.
 * Ownership: *out is the caller's, to be given to match_close. Errors: those of match_open. It is
 * called once.
 */
ERR_MUST_CHECK enum err_code pipeline_matcher_take(struct pipeline_matcher *early, uint64_t bytes,
                                                   struct match_matcher **out, struct err *err);

/* Waits for the matcher and closes it, if nobody took it. */
void pipeline_matcher_end(struct pipeline_matcher *early);

#endif
