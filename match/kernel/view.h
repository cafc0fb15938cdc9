/* SPDX-License-Identifier: Apache-2.0
 * match/kernel/view.h - what a kernel gets to search, and where it leaves what it found; read by C
 * and by CUDA. */
#ifndef BURIN_MATCH_KERNEL_VIEW_H
#define BURIN_MATCH_KERNEL_VIEW_H

#include <assert.h>
#include <stdint.h>

#include "base/host_device.h"
#include "base/limits.h"
#include "match/launch.h"

/* What the kernels leave on the device: this, and right behind it the hits. */
struct ring_found {
    uint32_t count;      /* of hits, also of those that there was no room for */
    uint32_t candidates; /* of the filter, if the search has one */
    uint32_t taken[2]; /* parts of the text, by kernels that deal them out: of the filter and of the
                          windows */
};

struct ring_hit {
    uint32_t start; /* index in the text */
    uint32_t what;  /* pattern and length */
};
static_assert(LIMIT_PATTERN_LEN <= 0xff && LIMIT_PATTERN_COUNT <= 0xffffff,
              "both fit in ring_hit.what");

HOST_DEVICE uint32_t ring_hit_pattern(const struct ring_hit *hit)
{
    return hit->what >> 8;
}

HOST_DEVICE uint32_t ring_hit_len(const struct ring_hit *hit)
{
    return hit->what & 0xff;
}

/* One stretch of text on the device: matches that end in [from, to) of its len bytes; and where the
 * answer goes. */
struct ring_view {
    uint8_t *text; /* 16-byte blocks may be read around it */
    uint32_t len, from, to;
    struct ring_found *found;
    struct ring_hit *hits; /* [hits_max] */
    uint32_t hits_max;
    void *scratch;              /* the search's own, of the bytes that it asked for */
    struct match_launch launch; /* of the blocks of kernels that can be cut in several ways */
};

#endif
