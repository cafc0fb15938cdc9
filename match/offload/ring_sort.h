/* SPDX-License-Identifier: Apache-2.0
 * match/offload/ring_sort.h - the order of a device's hits. */
#ifndef BURIN_MATCH_OFFLOAD_RING_SORT_H
#define BURIN_MATCH_OFFLOAD_RING_SORT_H

#include "match/kernel/view.h"

/* By start, which is less than text_len, then pattern; in place. */
void ring_sort(struct ring_hit *hits, uint32_t count, uint32_t text_len);

#endif
