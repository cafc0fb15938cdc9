/* SPDX-License-Identifier: Apache-2.0
 * match/offload/offload_worth.h - whether devices make the rest of a search end earlier, from what
 * the search has been like so far.
 *
 * A device takes matching from the processors, and nothing else: reading, and what is done with
 * hits, stays. To start one takes a while, and so does its end; and no more can be searched there
 * than the bus brings. Whether they did is seen later: the bytes of a second are compared with
 * those before.
 */
#ifndef BURIN_MATCH_OFFLOAD_OFFLOAD_WORTH_H
#define BURIN_MATCH_OFFLOAD_OFFLOAD_WORTH_H

#include <stdbool.h>
#include <stdint.h>

struct offload_pace {
    uint64_t bytes, left; /* searched so far, and still to come */
    double seconds;       /* that it has taken */
    double matching;      /* seconds of processors that matching took, of all threads together */
    uint32_t threads;     /* that search at a time, at least 1 */
};

/* Part of the threads' time that is matching, 0..1. */
double offload_share(const struct offload_pace *pace);

/* Seconds by which devices shorten the rest; what their start takes is not counted. */
double offload_gain(const struct offload_pace *pace);

/* Whether that is more than a start costs, and more than chance. */
bool offload_worth(const struct offload_pace *pace);

enum { OFFLOAD_TRIAL_NS = 1000000000 }; /* nanoseconds with devices until they are judged */

/* All zero but since_ns, which is when the search began. */
struct offload_trial {
    enum { OFFLOAD_BEFORE, OFFLOAD_WITH, OFFLOAD_JUDGED } state;
    uint64_t since_ns, since_bytes; /* when the state began */
    double before;                  /* bytes a nanosecond without devices */
    bool slower;                    /* with them it is less: they are of no use */
};

/* A segment begins: nanoseconds of a clock, the bytes of all segments before it, and whether it
 * goes to a device. */
void offload_trial_note(struct offload_trial *trial, uint64_t now_ns, uint64_t bytes,
                        bool on_device);

#endif
