/* SPDX-License-Identifier: Apache-2.0
 * match/offload/tune_search.c - see tune_search.h. */
#include "match/offload/tune_search.h"

static double tune_least(const struct match_timing *timing)
{
    double least = timing->seconds[0];

    for (uint32_t i = 1; i < timing->runs; i++)
        least = timing->seconds[i] < least ? timing->seconds[i] : least;
    return least;
}

enum err_code tune_search(const struct lab_time_search *search, const struct match_launch *launches,
                          uint32_t count, struct match_timing *timing, struct match_launch *best,
                          struct err *err)
{
    double least = -1;
    enum err_code rc = ERR_OK;

    *best = (struct match_launch){ 0, 0 };
    for (uint32_t i = 0; rc == ERR_OK && i < count; i++) {
        timing->launch = launches[i];
        rc = lab_time_run(search, timing, err);
        if (rc == ERR_OK && (least < 0 || tune_least(timing) < least)) {
            least = tune_least(timing);
            *best = launches[i];
        }
    }
    return rc;
}
