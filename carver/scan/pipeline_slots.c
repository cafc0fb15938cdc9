/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/pipeline_slots.c - see pipeline_slots.h. */
#include "carver/scan/pipeline_slots.h"
#include "base/limits.h"
#include "carver/plan/plan.h"

enum {
    /*
     * Segments that are read from a disk while others are worked on. More do not make a disk
     * quicker, and leave the processor's cache: docs/notebook/scan.md.
     */
    PIPELINE_AHEAD = 3,
    PIPELINE_SLOTS_MIN = 3,
};

/* Segments that stay in memory behind the front: those that the planner has not read yet. */
static uint32_t pipeline_slots_wanted(uint32_t segment_len, bool validators)
{
    return PIPELINE_AHEAD + (validators ? PLAN_BATCH / segment_len + 1 : 0);
}

uint32_t pipeline_threads(uint32_t threads, uint32_t segment_len)
{
    const uint32_t fit = LIMIT_SEGMENT_MEMORY / segment_len / PIPELINE_SLOTS_MIN;

    return fit < 1 ? 1 : threads < fit ? threads : fit;
}

uint32_t pipeline_slots(uint32_t threads, uint32_t segment_len, bool validators)
{
    const uint32_t wanted = pipeline_slots_wanted(segment_len, validators);
    const uint32_t fit =
        LIMIT_SEGMENT_MEMORY / segment_len / pipeline_threads(threads, segment_len);
    const uint32_t slots = wanted < fit ? wanted : fit;

    return slots < PIPELINE_SLOTS_MIN ? PIPELINE_SLOTS_MIN
           : slots > LIMIT_SLOTS      ? LIMIT_SLOTS
                                      : slots;
}
