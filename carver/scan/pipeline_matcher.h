/*
 * carver/scan/pipeline_matcher.h - the matcher of a scan, compiled while the scan opens its images
 * and its case file.
 *
 * To compile burin's own patterns takes as long as to read some 100 MiB, and making a case file
 * waits for the disk: beside each other they take no longer than the longer one.
 */
#ifndef BURIN_CARVER_SCAN_PIPELINE_MATCHER_H
#define BURIN_CARVER_SCAN_PIPELINE_MATCHER_H

#include "base/err.h"
#include "match/matcher.h"

struct pipeline_matcher; /* owned by the caller of pipeline_matcher_begin */

/* Begins to open a matcher; NULL when it is better opened when it is needed. The dictionary must
 * outlive it, options are copied. */
struct pipeline_matcher *pipeline_matcher_begin(const struct match_dictionary *dictionary,
                                                const struct match_options *options);

/* Waits for the matcher, which then is the caller's; *out is NULL, with ERR_OK, when it has been
 * taken before, or for NULL. */
ERR_MUST_CHECK enum err_code pipeline_matcher_take(struct pipeline_matcher *early,
                                                   struct match_matcher **out, struct err *err);

void pipeline_matcher_end(
    struct pipeline_matcher *early); /* with the matcher, if nobody took it; NULL is a no-op */

#endif
