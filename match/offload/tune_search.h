/* SPDX-License-Identifier: Apache-2.0
 * match/offload/tune_search.h - the search for the fastest launch; what it finds is remembered
 * (tune.h). */
#ifndef BURIN_MATCH_OFFLOAD_TUNE_SEARCH_H
#define BURIN_MATCH_OFFLOAD_TUNE_SEARCH_H

#include "match/offload/lab_time.h"
#include "match/offload/tune.h"

/*
 * Times the search in each of the launches, as `timing` says, and chooses the one whose fastest run
 * is fastest: what others do on the machine makes runs slower, never faster.
 */
ERR_MUST_CHECK enum err_code tune_search(const struct lab_time_search *search,
                                         const struct match_launch *launches, uint32_t count,
                                         struct match_timing *timing, struct match_launch *best,
                                         struct err *err);

#endif
