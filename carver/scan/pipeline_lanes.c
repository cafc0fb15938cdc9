/* carver/scan/pipeline_lanes.c - see pipeline_lanes.h. */
#include "carver/scan/pipeline_lanes.h"
#include "base/limits.h"
#include "carver/plan/plan.h"

enum {
    PIPELINE_AHEAD = 4, /* segments that the reader fills while the matcher works */
    PIPELINE_LANES_MIN = 3,
};

/*
 * Collected segments that stay in memory behind the front: a batch that checkers read, and the next
 * one that comes meanwhile. Without checkers there are fewer, for what is read into few buffers
 * stays in the processor's cache until it is matched.
 */
static uint32_t pipeline_lanes_wanted(uint32_t segment_len, bool checkers)
{
    return checkers ? 2 * (PLAN_BATCH / segment_len) + 1 : 1;
}

uint32_t pipeline_lanes(uint32_t threads, uint32_t segment_len, bool checkers)
{
    const uint32_t wanted =
        threads * 2 + PIPELINE_AHEAD + pipeline_lanes_wanted(segment_len, checkers);
    const uint32_t fit = LIMIT_SEGMENT_MEMORY / segment_len;
    /* Where two threads take turns, an even number gives each its own buffers, and so its own part
     * of the caches. */
    const uint32_t even = wanted + wanted % 2, lanes = even < fit ? even : fit;

    return lanes < PIPELINE_LANES_MIN ? PIPELINE_LANES_MIN
           : lanes > LIMIT_LANES      ? LIMIT_LANES
                                      : lanes;
}

uint32_t pipeline_lanes_kept(uint32_t lanes, uint32_t segment_len, bool checkers)
{
    const uint32_t wanted = pipeline_lanes_wanted(segment_len, checkers);

    return wanted < lanes - 2 ? wanted : lanes - 2;
}
