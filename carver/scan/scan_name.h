/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_name.h - what a job looks for, as the case file names it. */
#ifndef BURIN_CARVER_SCAN_SCAN_NAME_H
#define BURIN_CARVER_SCAN_SCAN_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/limits.h"
#include "signatures/sig.h"

enum {
    SCAN_PATTERN_TEXT = 4 * LIMIT_PATTERN_LEN + 1, /* bytes of a pattern as text, NUL included */
    SCAN_ORIGIN_TEXT = LIMIT_PATH + 16,
};

/* A signature as the case file has it. */
struct scan_name {
    const char *name;
    const char *kind; /* "validator" or "rule" */
    bool has_footer;
    uint64_t size_max;              /* bytes */
    char origin[SCAN_ORIGIN_TEXT];  /* "built-in", "scalpel.conf:12", "keyword utf-8" */
    char header[SCAN_PATTERN_TEXT]; /* scan_name_pattern */
    char footer[SCAN_PATTERN_TEXT]; /* with has_footer */
};

/* The pattern as a configuration file would write it; wildcards as "?". A long one is cut. */
void scan_name_pattern(const struct sig_pattern *pattern, bool regex, char out[SCAN_PATTERN_TEXT]);

#endif
