/* SPDX-License-Identifier: Apache-2.0
 * match/pattern/sort.h - hits into order, in place. */
#ifndef BURIN_MATCH_PATTERN_SORT_H
#define BURIN_MATCH_PATTERN_SORT_H

#include <stdint.h>

#include "base/hit.h"

/* By offset, then pattern. Near-linear on hits that come in few ordered runs, n log n on any; no
 * memory. */
void match_sort(struct hit *hits, uint32_t count);

#endif
