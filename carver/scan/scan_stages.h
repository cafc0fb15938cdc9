/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_stages.h - how long each stage of a scan took, as one line for the log of the
 * case: where a scan is slower than another one, that says what to look at.
 *
 * Threads: one.
 */
#ifndef BURIN_CARVER_SCAN_SCAN_STAGES_H
#define BURIN_CARVER_SCAN_SCAN_STAGES_H

#include <stddef.h>
#include <stdint.h>

enum { SCAN_STAGES_TEXT = 256 };

struct scan_stages {
    uint64_t at; /* monotonic time at which the last stage ended */
    size_t len;
    char text[SCAN_STAGES_TEXT];
};

/* The first stage begins now. */
void scan_stages_begin(struct scan_stages *stages);
/* A stage ends now, and the next one begins. */
void scan_stages_end(struct scan_stages *stages, const char *name);

#endif
