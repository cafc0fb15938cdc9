/* match/ac_filter_simd.h - the filter for the processor at hand. */
#ifndef BURIN_MATCH_AC_FILTER_SIMD_H
#define BURIN_MATCH_AC_FILTER_SIMD_H

#include "match/ac_filter.h"

/* The fastest that runs here, or NULL. */
ac_filter_fn ac_filter_simd(void);

/* All that run here, for tests: the one of that index, or NULL. */
ac_filter_fn ac_filter_simd_get(uint32_t index);

#endif
