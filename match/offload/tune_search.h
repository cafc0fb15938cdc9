/* match/offload/tune_search.h - the search for the fastest shape; what it finds is remembered
 * (tune.h). */
#ifndef BURIN_MATCH_OFFLOAD_TUNE_SEARCH_H
#define BURIN_MATCH_OFFLOAD_TUNE_SEARCH_H

#include "match/offload/lab_time.h"
#include "match/offload/tune.h"

/*
 * Times the search in each of the shapes, as `timing` says, and chooses the one whose fastest run
 * is fastest: what others do on the machine makes runs slower, never faster.
 */
ERR_MUST_CHECK enum err_code tune_search(const struct lab_time_search *search,
                                         const struct match_shape *shapes, uint32_t count,
                                         struct match_timing *timing, struct match_shape *best,
                                         struct err *err);

#endif
