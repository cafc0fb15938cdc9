/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_stages.c - see scan_stages.h. */
#include "carver/scan/scan_stages.h"

#include <stdio.h>

#include "base/clock.h"

void scan_stages_begin(struct scan_stages *stages)
{
    stages->at = clock_now(CLOCK_MONOTONIC);
    stages->len = 0;
    stages->text[0] = '\0';
}

void scan_stages_end(struct scan_stages *stages, const char *name)
{
    const uint64_t now = clock_now(CLOCK_MONOTONIC);
    const size_t room = sizeof stages->text - stages->len;
    const int len =
        snprintf(stages->text + stages->len, room, "%s%s %.3f s",
                 stages->len == 0 ? "stages: " : ", ", name, (double)(now - stages->at) / 1e9);

    stages->at = now;
    if (len > 0)
        stages->len += (size_t)len < room ? (size_t)len : room - 1;
}
