/* match/offload/tune_search.c - see tune_search.h. */
#include "match/offload/tune_search.h"

static double tune_least(const struct match_timing *timing)
{
    double least = timing->seconds[0];

    for (uint32_t i = 1; i < timing->runs; i++)
        least = timing->seconds[i] < least ? timing->seconds[i] : least;
    return least;
}

enum err_code tune_search(const struct lab_time_search *search, const struct match_shape *shapes,
                          uint32_t count, struct match_timing *timing, struct match_shape *best,
                          struct err *err)
{
    double least = -1;
    enum err_code rc = ERR_OK;

    *best = (struct match_shape){ 0, 0 };
    for (uint32_t i = 0; rc == ERR_OK && i < count; i++) {
        timing->shape = shapes[i];
        rc = lab_time_run(search, timing, err);
        if (rc == ERR_OK && (least < 0 || tune_least(timing) < least)) {
            least = tune_least(timing);
            *best = shapes[i];
        }
    }
    return rc;
}
