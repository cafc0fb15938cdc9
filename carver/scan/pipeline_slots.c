/* carver/scan/pipeline_slots.c - see pipeline_slots.h. */
#include "carver/scan/pipeline_slots.h"
#include "base/limits.h"
#include "carver/plan/plan.h"

enum {
    PIPELINE_AHEAD = 4, /* segments that the reader fills while the matcher works */
    PIPELINE_SLOTS_MIN = 3,
};

/*
 * Collected segments that stay in memory behind the front: a batch that validators read, and the
 * next one that comes meanwhile. Without validators there are fewer, for what is read into few
 * buffers stays in the processor's cache until it is matched.
 */
static uint32_t pipeline_slots_wanted(uint32_t segment_len, bool validators)
{
    return validators ? 2 * (PLAN_BATCH / segment_len) + 1 : 1;
}

uint32_t pipeline_slots(uint32_t threads, uint32_t segment_len, bool validators)
{
    const uint32_t wanted =
        threads * 2 + PIPELINE_AHEAD + pipeline_slots_wanted(segment_len, validators);
    const uint32_t fit = LIMIT_SEGMENT_MEMORY / segment_len;
    /* Where two threads take turns, an even number gives each its own buffers, and so its own part
     * of the caches. */
    const uint32_t even = wanted + wanted % 2, slots = even < fit ? even : fit;

    return slots < PIPELINE_SLOTS_MIN ? PIPELINE_SLOTS_MIN
           : slots > LIMIT_SLOTS      ? LIMIT_SLOTS
                                      : slots;
}

uint32_t pipeline_slots_kept(uint32_t slots, uint32_t segment_len, bool validators)
{
    const uint32_t wanted = pipeline_slots_wanted(segment_len, validators);

    return wanted < slots - 2 ? wanted : slots - 2;
}
