/* match/offload/tune_search.c - see tune_search.h. */
#include "match/offload/tune_search.h"

static double tune_least(const struct match_measure *measure)
{
    double least = measure->seconds[0];

    for (uint32_t i = 1; i < measure->runs; i++)
        least = measure->seconds[i] < least ? measure->seconds[i] : least;
    return least;
}

enum err_code tune_search(const struct measure_search *search, const struct match_shape *shapes,
                          uint32_t count, struct match_measure *measure, struct match_shape *best,
                          struct err *err)
{
    double least = -1;
    enum err_code rc = ERR_OK;

    *best = (struct match_shape){ 0, 0 };
    for (uint32_t i = 0; rc == ERR_OK && i < count; i++) {
        measure->shape = shapes[i];
        rc = measure_run(search, measure, err);
        if (rc == ERR_OK && (least < 0 || tune_least(measure) < least)) {
            least = tune_least(measure);
            *best = shapes[i];
        }
    }
    return rc;
}
